/**
 * The showcase: posts about bots, and the form that adds one. Posts are linked, not embedded: nothing is loaded from
 * other sites.
 */
import { limits } from '@bot-directory/contract/limits';
import { showcaseFeeds } from '../feeds/feed.ts';
import { Alert } from '../parts/alert.tsx';
import { Cover, Face } from '../parts/cover.tsx';
import { Field, FormAlert, novalidate } from '../parts/field.tsx';
import { to } from '../parts/href.ts';
import { Layout } from '../parts/layout.tsx';
import { Fold } from '../parts/fold.tsx';
import { Outside } from '../parts/outside.tsx';
import { Pager, rangeOf } from '../parts/pager.tsx';
import { When } from '../parts/when.tsx';
import { count, handleOf, postName } from '../parts/words.ts';
import { reasonFields, ReportFields } from './bot-forms.tsx';
import type { FormState, Frame, ShowcasePost, ShowcaseView } from '../views.ts';

/** The page. */
export const ShowcasePage = ({ frame, view }: { frame: Frame; view: ShowcaseView }) => {
  const isRefused = isRefusal(view.form) || isRefusal(view.report);
  return (
    <Layout
      frame={frame}
      title={isRefused ? 'Error: Showcase' : titleOf(view)}
      description="Posts that show bots from this directory at work."
      path={isRefused || !view.isFirstPage ? undefined : '/feed'}
      section="showcase"
      feeds={showcaseFeeds(frame)}
    >
      <div class="stack">
        <div class="text">
          <h1>Showcase</h1>
          <p class="lede">Posts that show bots at work.</p>
        </div>
        {frame.submissions !== 'closed' ? (
          <AddPost frame={frame} view={view} />
        ) : (
          <Alert kind="warning" title="Submissions are closed right now." />
        )}
        <Posts frame={frame} view={view} />
        {frame.submissions !== 'closed' && <ReportPost frame={frame} view={view} />}
      </div>
    </Layout>
  );
};

const isRefusal = ({ errors, problem }: FormState): boolean => errors.length > 0 || problem !== undefined;

/** Each page has a title of its own. */
const titleOf = (view: ShowcaseView): string => {
  const range = view.isFirstPage ? undefined : rangeOf({ ...view, shown: view.posts.length });
  return range === undefined ? 'Showcase' : `Showcase, ${range}`;
};

const AddPost = ({ frame, view: { form } }: { frame: Frame; view: ShowcaseView }) => (
  <form class="form form-line" method="post" action="/feed" {...novalidate(form)}>
    <FormAlert form={form} fields={[{ name: 'url', label: 'Link to a post' }]} />
    <Field
      form={form}
      name="url"
      type="url"
      label="Link to a post"
      isRequired
      maxLength={limits.urlLength}
      autocomplete="url"
      hint={
        <>
          A post on {frame.socialHost}, for example <code>https://{frame.socialHost}/ada/status/…</code>
        </>
      }
    />
    <button class="button" type="submit">
      Add a post
    </button>
  </form>
);

/** Closed, unless it was refused. */
const ReportPost = ({ frame, view: { report, reasons } }: { frame: Frame; view: ShowcaseView }) => (
  <Fold icon="flag" title="Report a post" id="report" isOpen={isRefusal(report)}>
    <form method="post" action="/feed/reports#report" class="form" {...novalidate(report)}>
      <FormAlert form={report} fields={[{ name: 'url', id: 'reported', label: 'Link to the post' }, ...reasonFields]} />
      <Field
        form={report}
        name="url"
        id="reported"
        type="url"
        label="Link to the post"
        isRequired
        maxLength={limits.urlLength}
        hint={`Its address on ${frame.socialHost}, as in the list.`}
      />
      <ReportFields form={report} reasons={reasons} />
      <button class="button quiet" type="submit">
        Send report
      </button>
    </form>
  </Fold>
);

const Posts = ({ frame, view }: { frame: Frame; view: ShowcaseView }) => (
  <div>
    <div class="note" id="added">
      <Alert kind="success" title="Post added" />
    </div>
    <div class="note" id="sent">
      <Alert kind="success" title="Report sent">
        <p>The operator will review it.</p>
      </Alert>
    </div>
    <div class="bar">
      <h2>{view.isFirstPage ? 'Newest posts' : 'Older posts'}</h2>
      <p class="bar-count">{rangeOf({ ...view, shown: view.posts.length }) ?? count(view.total, 'post')}</p>
    </div>
    {view.posts.length === 0 ? (
      <p class="blank">No posts yet. Add the first one.</p>
    ) : (
      <ol class="cards">
        {view.posts.map((post) => (
          <PostItem key={post.id} frame={frame} post={post} />
        ))}
      </ol>
    )}
    <Pager
      previous={view.isFirstPage ? undefined : to.showcase(view.previous)}
      next={view.next === undefined ? undefined : to.showcase(view.next)}
    />
  </div>
);

/** A post, led by the first bot that it shows, otherwise by its author. */
const PostItem = ({ frame, post }: { frame: Frame; post: ShowcasePost }) => {
  const { id, url, addedAt, bots, isByAuthor } = post;
  const [first, ...others] = bots;
  const handle = handleOf(url);
  const author = handle === undefined ? undefined : `@${handle}`;
  return (
    <li class="card" id={id}>
      <div class="card-head">
        {first === undefined ? <Face of={handle ?? ''} /> : <Cover of={first.slug} name={first.name} />}
        <div>
          <h3 class="card-name" dir="auto">
            {first === undefined ? (author ?? 'A post') : <a href={to.bot(first.slug)}>{first.name}</a>}
          </h3>
          {first !== undefined && author !== undefined && (
            <p class="card-author">
              shown by <bdi>{author}</bdi>
            </p>
          )}
        </div>
      </div>
      {others.map(({ slug, name }) => (
        <p key={slug} class="card-text">
          Also shows{' '}
          <a href={to.bot(slug)} dir="auto">
            {name}
          </a>
        </p>
      ))}
      {first === undefined && isByAuthor && author !== undefined && (
        <p class="card-text">
          <a href={to.directory({ author })}>Bots by {author}</a>
        </p>
      )}
      <p class="card-facts">
        <Outside url={url}>
          Read on {frame.socialHost}
          <span class="hidden">: {postName(url)}</span>
        </Outside>
        <When at={addedAt} />
      </p>
    </li>
  );
};
