/** An example of every problem. */
import * as z from 'zod';
import { problem, problems } from '../problem.ts';
import { exampleOf, schemaOf, type Components, type Json } from './schema.ts';

/** Makes an example of each problem, by code, for a service at `baseUrl`. */
export const problemExamples = (baseUrl: string): Json =>
  Object.fromEntries(
    Object.entries(problems).map(([code, { status, title, meaning, ...row }]) => [
      code,
      {
        summary: title,
        value: {
          type: `${baseUrl}/problems/${code}`,
          title,
          status,
          detail: meaning,
          code,
          request_id: 'req_Mvw4lUqy_5',
          ...(code === 'invalid_request' ? examplesOf({ errors: problem.shape.errors }) : {}),
          ...('members' in row ? examplesOf(row.members) : {}),
        },
      },
    ]),
  );

const examplesOf = (members: Readonly<Record<string, z.ZodType>>): Json => {
  const components: Components = new Map();
  return exampleOf(schemaOf(z.object(members), 'output', components), components) as Json;
};
