/** What an error code means, and what to do about it. */
import type { ProblemCode } from '@bot-directory/contract';
import { Layout } from '../parts/layout.tsx';
import { Prose, Snippet } from '../parts/snippet.tsx';
import type { Frame, ProblemView } from '../views.ts';

const later = 'The request is fine. Send it again after `Retry-After` seconds; sending it twice does no harm.';

/** What to do about each code. */
const advice = {
  invalid_request: 'Change each field in `errors`: `pointer` names it, and `detail` says why it was refused.',
  unreadable_json: 'Send one JSON object, encoded in UTF-8.',
  too_many_integrations: 'Read the bot, and leave out integrations until the merged list fits.',
  webhook_ping_failed: 'Fix what `reason` names, then register the URL again.',
  malformed_request: 'Check the HTTP client, or the proxy in between. Open a new connection for the next request.',
  submission_blocked: 'Sending it again won’t help. If you think it is a mistake, write to the operator.',
  not_found: 'Check the path against the API reference.',
  bot_not_found: 'Look the bot up in the list. Slugs are lower case and never change.',
  post_not_found: 'Look the post up in the showcase, and send its URL.',
  template_not_found: 'Open the link in a browser. Once the template is public there, submit it again.',
  webhook_not_found: 'Send the URL exactly as it was registered. If it was removed, register it again.',
  event_not_found: 'Read the whole list once, then continue from the newest event.',
  method_not_allowed: 'Use one of the methods in the `Allow` header.',
  request_timeout: 'Send the request again on a new connection, without pauses.',
  bot_exists:
    'The bot is listed at `url`, or with `pending` will be once the operator approves it. Sending it again changes ' +
    'nothing. If `created_at` is later than your first attempt, that attempt succeeded and its response was lost. ' +
    'Otherwise somebody submitted the bot before you.',
  post_exists:
    'The post is in the feed, as `id`. A status is one post, whether an earlier attempt of yours added it or ' +
    'somebody else did: sending it again changes nothing.',
  webhook_exists:
    'The webhook is active, as `id`; the other members say what is registered. Nothing waits and nothing is new, so a ' +
    'program may register at every start.',
  bot_removed: 'The operator removed this bot, so it can’t be submitted again. Don’t treat it as published.',
  bot_gone: 'It will not come back. Remove it from your copies.',
  body_too_large: 'Send less. A submission needs only its link and a few names.',
  unsupported_media_type: 'Set `Content-Type: application/json` and send JSON.',
  expectation_failed: 'Leave the `Expect` header out.',
  rate_limited: 'Wait for the seconds in `Retry-After`, then send the same request again.',
  too_many_webhooks: 'Remove webhooks of this host that you no longer need, or share one among your services.',
  headers_too_large: 'Send fewer or shorter headers, and a shorter query.',
  internal_error: 'Try again later. If it persists, send the operator the `request_id`.',
  directory_unavailable: later,
  saving_not_configured: 'Reading works. The operator must configure a store before anything can be saved.',
  submissions_closed: later,
  store_unavailable: later,
  template_provider_unavailable: later,
} satisfies Record<ProblemCode, string>;

/** The page that a problem's `type` links to. */
export const ProblemPage = ({ frame, view: problem }: { frame: Frame; view: ProblemView }) => (
  <Layout
    frame={frame}
    title={problem.title}
    description={problem.meaning.replaceAll('`', '')}
    path={`/problems/${problem.code}`}
    section="docs"
  >
    <div class="text">
      <nav class="crumbs" aria-label="Breadcrumb">
        <ol>
          <li>
            <a href="/docs">API</a>
          </li>
          <li>
            <a href="/docs#errors">Errors</a>
          </li>
        </ol>
      </nav>
      <h1>{problem.title}</h1>
      <p class="lede">
        <Prose text={problem.meaning} />
      </p>
      <dl class="facts facts-line">
        <div>
          <dt>Code</dt>
          <dd class="mono">{problem.code}</dd>
        </div>
        <div>
          <dt>Status</dt>
          <dd>{problem.status}</dd>
        </div>
      </dl>
      <h2>What to do</h2>
      <p>
        <Prose text={advice[problem.code]} />
      </p>
      <h2>Example</h2>
      <Snippet label="The response body" code={JSON.stringify(problem.example, undefined, 2)} />
    </div>
  </Layout>
);
