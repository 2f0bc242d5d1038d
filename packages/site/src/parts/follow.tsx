/** The ways to hear of the bots that a query selects: feeds, and the form of a webhook that is filled in. */
import type { DirectoryQuery } from '../views.ts';
import { linkTo, to } from './href.ts';
import { Icon } from './icon.tsx';
import { wishInWords } from './wish.ts';
import { useNames } from './names.ts';

const chats: readonly (readonly [format: string, name: string])[] = [
  ['slack', 'Slack'],
  ['discord', 'Discord'],
  ['teams', 'Teams'],
  ['google-chat', 'Google Chat'],
  ['', 'Webhook'],
];

const Words = ({ query: { q, categories, integrations, author = '' } }: { query: DirectoryQuery }) => {
  const nameOf = useNames();
  const integration = integrations.map((slug) => nameOf(slug));
  return <bdi>{wishInWords({ events: [], category: categories, integration, author, q })}</bdi>;
};

/** A menu, which needs no script. */
export const Follow = ({ query }: { query: DirectoryQuery }) => (
  <details class="menu" name="menu">
    <summary class="button quiet">
      <Icon name="rss" />
      Follow
    </summary>
    <div class="panel">
      <p class="fine">
        Get <Words query={query} /> by:
      </p>
      <ul class="facet">
        <li>
          <a {...linkTo(to.feed('/bots.atom', query))}>Atom</a>
        </li>
        <li>
          <a {...linkTo(to.feed('/bots.json', query))}>JSON Feed</a>
        </li>
        {chats.map(([format, name]) => (
          <li key={format}>
            <a {...linkTo(to.webhooks(format, query))}>{name}</a>
          </li>
        ))}
      </ul>
    </div>
  </details>
);
