/** What an error code means, and what to do about it. */
import { Layout } from '../parts/layout.tsx';
import { Prose, Snippet } from '../parts/snippet.tsx';
import type { Frame, ProblemView } from '../views.ts';

/** Advice by class of the status. */
const advice = (status: number): string => {
  if (status === 429) return 'Wait as many seconds as `Retry-After` says, then send the same request again.';
  if (status === 409) return 'It is done already: take the answer for a success. Sending it again changes nothing.';
  if (status === 410) return 'It will not come back. Drop it wherever it is kept.';
  if (status >= 500)
    return 'Nothing is wrong with the request. Send it again later, after `Retry-After` where it is given.';
  return 'Sending the same request again gives the same answer. `detail` and `errors` say what to change.';
};

/** The page that a problem's `type` links to. */
export const ProblemPage = ({ frame, view: { problem } }: { frame: Frame; view: ProblemView }) => (
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
        <Prose text={advice(problem.status)} />
      </p>
      <h2>How it looks</h2>
      <Snippet
        label="The answer's body"
        code={JSON.stringify(
          {
            type: `${frame.baseUrl}/problems/${problem.code}`,
            title: problem.title,
            status: problem.status,
            detail: '…',
            code: problem.code,
            request_id: 'req_…',
          },
          undefined,
          2,
        )}
      />
    </div>
  </Layout>
);
