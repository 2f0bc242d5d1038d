/** An example of every problem. */
import { problems, type ExtendedProblemCode, type Problem, type ProblemCode } from '../problem.ts';
import type { Json } from './schema.ts';

/** The members of each code, beyond those that every problem has. */
const extensions: Readonly<Record<ExtendedProblemCode | 'invalid_request', Partial<Problem>>> = {
  invalid_request: { errors: [{ pointer: '/link', detail: 'is required' }] },
  bot_exists: { slug: 'weekly-seo-report', url: '/bots/weekly-seo-report' },
  bot_removed: { slug: 'weekly-seo-report', url: '/bots/weekly-seo-report' },
  bot_gone: { reason: 'It sent spam.' },
  post_exists: { id: 'post_01M7YAV3PXPR9JYQYS5FWGY2KM', url: 'https://x.com/ada_l/status/1790000000000000001' },
  webhook_exists: { id: 'wh_01M7YAV3PXPR9JYQYS5FWGY2KM', url: 'https://hooks.example.com/bots' },
  webhook_ping_failed: { reason: 'timeout' },
};

/** Code → example, for a service at `baseUrl`. */
export const problemExamples = (baseUrl: string): Json =>
  Object.fromEntries(
    Object.entries(problems).map(([code, { status, title, meaning }]) => [
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
          ...(extensions as Partial<Record<ProblemCode, Partial<Problem>>>)[code as ProblemCode],
        },
      },
    ]),
  );
