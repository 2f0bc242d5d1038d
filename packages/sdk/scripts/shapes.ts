/** Reads the contract's schemas as JSON Schema, and writes each named one as an interface. */
import * as z from 'zod';
import { doc, renderMembers, type Schema } from './render-type.ts';

/** Named interfaces as text, by name. */
export type Shapes = Map<string, string>;

const docs: Record<string, string> = {
  Bot: 'A published bot.',
  BotCreatedEvent: 'Published when a bot is; webhooks receive the same envelope.',
  CategoryCount: 'A category and how many bots are in it.',
  FieldError: 'One refused field.',
  IntegrationCount: 'An integration in use and how many bots use it.',
  MergedIntegrations: "A bot's integrations after a merge.",
  Post: 'A social-platform status in the showcase feed.',
  PublishedBot: 'Where a bot was published.',
  RemovedWebhook: 'The webhook that was removed.',
  Webhook: 'A registered webhook.',
  WebhookKeys: 'The public keys in force, newest first. Several while a key is rotated.',
  WebhookStatus: 'How deliveries to a webhook are going.',
};

/** A schema as JSON Schema; the named shapes that it refers to are written into `shapes`. */
export const jsonSchema = (schema: z.ZodType, io: 'input' | 'output', shapes: Shapes): Schema => {
  const { $defs, ...body } = definitions(schema, io);
  for (const [name, shape] of Object.entries($defs)) {
    const text = docs[name];
    if (text === undefined) throw new TypeError(`${name} needs a doc comment in scripts/shapes.ts`);
    shapes.set(name, `${doc(text).join('')}\nexport interface ${name} ${renderMembers(shape, 'output')}\n`);
  }
  return body;
};

const definitions = (schema: z.ZodType, io: 'input' | 'output'): Schema & { $defs: Record<string, Schema> } => {
  const { $defs = {}, ...body } = z.toJSONSchema(schema, { io }) as Schema & { $defs?: Record<string, Schema> };
  return { ...body, $defs };
};

const commonMembers = ['type', 'title', 'status', 'detail', 'request_id', 'errors', 'code'];

/** Writes the two interfaces that every problem extends: the common members, and those of any code. */
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
    `/** An error answer (RFC 9457) with one of these codes. */\nexport interface ProblemOf<Code extends string> ${common}\n`,
  );
  const any = members((name) => !commonMembers.includes(name));
  shapes.set(
    'Problem',
    `/** Any error answer. New codes may appear: treat an unknown one by its status. */\nexport interface Problem extends ProblemOf<string> ${any}\n`,
  );
};

/** One status of an operation as a type: its codes, and the members that they bring. */
export const problemType = (schema: z.ZodType, shapes: Shapes): string => {
  const { properties = {}, required = [] } = jsonSchema(schema, 'output', shapes);
  const codes = (properties.code?.enum ?? []).map((code) => `'${String(code)}'`).join(' | ');
  const own = Object.fromEntries(Object.entries(properties).filter(([name]) => !commonMembers.includes(name)));
  if (Object.keys(own).length === 0) return `ProblemOf<${codes}>`;
  const members = renderMembers({ properties: own, required }, 'output').replace(/\n\s*/g, ' ').replace('; }', ' }');
  return `ProblemOf<${codes}> & ${members}`;
};

/** The event types among the shapes that a schema refers to. */
export const eventTypesIn = (schema: z.ZodType): string[] =>
  Object.values(definitions(schema, 'output').$defs).flatMap(({ properties }) => {
    const type = properties?.type?.const;
    return typeof type === 'string' ? [type] : [];
  });
