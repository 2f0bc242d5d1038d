/** The API reference, made from the OpenAPI document: complete without a script. */
import { Layout } from '../parts/layout.tsx';
import { Prose, Snippet } from '../parts/snippet.tsx';
import { to } from '../parts/href.ts';
import { asDocument, type ApiDocument } from '../docs/document.ts';
import { groupsOf, headersOf, schemaIn, type Group } from '../docs/model.ts';
import type { DocsView, Frame } from '../views.ts';
import { OperationSection, SchemaSection, TypeWords } from './docs-sections.tsx';

type Props = { readonly frame: Frame; readonly view: DocsView };

/** The page. */
export const DocsPage = ({ frame, view }: Props) => {
  const document = asDocument(view.document);
  const groups = groupsOf(document);
  return (
    <Layout
      frame={frame}
      title="API reference"
      description="Every operation of the directory’s API: no key, every origin allowed, errors as problem+json."
      path="/docs"
      section="docs"
    >
      <div class="docs">
        <Contents document={document} groups={groups} />
        <div class="docs-body">
          <h1>API reference</h1>
          <Start frame={frame} document={document} />
          {groups.map(({ name, operations }) => (
            <section key={name} class="docs-group">
              <p class="docs-group-name">{name}</p>
              {operations.map((operation) => (
                <OperationSection key={operation.id} frame={frame} operation={operation} />
              ))}
            </section>
          ))}
          <Headers groups={groups} />
          <Events document={document} />
          <Errors problems={view.problems} />
          <section>
            <h2 id="schemas">Schemas</h2>
            {Object.entries(document.components.schemas).map(([name, schema]) => (
              <SchemaSection key={name} name={name} schema={schema} />
            ))}
          </section>
        </div>
      </div>
    </Layout>
  );
};

const Contents = ({ document, groups }: { document: ApiDocument; groups: readonly Group[] }) => (
  <details class="contents">
    <summary>On this page</summary>
    <nav aria-label="On this page">
      {groups.map(({ name, operations }) => (
        <div key={name}>
          <p class="facet-title">{name}</p>
          <ul class="facet">
            {operations.map(({ id, method, summary }) => (
              <li key={id}>
                <a href={to.id(id)}>
                  <span>{summary ?? id}</span>
                  <span class={`verb verb-${method}`}>{method}</span>
                </a>
              </li>
            ))}
          </ul>
        </div>
      ))}
      <p class="facet-title">More</p>
      <ul class="facet">
        <li>
          <a href="#headers">Headers</a>
        </li>
        <li>
          <a href="#events">Events</a>
        </li>
        <li>
          <a href="#errors">Errors</a>
        </li>
        {Object.keys(document.components.schemas).map((name) => (
          <li key={name}>
            <a href={to.id(`schema-${name}`)}>{name}</a>
          </li>
        ))}
      </ul>
    </nav>
  </details>
);

const Start = ({ frame, document }: { frame: Frame; document: ApiDocument }) => (
  <section>
    {document.info.description !== undefined && (
      <p class="lede">
        <Prose text={document.info.description} />
      </p>
    )}
    <dl class="facts facts-line">
      <div>
        <dt>Base URL</dt>
        <dd class="mono">{frame.baseUrl}</dd>
      </div>
      <div>
        <dt>Version</dt>
        <dd>{document.info.version}</dd>
      </div>
      <div>
        <dt>Specification</dt>
        <dd>
          <a href="/api/openapi.json">OpenAPI 3.1</a>
        </dd>
      </div>
      <div>
        <dt>
          <a href="/server.json">MCP server</a> for agents
        </dt>
        <dd class="mono">{frame.baseUrl}/mcp</dd>
      </div>
    </dl>
    <h2 id="start">Start</h2>
    <Snippet label="List bots with curl" code={`curl -sS '${frame.baseUrl}/api/bots?limit=10'`} />
    <Snippet label="Install the SDK" code="npm install @bot-directory/sdk" />
    <Snippet
      label="List bots with the SDK"
      code={`import { createClient } from '@bot-directory/sdk';\n\nconst directory = createClient({ baseUrl: '${frame.baseUrl}' });\nconst bots = await directory.bots.list({ limit: 10 });`}
    />
  </section>
);

const Headers = ({ groups }: { groups: readonly Group[] }) => (
  <section>
    <h2 id="headers">Headers</h2>
    <p>
      Every origin may read these. Each response also has its own <code>X-Request-Id</code>.
    </p>
    <div class="table" role="region" aria-label="Response headers" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Header</th>
            <th scope="col">Meaning</th>
          </tr>
        </thead>
        <tbody>
          {headersOf(groups).map(([name, meaning]) => (
            <tr key={name}>
              <th scope="row">
                <code>{name}</code>
              </th>
              <td>
                <Prose text={meaning} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </section>
);

const Events = ({ document }: { document: ApiDocument }) => (
  <section>
    <h2 id="events">Events</h2>
    <p>
      Each of these is sent to webhooks as a POST; <a href="/webhooks">the guide</a> explains how to register, verify
      and respond.
    </p>
    <ul>
      {Object.entries(document.webhooks ?? {}).flatMap(([name, item]) =>
        Object.values(item).map((operation) => (
          <li key={name}>
            <code>{name}</code>: <Prose text={operation.description ?? operation.summary ?? ''} />{' '}
            <TypeWords schema={schemaIn(operation.requestBody)} />
          </li>
        )),
      )}
    </ul>
  </section>
);

const Errors = ({ problems }: { problems: DocsView['problems'] }) => (
  <section>
    <h2 id="errors">Errors</h2>
    <p>
      Every error is <code>application/problem+json</code> (RFC 9457) with a stable <code>code</code>.
    </p>
    <div class="table" role="region" aria-label="Error codes" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Code</th>
            <th scope="col">Status</th>
            <th scope="col">Meaning</th>
          </tr>
        </thead>
        <tbody>
          {problems.map(({ code, status, meaning }) => (
            <tr key={code}>
              <th scope="row">
                <a href={to.problem(code)}>
                  <code>{code}</code>
                </a>
              </th>
              <td>{status}</td>
              <td>
                <Prose text={meaning} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </section>
);
