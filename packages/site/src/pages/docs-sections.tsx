/** One operation and one schema of the API reference. */
import type { ComponentChildren } from 'preact';
import type { ApiResponse, Schema } from '../docs/document.ts';
import { codesOf, curlOf, propertiesOf, schemaIn, sdkCallOf, successOf, typeOf, type Listed } from '../docs/model.ts';
import { to } from '../parts/href.ts';
import { Prose, Snippet } from '../parts/snippet.tsx';
import type { Frame } from '../views.ts';

/** An operation: its input, its responses, and a command to try it. */
export const OperationSection = ({ frame, operation }: { frame: Frame; operation: Listed }) => {
  const { id, method, path, summary = id, description, parameters = [], requestBody, responses = {} } = operation;
  const body = propertiesOf(schemaIn(requestBody));
  const hosts = { template: frame.templateHost, social: frame.socialHost };
  return (
    <section class="operation">
      <h2 id={id}>
        <a href={to.id(id)}>{summary}</a>
      </h2>
      <p class="operation-path">
        <span class={`verb verb-${method}`}>{method}</span> <code>{path}</code>
      </p>
      {description !== undefined && (
        <p>
          <Prose text={description} />
        </p>
      )}
      <Rows
        name={`Parameters of ${summary}`}
        title="Parameter"
        rows={parameters.map(({ name, schema, required = false, description: text }) => ({
          name,
          schema,
          isRequired: required,
          text,
        }))}
      />
      <Rows
        name={`Body of ${summary}`}
        title="Field"
        rows={body.map(({ name, schema, isRequired }) => ({ name, schema, isRequired, text: schema.description }))}
      />
      <Responses name={`Responses of ${summary}`} responses={responses} />
      <Snippet label={`${summary} with curl`} code={curlOf(operation, frame.baseUrl, hosts)} />
      <Snippet label={`${summary} with the SDK`} code={sdkCallOf(operation, hosts)} />
      <p>A success:</p>
      <Snippet label={`A success of: ${summary}`} code={successOf(operation)} />
    </section>
  );
};

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
    <Rows
      name={`Fields of ${name}`}
      title="Field"
      rows={propertiesOf(schema).map((one) => ({ ...one, text: one.schema.description }))}
    />
  </section>
);

type Row = {
  readonly name: string;
  readonly schema: Schema | undefined;
  readonly isRequired: boolean;
  readonly text: string | undefined;
};

const Rows = ({ name, title, rows }: { name: string; title: string; rows: readonly Row[] }) => {
  if (rows.length === 0) return null;
  return (
    <Table name={name} heads={[title, 'Type', 'Meaning']}>
      {rows.map((row) => (
        <tr key={row.name}>
          <th scope="row">
            <code>{row.name}</code>
            {row.isRequired && <span class="required"> required</span>}
          </th>
          <td>
            <TypeWords schema={row.schema} />
          </td>
          <td>
            <Prose text={row.text ?? ''} />
          </td>
        </tr>
      ))}
    </Table>
  );
};

/** A type in words, with links to the schemas it names. */
export const TypeWords = ({ schema }: { schema: Schema | undefined }) => (
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
  </span>
);

const Responses = ({ name, responses }: { name: string; responses: Readonly<Record<string, ApiResponse>> }) => (
  <Table name={name} heads={['Status', 'Response']}>
    {Object.entries(responses).map(([status, { description = '', headers = {}, content = {} }]) => (
      <tr key={status}>
        <th scope="row">
          <span class={`status status-${status.charAt(0)}`}>{status}</span>
        </th>
        <td>
          {status.startsWith('2') ? (
            Object.entries(content).map(([type, { schema }]) => (
              <span key={type}>
                {type === 'application/json' ? <TypeWords schema={schema} /> : <code>{type}</code>}
              </span>
            ))
          ) : (
            <ProblemCodes description={description} />
          )}
          <HeaderNames names={Object.keys(headers)} />
        </td>
      </tr>
    ))}
  </Table>
);

/** Their meanings are in a table of their own. */
const HeaderNames = ({ names }: { names: readonly string[] }) => {
  if (names.length === 0) return null;
  return (
    <>
      {', with '}
      {names.map((name, i) => (
        <span key={name}>
          {i > 0 && ', '}
          <a href="#headers">
            <code>{name}</code>
          </a>
        </span>
      ))}
    </>
  );
};

/** Each code has a page. */
const ProblemCodes = ({ description }: { description: string }) => {
  const codes = codesOf(description);
  if (codes.length === 0) return <Prose text={description} />;
  return (
    <>
      {codes.map((code, i) => (
        <span key={code}>
          {i > 0 && ', '}
          <a href={to.problem(code)}>
            <code>{code}</code>
          </a>
        </span>
      ))}
    </>
  );
};

const Table = ({ name, heads, children }: { name: string; heads: readonly string[]; children: ComponentChildren }) => (
  <div class="table" role="region" aria-label={name} tabIndex={0}>
    <table>
      <thead>
        <tr>
          {heads.map((head) => (
            <th key={head} scope="col">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </div>
);
