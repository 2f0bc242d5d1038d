/** The result of a form about a webhook: shown on the response, and nowhere else. */
import { Alert } from '../parts/alert.tsx';
import { useNames } from '../parts/names.ts';
import { wishInWords, type Wish } from '../parts/wish.ts';
import { count, duration, time } from '../parts/words.ts';
import type { WebhookAction, WebhookResult } from '../views.ts';

const Words = ({ of: wish }: { of: Wish }) => {
  const nameOf = useNames();
  return <bdi>{wishInWords({ ...wish, integration: wish.integration.map((slug) => nameOf(slug)) })}</bdi>;
};

const formatNames: Readonly<Record<string, string>> = {
  '': 'JSON',
  slack: 'Slack',
  discord: 'Discord',
  teams: 'Teams',
  'google-chat': 'Google Chat',
  cloudevents: 'CloudEvents',
};

const formatName = (format: string): string => formatNames[format] ?? format;

type Status = Extract<WebhookResult, { of: 'status' }>;

const StatusFacts = ({ result }: { result: Status }) => (
  <dl class="facts">
    <div>
      <dt>We send it</dt>
      <dd>
        <Words of={result.wish} />, as {formatName(result.format ?? '')}
      </dd>
    </div>
    <div>
      <dt>Failures in a row</dt>
      <dd>{result.failures}</dd>
    </div>
    <div>
      <dt>Events waiting</dt>
      <dd>{count(result.pending, 'event')}</dd>
    </div>
    <div>
      <dt>Last failure</dt>
      <dd>{result.lastFailure ?? 'None'}</dd>
    </div>
    <div>
      <dt>Next attempt</dt>
      <dd>{result.nextAttemptAt === null ? 'None scheduled' : time(result.nextAttemptAt)}</dd>
    </div>
  </dl>
);

const Attempts = ({ result: { attempts } }: { result: Status }) => (
  <div class="table" role="region" aria-label="Last deliveries" tabIndex={0}>
    <table>
      <thead>
        <tr>
          <th scope="col">Last deliveries</th>
          <th scope="col">Response</th>
          <th scope="col">Took</th>
        </tr>
      </thead>
      <tbody>
        {attempts.map(({ at, result, durationMs }, i) => (
          <tr key={i}>
            <td>{time(at)}</td>
            <td>{result}</td>
            <td>{duration(durationMs)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

const registeredTitles: Readonly<Record<string, string>> = {
  replaced: 'Changed. Your endpoint responded to the ping.',
  resumed: 'It continues now. Your endpoint responded to the ping.',
};

/** One button about the URL of a result. */
const Button = ({ action, url, label }: { action: WebhookAction; url: string; label: string }) => (
  <form method="post" action="/webhooks#result">
    <input type="hidden" name="action" value={action} />
    <input type="hidden" name="url" value={url} />
    <button class="button quiet" type="submit">
      {label}
    </button>
  </form>
);

/** The response to a form, above both. */
export const Result = ({ result }: { result: WebhookResult }) => {
  if (result.of === 'register')
    return (
      <Alert
        id="result"
        kind="success"
        title={registeredTitles[result.outcome] ?? 'Registered. Your endpoint responded to the ping.'}
      >
        <p class="break">{result.url}</p>
        <p class="fine">
          Its id is <span class="mono">{result.id}</span>. We’ll send it <Words of={result.wish} /> from now on, as{' '}
          {formatName(result.format)}
          {result.hasSecret && ', signed with your secret too'}
          {result.hasHeaders && ', with your headers'}.
        </p>
      </Alert>
    );
  if (result.of === 'test')
    return (
      <Alert
        id="result"
        kind={result.isAccepted ? 'success' : 'error'}
        title={result.isAccepted ? 'Your endpoint accepted the ping' : 'The ping failed'}
      >
        <p class="break">{result.url}</p>
        <p>
          {result.detail} It took {duration(result.durationMs)}.
        </p>
      </Alert>
    );
  if (result.of === 'remove')
    return (
      <Alert id="result" kind="success" title="Removed. We no longer send to it.">
        <p class="break">{result.url}</p>
      </Alert>
    );
  const isActive = result.state === 'active';
  return (
    <Alert
      id="result"
      kind={isActive ? 'success' : 'warning'}
      title={isActive ? 'Active' : 'Stopped after ten failures in a row'}
    >
      <p class="break">{result.url}</p>
      <StatusFacts result={result} />
      {result.skipped.length > 0 && <p class="break">Skipped, since it refused them: {result.skipped.join(', ')}</p>}
      {result.attempts.length > 0 && <Attempts result={result} />}
      <div class="row">
        <Button action="test" url={result.url} label="Send a test ping" />
        {(!isActive || result.nextAttemptAt !== null) && (
          <Button action="resume" url={result.url} label="Ping it and continue now" />
        )}
      </div>
    </Alert>
  );
};
