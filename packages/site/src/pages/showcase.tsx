/**
 * The showcase: posts about bots, and the form that adds one. Posts are linked, not embedded: nothing is loaded from
 * other sites.
 */
import { limits } from '@bot-directory/contract/limits';
import { Alert } from '../parts/alert.tsx';
import { Field, FormAlert, novalidate } from '../parts/field.tsx';
import { to } from '../parts/href.ts';
import { Layout } from '../parts/layout.tsx';
import { Outside } from '../parts/outside.tsx';
import { Pager } from '../parts/pager.tsx';
import { Tile } from '../parts/tile.tsx';
import { count, date } from '../parts/words.ts';
import type { Frame, ShowcasePost, ShowcaseView } from '../views.ts';

/** The page. */
export const ShowcasePage = ({ frame, view }: { frame: Frame; view: ShowcaseView }) => {
  const isRefused = view.form.errors.length > 0 || view.form.problem !== undefined;
  return (
    <Layout
      frame={frame}
      title={isRefused ? 'Error: Showcase' : 'Showcase'}
      description="Posts that show bots of this directory at work."
      path={isRefused || !view.isFirstPage ? undefined : '/feed'}
      section="showcase"
    >
      <div class="text">
        <h1>Showcase</h1>
        <p class="lede">Posts that show bots at work.</p>
      </div>
      <div class="form-beside">
        {view.isOpen ? (
          <AddPost frame={frame} view={view} />
        ) : (
          <Alert kind="warning" title="This directory saves nothing now, so no post can be added." />
        )}
        <Posts view={view} />
      </div>
    </Layout>
  );
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
          A status on {frame.socialHost}: <code>https://{frame.socialHost}/ada/status/…</code>
        </>
      }
    />
    <button class="button" type="submit">
      Add a post
    </button>
  </form>
);

const Posts = ({ view }: { view: ShowcaseView }) => (
  <div>
    <div class="note" id="added">
      <Alert kind="success" title="Post added" />
    </div>
    <div class="bar">
      <h2>{view.isFirstPage ? 'Newest posts' : 'Older posts'}</h2>
      <p class="bar-count">{count(view.total, 'post')}</p>
    </div>
    {view.posts.length === 0 ? (
      <p class="blank">No post yet. Add the first one.</p>
    ) : (
      <ol class="posts">
        {view.posts.map((post) => (
          <PostItem key={post.id} post={post} />
        ))}
      </ol>
    )}
    <Pager
      older="Older posts"
      next={view.next === undefined ? undefined : to.showcase(view.next)}
      newest="Back to newest"
      first={view.isFirstPage ? undefined : '/feed'}
    />
  </div>
);

const PostItem = ({ post: { id, url, addedAt } }: { post: ShowcasePost }) => {
  const handle = handleOf(url);
  return (
    <li class="post">
      <Tile name={handle} slug={handle} />
      <p>
        <Outside url={url}>
          <span dir="auto">@{handle}</span>
        </Outside>
        <span class="post-url">{url.replace(/^https:\/\//, '')}</span>
      </p>
      <time dateTime={addedAt} id={id}>
        {date(addedAt)}
      </time>
    </li>
  );
};

const handleOf = (url: string): string => /^https:\/\/[^/]+\/([^/]+)\//.exec(url)?.[1] ?? '';
