/** A bot in a list. Its name is the one link that covers the card; the links inside lie above it. */
import type { Bot } from '@bot-directory/contract';
import { Chips } from './chips.tsx';
import { Cover } from './cover.tsx';
import { to } from './href.ts';
import { When } from './when.tsx';
import { count, cutTo } from './words.ts';

/** How many integrations a card shows. */
const shown = 3;

/** Lists the integrations that the cards of bots show. */
export const shownIn = (bots: readonly Bot[]): string[] =>
  bots.flatMap(({ integrations }) => integrations.slice(0, shown));

/** One entry of a list of cards. `level` is that of its heading. */
export const Card = ({ bot, level = 3 }: { bot: Bot; level?: 2 | 3 }) => {
  const Heading = level === 2 ? 'h2' : 'h3';
  const more = bot.integrations.length - shown;
  return (
    <li class="card">
      <div class="card-head">
        <Cover of={bot.slug} name={bot.name} />
        <div>
          <Heading class="card-name">
            <a href={to.bot(bot.slug)} dir="auto">
              {bot.name}
            </a>
          </Heading>
          {bot.author !== null && (
            <p class="card-author">
              by{' '}
              <a href={to.directory({ author: bot.author })} dir="auto">
                {bot.author}
              </a>
            </p>
          )}
        </div>
      </div>
      <p class="card-text" dir="auto">
        {bot.description}
      </p>
      {bot.categories.length + bot.integrations.length > 0 && (
        <ul class="chips">
          <Chips categories={bot.categories} integrations={bot.integrations.slice(0, shown)} />
          {more > 0 && (
            <li class="chip-more">
              +{more}
              <span class="hidden"> more integrations</span>
            </li>
          )}
        </ul>
      )}
      <p class="card-facts">
        <span>{bot.install_count > 0 && count(bot.install_count, 'install')}</span>
        <When at={bot.created_at} />
      </p>
    </li>
  );
};

/** A list of cards in as many columns as fit. */
export const Cards = ({ bots, level = 3 }: { bots: readonly Bot[]; level?: 2 | 3 }) => (
  <ol class="cards">
    {bots.map((bot) => (
      <Card key={bot.id} bot={bot} level={level} />
    ))}
  </ol>
);

/** Longer than the one line that a compact card shows of a description. */
const lineLength = 120;

/** Bots with one line of each; on phones they scroll sideways. */
export const CompactCards = ({ bots }: { bots: readonly Bot[] }) => (
  <ul class="cards shelf">
    {bots.map(({ slug, name, author, description, install_count: installs }) => (
      <li key={slug} class="card">
        <Cover of={slug} name={name} />
        <div>
          <h3 class="card-name">
            <a href={to.bot(slug)} dir="auto">
              {name}
            </a>
          </h3>
          <p class="card-author" dir="auto">
            {cutTo(description, lineLength)}
          </p>
          <p class="card-author">
            {author !== null && <bdi>by {author}</bdi>}
            {author !== null && installs > 0 && ' · '}
            {installs > 0 && count(installs, 'install')}
          </p>
        </div>
      </li>
    ))}
  </ul>
);
