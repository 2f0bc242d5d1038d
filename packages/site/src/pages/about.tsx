/** How installs are counted, what is kept, the rules, and how a bot is removed. */
import { Layout } from '../parts/layout.tsx';
import { to } from '../parts/href.ts';
import type { Frame } from '../views.ts';

/** What is kept of what people send, for how long, and under which names in the store. */
export const kept: readonly { what: string; until: string; keys: readonly string[] }[] = [
  {
    what: 'Bots and posts, as submitted',
    until: 'Until the operator removes them, except from backups made before',
    keys: ['bot', 'bots', 'post', 'posts', 'changes', 'withdrawn', 'state', 'versions'],
  },
  {
    what: 'Addresses of pages, templates and posts that were once listed, and why the operator removed any',
    until: 'For good: they are never listed again',
    keys: ['templates', 'slugs', 'suffixes', 'statuses'],
  },
  {
    what: 'News about bots, for subscribers; that of a bot that was taken away is not sent any more',
    until: 'For 30 days',
    keys: ['events', 'event-ids'],
  },
  {
    what: 'A salted hash of your IP address and the bot, if you install one',
    until: 'For 24 hours',
    keys: ['installs'],
  },
  {
    what: 'A salted hash of your IP address, if you send a form',
    until: 'While the limit on writes counts, usually a minute',
    keys: ['rate'],
  },
  {
    what: 'Reports of bots and posts, with a salted hash of your IP address; only the operator reads them',
    until: 'For 180 days, or until the operator closes them',
    keys: ['reports'],
  },
  {
    what:
      'The URL of a webhook, its filter and format, how its last ten deliveries went, the secret and headers that you ' +
      'gave, and a salted hash of the IP address that registered it; neither these nor the URL are ever shown',
    until: 'Until you remove it, or 30 days after it has stopped',
    keys: [
      'urls',
      'hosts',
      'domains',
      'targets',
      'cursor',
      'yielded',
      'leased',
      'waiting',
      'stopped',
      'taken',
      'secrets',
      'failures',
      'attempts',
      'subscriptions',
      'topics',
      'asleep',
      'watermark',
      'registrants',
      'own-cursor',
      'own-yielded',
      'own-leased',
      'own-waiting',
      'own-stopped',
    ],
  },
  {
    what: 'What the operator did: blocks, removals, backups',
    until: 'The newest 10,000 lines',
    keys: ['blocks', 'audit', 'backups', 'signing-key', 'paused'],
  },
  {
    what: 'How many bots and posts there are, and the settings of this service',
    until: 'As long as the directory',
    keys: ['known', 'settings'],
  },
];

/** The page. */
export const AboutPage = ({ frame }: { frame: Frame }) => {
  const { contact } = frame;
  return (
    <Layout
      frame={frame}
      title="About"
      description={`How ${frame.name} works: what is listed, how installs are counted, and what is stored.`}
      path="/about"
    >
      <div class="text prose">
        <h1>About</h1>
        <p class="lede">{frame.description}</p>
        <p>
          Every bot here is a public template at {frame.templateHost}, which also provides its name and description.
          When they change there, a refresh copies them. The list, the bots’ pages, the feeds and the{' '}
          <a href="/docs">API</a> are open to everyone; no account needed.
        </p>
        <h2 id="counting">How installs are counted</h2>
        <p>
          “Install” opens the template. Each visitor counts once per bot in 24 hours, by IP address. Page views, links
          and scripts don’t count. “Trending” are the bots with the most installs of the last seven days.
        </p>
        <h2 id="authors">Who made a bot</h2>
        <p>
          “Submitted as @ada” is what the submitter typed. “Announced by @ada ✓” means that the linked post at{' '}
          {frame.socialHost} names the same account. We don’t check either with {frame.socialHost}.
        </p>
        <h2 id="privacy">Privacy</h2>
        <p>
          No cookies, accounts or analytics, and nothing is loaded from other sites. Your choice of theme stays in your
          browser. This is all we keep of what people send:
        </p>
        <Kept />
        <h2 id="rules">Rules</h2>
        <ul>
          <li>Anyone can open the template.</li>
          <li>Each template is listed once, no matter who submits it.</li>
          <li>No malware, no impersonation, no spam.</li>
        </ul>
        <h2 id="removal">Removing a bot</h2>
        <p>
          If the provider no longer has the template, or if it breaks the rules,
          {contact === undefined ? ' the operator can remove the bot.' : ' write to the operator.'} The bot’s page then
          says that it was removed, and why; its name, texts and author are deleted. You can also ask that only your
          name be taken out. <a href="/corrections">Correct or remove a listing</a>
        </p>
        {contact !== undefined && (
          <p>
            <a href={to.contact(contact)}>Contact</a>
          </p>
        )}
      </div>
    </Layout>
  );
};

const Kept = () => (
  <div class="table" role="region" aria-label="What is kept" tabIndex={0}>
    <table>
      <thead>
        <tr>
          <th scope="col">What</th>
          <th scope="col">For how long</th>
        </tr>
      </thead>
      <tbody>
        {kept.map(({ what, until }) => (
          <tr key={what}>
            <td>{what}</td>
            <td>{until}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);
