/** The API reference, made from the OpenAPI document: complete without a script. */
import { Layout } from '../parts/layout.tsx';
import { Prose } from '../parts/snippet.tsx';
import { to } from '../parts/href.ts';
import { asDocument, type ApiDocument } from '../docs/document.ts';
import { groupsOf, headersOf, schemaIn, sharedErrors, type ErrorOf, type Group } from '../docs/model.ts';
import type { DocsView, Frame } from '../views.ts';
import { Code, ErrorExample, OperationSection, SchemaSection, TypeWords } from './docs-sections.tsx';

type Props = { readonly frame: Frame; readonly view: DocsView };

/** The page. */
export const DocsPage = ({ frame, view }: Props) => {
  const document = asDocument(view.document);
  const groups = groupsOf(document);
  const shared = sharedErrors(groups);
  const codes = new Set(shared.map(({ code }) => code));
  return (
    <Layout
      frame={frame}
      title="API reference"
      description="Every operation of the directory’s API: no key, every origin allowed, errors as problem+json."
      path="/docs"
      section="docs"
      head={
        <>
          <link rel="stylesheet" href={to.asset(frame.assets.docsStyles)} />
          <script defer src={to.asset(frame.assets.docsScript)} />
        </>
      }
    >
      <div class="docs">
        <Contents document={document} groups={groups} />
        <div class="docs-body">
          <h1>API reference</h1>
          <Start frame={frame} document={document} />
          {groups.map(({ name, operations }) => (
            <section key={name} class="docs-group">
              <h2 class="docs-group-name">{name}</h2>
              {operations.map((operation) => (
                <OperationSection key={operation.id} frame={frame} operation={operation} shared={codes} />
              ))}
            </section>
          ))}
          <Any shared={shared} />
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
      <input class="docs-filter" type="search" aria-label="Filter" placeholder="Filter" data-filter />
      {groups.map(({ name, operations }) => (
        <>
          <p class="facet-title">{name}</p>
          <ul class="facet">
            {operations.map(({ id, method, summary }) => (
              <li key={id}>
                <a href={to.id(id)}>
                  {summary ?? id}
                  <span class={`verb verb-${method}`}>{method}</span>
                </a>
              </li>
            ))}
          </ul>
        </>
      ))}
      <p class="facet-title">More</p>
      <ul class="facet">
        <li>
          <a href="#any">Every operation</a>
        </li>
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
    <Code label="Install the SDK" code="npm install @bot-directory/sdk" />
    <Code
      label="List bots with the SDK"
      code={`import { createClient } from '@bot-directory/sdk';\n\nconst directory = createClient({ baseUrl: '${frame.baseUrl}' });\nconst bots = await directory.bots.list({ limit: 10 });`}
    />
  </section>
);

/** The responses of every operation, shown once. */
const Any = ({ shared }: { shared: readonly ErrorOf[] }) => (
  <section>
    <h2 id="any">Responses of every operation</h2>
    <p>
      A GET with <code>If-None-Match</code> gets <span class="status status-2">304</span>, without a body, if nothing
      has changed. Most operations share these errors:
    </p>
    {shared.map((error) => (
      <ErrorExample key={error.code} error={error} />
    ))}
  </section>
);

const Headers = ({ groups }: { groups: readonly Group[] }) => (
  <section>
    <h2 id="headers">Headers</h2>
    <p>
      Every origin may read these. Each response also has its own <code>X-Request-Id</code>.
    </p>
    <dl class="rows">
      {headersOf(groups).map(([name, meaning]) => (
        <>
          <dt>
            <code>{name}</code>
          </dt>
          <dd>
            <Prose text={meaning} />
          </dd>
        </>
      ))}
    </dl>
  </section>
);

const Events = ({ document }: { document: ApiDocument }) => (
  <section>
    <h2 id="events">Events</h2>
    <p>
      <a href="/webhooks">Webhooks</a> get each as a POST.
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
    <dl class="rows">
      {problems.map(({ code, status, meaning }) => (
        <>
          <dt>
            {status} <a href={to.problem(code)}>{code}</a>
          </dt>
          <dd>
            <Prose text={meaning} />
          </dd>
        </>
      ))}
    </dl>
  </section>
);
