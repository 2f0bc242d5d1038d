/** How to subscribe to new bots: where they should go, a form for each URL, and what a service of one's own gets. */
import { to } from '../parts/href.ts';
import { Layout } from '../parts/layout.tsx';
import { Snippet } from '../parts/snippet.tsx';
import { Alert } from '../parts/alert.tsx';
import { duration } from '../parts/words.ts';
import type { Frame, WebhooksView } from '../views.ts';
import { RegisteredForm, RegisterForm } from './webhook-forms.tsx';
import { Result } from './webhook-result.tsx';
import { receiverCode, verifyByHand } from './webhook-samples.ts';

type Props = { readonly frame: Frame; readonly view: WebhooksView };

/** The page. */
export const WebhooksPage = ({ frame, view }: Props) => {
  const isRefused = view.form.errors.length > 0 || view.form.problem !== undefined;
  const isAnswer = isRefused || view.result !== undefined;
  return (
    <Layout
      frame={frame}
      title={isRefused ? 'Error: Webhooks' : 'Webhooks'}
      description="Register an HTTPS URL and we POST every new bot to it, signed."
      path={isAnswer ? undefined : '/webhooks'}
      section="webhooks"
      head={<script defer src={to.asset(frame.assets.formsScript)} />}
    >
      <div class="text">
        <h1>Get every new bot where you work</h1>
        <p class="lede">Choose where. We check the address, then send each new bot within seconds, in order.</p>
      </div>
      {frame.submissions !== 'closed' ? (
        <div id="forms">
          {view.result !== undefined && <Result result={view.result} />}
          <div class="form-and-notes">
            <RegisterForm view={view} />
            <div class="notes">
              <RegisteredForm view={view} />
              <Failing view={view} />
              <WithoutServer frame={frame} />
            </div>
          </div>
        </div>
      ) : (
        <Alert kind="warning" title="Registration is closed right now." />
      )}
      <section class="letter">
        <h2 id="own-service">Your own service</h2>
        <div class="row">
          <WhatArrives view={view} />
          <Verify frame={frame} />
        </div>
      </section>
    </Layout>
  );
};

const headers: readonly [name: string, value: string][] = [
  ['Content-Type', 'application/json'],
  ['User-Agent', 'Service-Webhook/1.0'],
  ['X-Service-Event', 'the envelope’s type'],
  ['X-Service-Delivery', 'new for every attempt'],
  ['webhook-id', 'the envelope’s id, the same in every attempt'],
  ['webhook-timestamp', 'seconds since 1970'],
  ['webhook-signature', 'v1a,… over id.timestamp.body'],
];

const WhatArrives = ({ view }: Pick<Props, 'view'>) => (
  <section class="prose">
    <h3 id="what-arrives">What you receive</h3>
    <Snippet label="A new bot as JSON" code={view.samples.json} />
    <details>
      <summary>As a CloudEvent</summary>
      <Snippet label="A new bot as a CloudEvent" code={view.samples.cloudEvent} />
    </details>
    <div class="table" role="region" aria-label="Headers of a delivery" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Header</th>
            <th scope="col">Value</th>
          </tr>
        </thead>
        <tbody>
          {headers.map(([name, value]) => (
            <tr key={name}>
              <th scope="row">
                <code>{name}</code>
              </th>
              <td>{value}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </section>
);

/** What follows a delivery that fails, of any format. */
const Failing = ({ view: { retryDelaysMs, timeoutMs } }: Pick<Props, 'view'>) => {
  const wholeMs = retryDelaysMs.reduce((sum, delay) => sum + delay, 0);
  const attempts = retryDelaysMs.length + 1;
  return (
    <section class="prose">
      <h2 id="retries">If a delivery fails</h2>
      <p>
        A 2xx status within {duration(timeoutMs)} accepts it. Anything else is a failure, and we retry after{' '}
        {retryDelaysMs.map(duration).join(', ')}: {attempts} attempts in about {duration(wholeMs)}. Later events wait in
        order. After {attempts} failures in a row we stop calling the URL; register it again to resume where it left
        off. An event that the URL refuses while it accepts later ones is skipped after a while.
      </p>
    </section>
  );
};

const Verify = ({ frame }: { frame: Frame }) => (
  <section class="prose">
    <h3 id="verify">Verify deliveries</h3>
    <p>
      Deliveries are signed with ed25519, so you need no secret. The public keys are at{' '}
      <a href="/api/webhooks/keys">/api/webhooks/keys</a>; the receiver package fetches them by itself:
    </p>
    <Snippet label="With the receiver package" code={receiverCode(frame.baseUrl)} />
    <details>
      <summary>Without the package</summary>
      <Snippet label="Without the package" code={verifyByHand(frame.baseUrl)} />
    </details>
    <p>
      <a href="/docs/subscribing">How to test, run and move a subscriber</a>
    </p>
  </section>
);

const WithoutServer = ({ frame }: { frame: Frame }) => (
  <section class="prose">
    <h2 id="no-server">No server?</h2>
    <ul>
      <li>
        <a href="/bots.atom">Atom</a> or <a href="/bots.json">JSON Feed</a>, for a feed reader
      </li>
      <li>
        <a href="/docs#listEvents">GET /api/events</a>, to catch up from where you left off
      </li>
      <li>
        <a href="/docs#streamEvents">GET /api/events/stream</a>, Server-Sent Events:
      </li>
    </ul>
    <Snippet label="Stream events with curl" code={`curl -sSN ${frame.baseUrl}/api/events/stream`} />
  </section>
);
