/** How to subscribe to new bots: what is sent, how to verify it, and three forms about a URL. */
import { to } from '../parts/href.ts';
import { Layout } from '../parts/layout.tsx';
import { Snippet } from '../parts/snippet.tsx';
import { Alert } from '../parts/alert.tsx';
import { duration } from '../parts/words.ts';
import type { Frame, WebhooksView } from '../views.ts';
import { WebhookForms } from './webhook-forms.tsx';
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
        <h1>Get notified of every new bot</h1>
        <p class="lede">
          Enter an HTTPS URL. We ping it, then POST each new bot to it within seconds: signed, in order, and at least
          once.
        </p>
      </div>
      {frame.submissions !== 'closed' ? (
        <WebhookForms view={view} />
      ) : (
        <Alert kind="warning" title="Registration is closed right now." />
      )}
      <div class="text">
        <WhatArrives view={view} />
        <Verify frame={frame} />
        <WithoutServer frame={frame} />
      </div>
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

const WhatArrives = ({ view }: Pick<Props, 'view'>) => {
  const wholeMs = view.retryDelaysMs.reduce((sum, delay) => sum + delay, 0);
  const attempts = view.retryDelaysMs.length + 1;
  return (
    <section>
      <h2 id="what-arrives">What you receive</h2>
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
      <h3 id="retries">If a delivery fails</h3>
      <p>
        Respond with a 2xx status within {duration(view.timeoutMs)}. Anything else is a failure, and we retry after{' '}
        {view.retryDelaysMs.map(duration).join(', ')}: {attempts} attempts in about {duration(wholeMs)}. Later events
        wait in order. After {attempts} failures in a row we stop calling the URL; register it again to resume where it
        left off. An event that your endpoint refuses while it accepts later ones is skipped after a while.
      </p>
      <p>
        <a href="/docs/subscribing">How to test, run and move a subscriber</a>
      </p>
    </section>
  );
};

const Verify = ({ frame }: { frame: Frame }) => (
  <section>
    <h2 id="verify">Verify deliveries</h2>
    <p>
      Deliveries are signed with ed25519, so you need no secret. The public keys are at{' '}
      <a href="/api/webhooks/keys">/api/webhooks/keys</a>; the receiver package fetches them by itself:
    </p>
    <Snippet label="With the receiver package" code={receiverCode(frame.baseUrl)} />
    <details>
      <summary>Without the package</summary>
      <Snippet label="Without the package" code={verifyByHand(frame.baseUrl)} />
    </details>
  </section>
);

const WithoutServer = ({ frame }: { frame: Frame }) => (
  <section>
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
