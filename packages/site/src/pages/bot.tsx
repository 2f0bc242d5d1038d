/** One bot: what it does, what it works with, and the way to install it. */
import type { Bot, Post } from '@bot-directory/contract';
import { Alert } from '../parts/alert.tsx';
import { Cards } from '../parts/card.tsx';
import { Chips } from '../parts/chips.tsx';
import { to } from '../parts/href.ts';
import { Layout } from '../parts/layout.tsx';
import { Outside } from '../parts/outside.tsx';
import { Snippet } from '../parts/snippet.tsx';
import { Tile } from '../parts/tile.tsx';
import { date, handleOf } from '../parts/words.ts';
import type { BotView, Frame } from '../views.ts';
import { BotData } from './bot-data.tsx';
import { Panel } from './bot-panel.tsx';

/** The page. With a refused report it has no URL of its own. */
export const BotPage = ({ frame, view: { bot, posts, related, report } }: { frame: Frame; view: BotView }) => {
  const isRefused = report !== undefined && (report.form.errors.length > 0 || report.form.problem !== undefined);
  return (
    <Layout
      frame={frame}
      title={isRefused ? `Error: report ${bot.name}` : bot.name}
      description={bot.description || `${bot.name}, a bot in ${frame.name}.`}
      path={isRefused ? undefined : to.bot(bot.slug)}
      head={<BotData frame={frame} bot={bot} />}
    >
      <Crumbs bot={bot} />
      <Notes />
      <div class="bot">
        <BotHead bot={bot} />
        <Panel frame={frame} bot={bot} report={report} />
        <BotBody frame={frame} bot={bot} posts={posts} />
      </div>
      {related.length > 0 && (
        <section class="related">
          <h2>More like this</h2>
          <Cards bots={related} />
        </section>
      )}
    </Layout>
  );
};

const Crumbs = ({ bot }: { bot: Bot }) => {
  const [category] = bot.categories;
  return (
    <nav class="crumbs" aria-label="Breadcrumb">
      <ol>
        <li>
          <a href="/">Directory</a>
        </li>
        {category !== undefined && (
          <li>
            <a href={to.directory({ categories: [category] })}>{category}</a>
          </li>
        )}
      </ol>
    </nav>
  );
};

/** Messages for a redirect's fragment: shown by `:target`, so that the page has the same bytes for everybody. */
const Notes = () => (
  <>
    <div class="note" id="published">
      <Alert kind="success" title="Your bot is live">
        <p>Subscribers are being notified. Copy the link below to share it.</p>
      </Alert>
    </div>
    <div class="note" id="reported">
      <Alert kind="success" title="Report sent">
        <p>The operator will review it.</p>
      </Alert>
    </div>
  </>
);

const BotHead = ({ bot }: { bot: Bot }) => (
  <div class="bot-head">
    <Tile name={bot.name} slug={bot.slug} isBig />
    <div>
      <h1 dir="auto">{bot.name}</h1>
      <p class="byline">
        {bot.author === null ? (
          'Unknown author'
        ) : (
          <>
            by{' '}
            <a href={to.directory({ author: bot.author })} dir="auto">
              {bot.author}
            </a>
          </>
        )}
        {' · '}
        <time dateTime={bot.created_at}>{date(bot.created_at)}</time>
      </p>
    </div>
    <p class="lede" dir="auto">
      {bot.description || 'This template has no description.'}
    </p>
  </div>
);

const BotBody = ({ frame, bot, posts }: { frame: Frame; bot: Bot; posts: readonly Post[] }) => (
  <div class="bot-body">
    <section>
      <h2>Works with</h2>
      {bot.integrations.length === 0 ? (
        <p class="soft">No integrations listed.</p>
      ) : (
        <ul class="chips">
          <Chips integrations={bot.integrations} />
        </ul>
      )}
    </section>
    {bot.categories.length > 0 && (
      <section>
        <h2>Categories</h2>
        <ul class="chips">
          <Chips categories={bot.categories} />
        </ul>
      </section>
    )}
    {posts.length > 0 && (
      <section>
        <h2>In the showcase</h2>
        <ul class="bot-posts">
          {posts.map(({ id, url }) => (
            <li key={id}>
              <Outside url={url}>
                <bdi>@{handleOf(url)}</bdi>’s post{isAnnouncement(bot, url) && ' about this bot'}
              </Outside>
            </li>
          ))}
        </ul>
      </section>
    )}
    <section>
      <h2>Share</h2>
      <h3 class="label">Link</h3>
      <Snippet label="Link" code={bot.url} />
      <h3 class="label">Badge for a README</h3>
      <Snippet label="Badge for a README" code={`[![${markdownText(bot.name)}](${bot.url}/badge.svg)](${bot.url})`} />
      <h3 class="label">As JSON</h3>
      <Snippet label="As JSON" code={`curl -sS ${to.absolute(frame.baseUrl, to.apiBot(bot.slug))}`} />
    </section>
  </div>
);

/** A post is known by the number at its end, whichever handle its URL has. */
const isAnnouncement = ({ source_url: announcement }: Bot, url: string): boolean =>
  announcement?.split('/').pop() === url.split('/').pop();

const markdownText = (text: string): string => text.replace(/\p{Cf}/gu, '').replace(/[\\[\]`*_<>!|]/g, '\\$&');
