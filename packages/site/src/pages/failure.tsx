/** An error as a page: what is wrong, and where to go from here. */
import { SearchInput } from '../parts/field.tsx';
import { Layout } from '../parts/layout.tsx';
import { wait } from '../parts/words.ts';
import type { FailureView, Frame } from '../views.ts';

/** Titles for visitors rather than programs. */
const titles: Readonly<Record<string, string>> = {
  not_found: 'Page not found',
  bot_not_found: 'Bot not found',
  method_not_allowed: 'This page doesn’t accept that request',
  invalid_request: 'This link isn’t valid',
  rate_limited: 'Too many requests from your IP address',
  directory_unavailable: 'The directory can’t be loaded right now',
  store_unavailable: 'The directory can’t be reached right now',
  saving_not_configured: 'Read-only right now',
  internal_error: 'Something went wrong on our side',
  body_too_large: 'That’s too large',
};

/** The page. Search engines do not index it. */
export const FailurePage = ({ frame, view }: { frame: Frame; view: FailureView }) => {
  const title = titles[view.code] ?? 'Something went wrong';
  return (
    <Layout frame={frame} title={title} path={undefined}>
      <div class="text failure">
        <p class="status-code">{view.status}</p>
        <h1>{title}</h1>
        <p class="lede">{view.detail}</p>
        {view.errors.length > 0 && (
          <ul>
            {view.errors.map(({ pointer, detail }) => (
              <li key={pointer}>
                {pointer !== '' && <code>{pointer.replace(/^[?/]/, '')}</code>} {detail}
              </li>
            ))}
          </ul>
        )}
        {view.retryAfterSec !== undefined && <p>Try again {wait(view.retryAfterSec)}.</p>}
        {view.status === 404 && <SearchBox words={view.words} />}
        <p class="failure-ways">
          {
            <a class="button quiet" href="/">
              Go to the directory
            </a>
          }
        </p>
        <p class="fine">
          Request <span class="mono">{view.requestId}</span>
        </p>
      </div>
    </Layout>
  );
};

const SearchBox = ({ words }: { words: string }) => (
  <form class="search" role="search" action="/" method="get">
    <SearchInput value={words} />
    <button class="button" type="submit">
      Search
    </button>
  </form>
);
