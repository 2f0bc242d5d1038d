/** One operation and one schema of the API reference, in few elements: there are many of them on one page. */
import type { Schema } from '../docs/document.ts';
import {
  curlOf,
  errorsOf,
  propertiesOf,
  schemaIn,
  sdkCallOf,
  successOf,
  typeOf,
  type ErrorOf,
  type Listed,
} from '../docs/model.ts';
import { to } from '../parts/href.ts';
import { Prose } from '../parts/snippet.tsx';
import type { Frame } from '../views.ts';

type OperationProps = {
  readonly frame: Frame;
  readonly operation: Listed;
  /** Error codes that another section shows. */
  readonly shared: ReadonlySet<string>;
};

/** An operation: its input, commands to try it, and its responses. */
export const OperationSection = ({ frame, operation, shared }: OperationProps) => {
  const { id, method, path, summary = id, description, parameters = [], requestBody, responses = {} } = operation;
  const headers = Object.keys(responses['200']?.headers ?? {});
  return (
    <section class="operation">
      <h3 id={id}>
        <a href={to.id(id)}>{summary}</a>
      </h3>
      <p class="operation-path">
        <span class={`verb verb-${method}`}>{method}</span> <code>{path}</code>
      </p>
      {description !== undefined && (
        <p>
          <Prose text={description} />
        </p>
      )}
      {['path', 'query', 'header'].map((place) => (
        <Rows
          key={place}
          title={`In the ${place}`}
          rows={parameters
            .filter((one) => one.in === place)
            .map(({ name, schema, required: isRequired = false, description: text }) => {
              return { name, schema, isRequired, text };
            })}
        />
      ))}
      <Rows
        title="In the body"
        rows={propertiesOf(schemaIn(requestBody)).map((one) => ({ ...one, text: one.schema.description }))}
      />
      <Samples frame={frame} operation={operation} />
      <p>
        <span class="status status-2">200</span> <TypeWords schema={schemaIn(responses['200'])} />
        {headers.length > 0 && (
          <>
            {' · '}
            <a href="#headers">{headers.join(', ')}</a>
          </>
        )}
      </p>
      <Code label={`A success of: ${summary}`} code={successOf(operation)} />
      {errorsOf(operation)
        .filter(({ code }) => !shared.has(code))
        .map((error) => (
          <ErrorExample key={error.code} error={error} />
        ))}
    </section>
  );
};

/** The same request for a shell and for the SDK. */
const Samples = ({ frame, operation }: Omit<OperationProps, 'shared'>) => {
  const { id, summary = id, method, path } = operation;
  const hosts = { template: frame.templateHost, social: frame.socialHost };
  const isRunnable = method === 'get' && !path.endsWith('/stream');
  return (
    <>
      <fieldset class="tabs">
        <legend class="hidden">Language</legend>
        <label>
          <input type="radio" name={`in-${id}`} checked />
          curl
        </label>
        <label>
          <input type="radio" name={`in-${id}`} />
          JavaScript
        </label>
        <Code label={`${summary} with curl`} code={curlOf(operation, frame.baseUrl, hosts)} />
        <Code label={`${summary} with the SDK`} code={sdkCallOf(operation, hosts)} />
      </fieldset>
      {isRunnable && (
        <form class="run" data-run>
          <input type="text" aria-label={`Address of: ${summary}`} value={path.replace(/\{(\w+)\}/g, '<$1>')} />
          <button class="button quiet" type="submit">
            Run
          </button>
          <output />
          <pre tabIndex={0} role="group" aria-label="Response" />
        </form>
      )}
    </>
  );
};

/** An error, with a response that has it. */
export const ErrorExample = ({ error: { status, code, example } }: { error: ErrorOf }) => (
  <details class="answer">
    <summary>
      <span class={`status status-${status.charAt(0)}`}>{status}</span> <code>{code}</code>
    </summary>
    <Code label={`Example of ${code}`} code={JSON.stringify(example, undefined, 2)} />
  </details>
);

/** As `Snippet`, in fewer elements: the script adds what copies it. */
export const Code = ({ label, code }: { label: string; code: string }) => (
  <div class="snippet">
    <pre tabIndex={0} role="group" aria-label={label}>
      <code>{code}</code>
    </pre>
  </div>
);

/** A named schema. */
export const SchemaSection = ({ name, schema }: { name: string; schema: Schema }) => (
  <section class="schema">
    <h3 id={`schema-${name}`}>
      <a href={to.id(`schema-${name}`)}>{name}</a>
    </h3>
    {schema.description !== undefined && (
      <p>
        <Prose text={schema.description} />
      </p>
    )}
    {schema.properties === undefined && (
      <p>
        <TypeWords schema={schema} />
      </p>
    )}
    <Rows rows={propertiesOf(schema).map((one) => ({ ...one, text: one.schema.description }))} />
  </section>
);

type Row = {
  readonly name: string;
  readonly schema: Schema | undefined;
  readonly isRequired: boolean;
  readonly text: string | undefined;
};

const Rows = ({ title, rows }: { title?: string; rows: readonly Row[] }) =>
  rows.length === 0 ? null : (
    <>
      {title !== undefined && <p class="type">{title}</p>}
      <dl class="rows">
        {rows.map((row) => (
          <>
            <dt>
              <code>{row.name}</code> <TypeWords schema={row.schema} isRequired={row.isRequired} />
            </dt>
            <dd>
              <Prose text={row.text ?? ''} />
            </dd>
          </>
        ))}
      </dl>
    </>
  );

/** A type in words, with links to the schemas it names. */
export const TypeWords = ({ schema, isRequired = false }: { schema: Schema | undefined; isRequired?: boolean }) => (
  <span class="type">
    {typeOf(schema).map((part, i) =>
      typeof part === 'string' ? (
        part
      ) : (
        <a key={i} href={to.id(`schema-${part.schema}`)}>
          {part.schema}
        </a>
      ),
    )}
    {isRequired && ', required'}
  </span>
);
