/** Converts the contract's schemas to JSON Schema, and collects the declarations of named ones. */
import { problems } from '@bot-directory/contract';
import * as z from 'zod';
import { doc, renderDeclaration, renderMembers, type Schema } from './render-type.ts';

/** Declarations as text, by name. */
export type Shapes = Map<string, string>;

/** Returns the declarations, sorted by name. */
export const sorted = (shapes: Shapes): string[] =>
  [...shapes].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text);

/** Converts a schema to JSON Schema, and declares in `shapes` the named schemas that it refers to. */
export const jsonSchema = (schema: z.ZodType, io: 'input' | 'output', shapes: Shapes): Schema => {
  const { $defs, ...body } = definitions(schema, io);
  for (const [name, shape] of Object.entries($defs)) {
    const declaration = renderDeclaration(name, shape);
    if ((shapes.get(name) ?? declaration) !== declaration) throw new TypeError(`two schemas are named ${name}`);
    shapes.set(name, declaration);
  }
  return body;
};

const definitions = (schema: z.ZodType, io: 'input' | 'output'): Schema & { $defs: Record<string, Schema> } => {
  const { $defs = {}, ...body } = z.toJSONSchema(schema, { io }) as Schema & { $defs?: Record<string, Schema> };
  return { ...body, $defs };
};

const commonMembers = ['type', 'title', 'status', 'detail', 'request_id', 'errors', 'code'];

/** Declares the two interfaces that every problem extends: the common members, and the members for any code. */
export const problemShapes = (problem: z.ZodType, shapes: Shapes): void => {
  const { properties = {}, required = [] } = definitions(problem, 'output').$defs.Problem ?? {};
  const members = (keep: (name: string) => boolean) =>
    renderMembers(
      { properties: Object.fromEntries(Object.entries(properties).filter(([name]) => keep(name))), required },
      'output',
    );
  const common = members((name) => commonMembers.includes(name)).replace(
    /code: string;/,
    'code: Code | (string & {});',
  );
  shapes.set(
    'ProblemOf',
    `/** An error response (RFC 9457) with one of these codes. */\nexport interface ProblemOf<Code extends string> ${common}\n`,
  );
  const codes = Object.keys(problems).map((code) => `'${code}'`);
  shapes.set(
    'ProblemCode',
    `/** The codes of errors that this version knows. */\nexport type ProblemCode = ${codes.join(' | ')};\n`,
  );
  const any = members((name) => !commonMembers.includes(name));
  shapes.set(
    'Problem',
    `/** Any error response. New codes may appear: handle an unknown one by its status. */\nexport interface Problem extends ProblemOf<string> ${any}\n`,
  );
};

const meaningOf = new Map(Object.entries(problems).map(([code, { meaning }]) => [code, meaning]));

/**
 * Renders one status of an operation as a member: its comment lists its codes' meanings, its type the codes and their
 * members.
 */
export const problemMember = (status: string, schema: z.ZodType, shapes: Shapes): string => {
  const { properties = {}, required = [] } = jsonSchema(schema, 'output', shapes);
  const named = (properties.code?.enum ?? []).map(String);
  const meanings = named.map((code) => `\`${code}\`: ${meaningOf.get(code)}`).join(' ');
  const codes = named.map((code) => `'${code}'`).join(' | ');
  const own = Object.fromEntries(Object.entries(properties).filter(([name]) => !commonMembers.includes(name)));
  const members = Object.keys(own).length === 0 ? '' : ` & ${renderMembers({ properties: own, required }, 'output')}`;
  return `${doc(meanings)}${status}: ProblemOf<${codes}>${members};\n`;
};
