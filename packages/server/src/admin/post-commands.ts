/** The operator's commands about showcase posts: which of them a command is about, and what it does to them. */
import type { PostId } from '../base/ids.ts';
import { handleOf, parseStatusUrl, type SocialHosts } from '../domain/links.ts';
import { mayFollow, type Moderation } from '../domain/moderation.ts';
import { postStates, type OperatorPost, type OperatorPosts, type PostState } from '../store/posts/post-store.ts';
import type { BotDeps } from './edit-bot.ts';
import { moderate } from './moderate.ts';
import { CommandError, instant, reasonFrom, isBy, markShown, showList, type Shown } from './terminal.ts';

type PostDeps = Pick<BotDeps, 'social' | 'moderation' | 'operator' | 'terminal'> & { readonly posts: OperatorPosts };

type Narrowing = { readonly author?: readonly string[]; readonly client?: readonly string[] };
type ListedPosts = Narrowing & Shown & { readonly state?: readonly PostState[] };

export const postCommands = (deps: PostDeps) => {
  const { posts, social, terminal } = deps;
  const change =
    (action: Moderation) =>
    async (
      names: readonly string[],
      { reason: raw, ...narrowing }: Narrowing & { readonly reason: string },
    ): Promise<void> => {
      if (names.length === 0 && Object.keys(narrowing).length === 0)
        throw new CommandError('Name posts, or select them by --author or --client.');
      const selected = [...(await namedPosts(posts, social, names)), ...(await narrowed(posts, narrowing))];
      const ids = [...new Set(selected.filter(({ state }) => mayFollow(action, state)).map(({ id }) => id))];
      await moderate(deps, action, { kind: 'post', ids, names: ids, reason: reasonFrom(raw) });
    };
  return {
    listPosts: async ({ state = postStates, limit, all, ...narrowing }: ListedPosts): Promise<void> => {
      const fits = matcher(narrowing);
      async function* rows() {
        for await (const post of posts.scan())
          if (state.includes(post.state) && fits(post))
            yield { ...toRow(post), client: terminal.json ? post.client : markShown(post.client) };
      }
      await showList(terminal, rows(), { limit, all, empty: 'No post matches.' });
    },
    hidePosts: change('hide'),
    removePosts: change('remove'),
    restorePosts: change('restore'),
  };
};

const toRow = ({ id, url, state, reason, changedAtMs }: OperatorPost) => ({
  id,
  state,
  url,
  changed: instant(changedAtMs),
  reason,
});

/** Posts by their ids or URLs. Throws CommandError if there is no such post. */
export const namedPosts = (
  posts: OperatorPosts,
  social: SocialHosts,
  names: readonly string[],
): Promise<OperatorPost[]> =>
  Promise.all(
    names.map(async (name) => {
      const status = parseStatusUrl(name, social);
      const id = status.ok ? await posts.idOfStatus(status.value.statusId) : (name as PostId);
      const post = id === undefined ? undefined : await posts.read(id);
      if (post === undefined) throw new CommandError(`No post has the id or URL ${name}; nothing was changed.`);
      return post;
    }),
  );

const narrowed = async (posts: OperatorPosts, narrowing: Narrowing): Promise<OperatorPost[]> => {
  const fits = matcher(narrowing);
  const found: OperatorPost[] = [];
  if (Object.keys(narrowing).length > 0) for await (const post of posts.scan()) if (fits(post)) found.push(post);
  return found;
};

const matcher = ({ author, client }: Narrowing): ((post: OperatorPost) => boolean) => {
  const handles = author && new Set(author.map((one) => one.replace(/^@/, '').toLowerCase()));
  return (post) =>
    (handles === undefined || handles.has(handleOf(post.url).toLowerCase())) && isBy(client, post.client);
};

/** A post is named by its id or URL, and a bot by its slug. */
export const isPostName = (name: string): boolean => /^post_|[/:]/.test(name);
