/** One bot: what it does, what it works with, and the way to install it. */
import { Fragment } from 'preact';
import type { Bot } from '@bot-directory/contract';
import { Alert } from '../parts/alert.tsx';
import { Cards, shownIn } from '../parts/card.tsx';
import { Chips } from '../parts/chips.tsx';
import { Fold } from '../parts/fold.tsx';
import { to } from '../parts/href.ts';
import { Icon } from '../parts/icon.tsx';
import { Layout } from '../parts/layout.tsx';
import { Marked, Sprite } from '../parts/integration.tsx';
import { Outside } from '../parts/outside.tsx';
import { Snippet } from '../parts/snippet.tsx';
import { Tile } from '../parts/tile.tsx';
import { date, handleOf, postName } from '../parts/words.ts';
import type { BotForm, BotView, Frame } from '../views.ts';
import { BotData } from './bot-data.tsx';
import { Improve, Report } from './bot-forms.tsx';
import { Panel } from './bot-panel.tsx';

const titles: Readonly<Record<BotForm, (name: string) => string>> = {
  reports: (name) => `Error: report ${name}`,
  integrations: (name) => `Error: add an integration to ${name}`,
  refresh: (name) => `Error: refresh ${name}`,
};

/** The page. With a refused form it has no URL of its own. */
export const BotPage = ({ frame, view }: { frame: Frame; view: BotView }) => {
  const { bot, related, forms } = view;
  return (
    <Layout
      frame={frame}
      title={forms?.refused === undefined ? bot.name : titles[forms.refused.name](bot.name)}
      description={bot.description || `${bot.name}, a bot in ${frame.name}.`}
      path={forms?.refused === undefined ? to.bot(bot.slug) : undefined}
      head={<BotData frame={frame} bot={bot} />}
      picture={{ path: to.picture(bot.slug), alt: bot.author === null ? bot.name : `${bot.name} by ${bot.author}` }}
    >
      <Crumbs bot={bot} />
      <Notes bot={bot} />
      <Marked of={[...bot.integrations, ...shownIn(related)]}>
        <Sprite />
        <div class="bot">
          <BotHead view={view} />
          <Panel frame={frame} view={view} />
          <Posts view={view} />
          <div class="bot-rest">
            {related.length > 0 && (
              <section>
                <h2>More like this</h2>
                <Cards bots={related} />
              </section>
            )}
            <Maintenance frame={frame} view={view} />
          </div>
        </div>
      </Marked>
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
const Notes = ({ bot }: { bot: Bot }) => (
  <>
    <div class="note" id="published">
      <Alert kind="success" title="Your bot is live">
        <p>Subscribers are being notified. Share its link:</p>
        <Snippet label="Link of this bot" code={bot.url} />
      </Alert>
    </div>
    <div class="note" id="reported">
      <Alert kind="success" title="Report sent">
        <p>The operator will review it.</p>
      </Alert>
    </div>
    <div class="note" id="added">
      <Alert kind="success" title="Integration added" />
    </div>
    <div class="note" id="refreshed">
      <Alert kind="success" title="Template checked">
        <p>This page has what the template says now.</p>
      </Alert>
    </div>
  </>
);

const BotHead = ({ view: { bot, namesakes } }: { view: BotView }) => (
  <div class="bot-head">
    <Tile name={bot.name} slug={bot.slug} isBig />
    <div>
      <h1 dir="auto">{bot.name}</h1>
      <p class="byline">
        <Author bot={bot} />
      </p>
      {namesakes.length > 0 && <Namesakes bots={namesakes} />}
    </div>
    <p class="lede" dir="auto">
      {bot.description || 'This template has no description.'}
    </p>
    <section class="needs">
      <h2>You will need</h2>
      {bot.integrations.length === 0 ? (
        <p class="soft">No integrations listed.</p>
      ) : (
        <ul class="chips">
          <Chips integrations={bot.integrations} />
        </ul>
      )}
    </section>
  </div>
);

/** Anyone may type any handle, so one that the announcement also has is marked. */
const Author = ({ bot: { author, source_url: announcement } }: { bot: Bot }) => {
  if (author === null) return <>Unknown author</>;
  const isAnnouncer =
    announcement !== null && handleOf(announcement)?.toLowerCase() === author.replace(/^@/, '').toLowerCase();
  return (
    <>
      {isAnnouncer ? 'Announced by ' : 'Submitted as '}
      <a href={to.directory({ author })} dir="auto">
        {author}
      </a>
      {isAnnouncer && (
        <>
          {' '}
          <Icon name="check" />
          <span class="hidden">: the linked post names the same account</span>
        </>
      )}
    </>
  );
};

const Namesakes = ({ bots }: { bots: readonly Bot[] }) => (
  <p class="byline">
    Same name as{' '}
    {bots.map((other, i) => (
      <Fragment key={other.id}>
        {i > 0 && ', '}
        <a href={to.bot(other.slug)} dir="auto">
          {other.name}
        </a>
        {other.author !== null && <bdi> by {other.author}</bdi>}
        {`, listed ${date(other.created_at)}`}
      </Fragment>
    ))}
  </p>
);

/** Posts of the showcase about the bot. */
const Posts = ({ view: { bot, posts } }: { view: BotView }) => {
  if (posts.length === 0) return null;
  return (
    <section>
      <h2>In the showcase</h2>
      <ul class="bot-posts">
        {posts.map(({ id, url }) => (
          <li key={id}>
            <Outside url={url}>
              <bdi>{postName(url)}</bdi>
              {isAnnouncement(bot, url) && ' about this bot'}
            </Outside>
          </li>
        ))}
      </ul>
    </section>
  );
};

/** What only some visitors look for; closed, unless a form in it was refused. */
const Maintenance = ({ frame, view: { bot, forms } }: { frame: Frame; view: BotView }) => {
  const refused = forms?.refused?.name;
  return (
    <div>
      <Fold icon="link" title="Share">
        <Share label="Link" code={bot.url} />
        <Share label="Badge for a README" code={`[![${markdownText(bot.name)}](${bot.url}/badge.svg)](${bot.url})`} />
        <Share label="As JSON" code={`curl -sS ${to.absolute(frame.baseUrl, to.apiBot(bot.slug))}`} />
      </Fold>
      {forms !== undefined && (
        <>
          <Fold icon="plus" title="Keep it up to date" isOpen={refused === 'integrations' || refused === 'refresh'}>
            <Improve frame={frame} bot={bot} forms={forms} />
          </Fold>
          <Fold icon="flag" title="Report this bot" id="reports" isOpen={refused === 'reports'}>
            <p>
              Is it yours? <a href="/corrections">Correct or remove this listing</a>.
            </p>
            <Report slug={bot.slug} forms={forms} />
          </Fold>
        </>
      )}
    </div>
  );
};

const Share = ({ label, code }: { label: string; code: string }) => (
  <div>
    <h3 class="label">{label}</h3>
    <Snippet label={label} code={code} />
  </div>
);

/** Identifies a post by the number at the end of its URL, which may have any handle. */
const isAnnouncement = ({ source_url: announcement }: Bot, url: string): boolean =>
  announcement?.split('/').pop() === url.split('/').pop();

const markdownText = (text: string): string => text.replace(/\p{Cf}/gu, '').replace(/[\\[\]`*_<>!|]/g, '\\$&');
