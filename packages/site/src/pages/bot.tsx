/** One bot: what it does, what it works with, and the way to install it. */
import { Fragment } from 'preact';
import type { Bot } from '@bot-directory/contract';
import { Alert } from '../parts/alert.tsx';
import { Cards, CompactCards, shownIn } from '../parts/card.tsx';
import { CategoryLink, Chips } from '../parts/chips.tsx';
import { Cover, Face } from '../parts/cover.tsx';
import { Fold } from '../parts/fold.tsx';
import { Follow } from '../parts/follow.tsx';
import { everything, to } from '../parts/href.ts';
import { Icon } from '../parts/icon.tsx';
import { Layout } from '../parts/layout.tsx';
import { Marked, Sprite } from '../parts/integration.tsx';
import { Outside } from '../parts/outside.tsx';
import { Snippet } from '../parts/snippet.tsx';
import { When } from '../parts/when.tsx';
import { date, handleOf, hostOf, isSamePost, postName } from '../parts/words.ts';
import type { BotForm, BotView, DirectoryQuery, Frame } from '../views.ts';
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
  const { bot, related, others, forms } = view;
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
      <Notes />
      <Marked of={[...bot.integrations, ...shownIn(related)]}>
        <Sprite />
        <div class="bot">
          <BotHead frame={frame} view={view} />
          <Panel frame={frame} view={view} />
          <div class="stack">
            <HowTo frame={frame} bot={bot} />
            <Posts view={view} />
          </div>
          <div class="stack bot-more">
            {related.length > 0 && (
              <section>
                <h2>More like this</h2>
                <Cards bots={related} />
              </section>
            )}
            {others.length > 0 && (
              <section>
                <h2>
                  More by <bdi>{bot.author}</bdi>
                </h2>
                <CompactCards bots={others} />
              </section>
            )}
            <Maintenance frame={frame} view={view} />
          </div>
        </div>
      </Marked>
    </Layout>
  );
};

const Crumbs = ({ bot }: { bot: Bot }) => (
  <nav class="crumbs" aria-label="Breadcrumb">
    <ol>
      <li>
        <a href="/">Directory</a>
      </li>
      {bot.categories.length > 0 && (
        <li>
          {bot.categories.map((name, i) => (
            <Fragment key={name}>
              {i > 0 && ', '}
              <CategoryLink name={name} />
            </Fragment>
          ))}
        </li>
      )}
    </ol>
  </nav>
);

/** Messages for a redirect's fragment: shown by `:target`, so that the page has the same bytes for everybody. */
const Notes = () => (
  <>
    <div class="note" id="published">
      <Alert kind="success" title="Your bot is live">
        <p>Subscribers are being notified.</p>
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
      <Alert kind="success" title="Template checked" />
    </div>
  </>
);

const BotHead = ({ frame, view: { bot, namesakes, updatedAt, templateUrl } }: { frame: Frame; view: BotView }) => (
  <div class="bot-head">
    <Cover of={bot.slug} name={bot.name} isBig />
    <div>
      <h1 dir="auto" data-url={`${bot.url} · ${templateUrl}`}>
        {bot.name}
      </h1>
      <p class="byline">
        <Author bot={bot} /> · added <When at={bot.created_at} />
        {updatedAt.slice(0, 10) !== bot.created_at.slice(0, 10) && (
          <>
            {' '}
            · updated <When at={updatedAt} />
          </>
        )}
      </p>
      {namesakes.length > 0 && <Namesakes bots={namesakes} />}
    </div>
    <div class="chips bot-actions">
      <Share frame={frame} bot={bot} />
      <Follow query={followed(bot)} />
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

/** What somebody who likes a bot may want to hear of: its author, otherwise its category. */
const followed = ({ author, categories }: Bot): DirectoryQuery =>
  author === null ? { ...everything, categories: categories.slice(0, 1) } : { ...everything, author };

/** Three steps, of which the directory does the first. */
const HowTo = ({ frame, bot: { integrations } }: { frame: Frame; bot: Bot }) => {
  const host = hostOf(frame.installOrigin);
  const isMany = integrations.length > mostNamed;
  const accounts = isMany
    ? 'the accounts it needs'
    : integrations.map((slug) => frame.integrationName(slug)).join(' and ');
  return (
    <section>
      <h2>How to install</h2>
      <ol>
        <li>Install opens the template at {host}.</li>
        <li>Sign in{accounts === '' ? '' : `, and connect ${accounts}`}.</li>
        <li>Start it there, under the provider’s terms.</li>
      </ol>
    </section>
  );
};

/** How many integrations a sentence names. */
const mostNamed = 2;

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
      <h2>What people say</h2>
      <ul class="row">
        {posts.map(({ id, url }) => (
          <li key={id} class="card-head">
            <Face of={handleOf(url) ?? ''} />
            <Outside url={url}>
              <bdi>{postName(url)}</bdi>
              {isSamePost(bot.source_url, url) && ' about this bot'}
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

/** A menu, which needs no script. */
const Share = ({ frame, bot }: { frame: Frame; bot: Bot }) => (
  <details class="menu" name="menu">
    <summary class="button quiet">
      <Icon name="link" />
      Share
    </summary>
    <div class="panel">
      <div data-share={bot.url} hidden>
        <button class="button quiet" type="button">
          Share with an app
        </button>
      </div>
      <Shared label="Link" code={bot.url} />
      <Shared label="Badge for a README" code={`[![${markdownText(bot.name)}](${bot.url}/badge.svg)](${bot.url})`} />
      <Shared label="As JSON" code={`curl -sS ${to.absolute(frame.baseUrl, to.apiBot(bot.slug))}`} />
    </div>
  </details>
);

const Shared = ({ label, code }: { label: string; code: string }) => (
  <div>
    <p class="fine">{label}</p>
    <Snippet label={label} code={code} />
  </div>
);

const markdownText = (text: string): string => text.replace(/\p{Cf}/gu, '').replace(/[\\[\]`*_<>!|]/g, '\\$&');
