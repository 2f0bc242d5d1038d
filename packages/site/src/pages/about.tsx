/** How installs are counted, what is kept, the rules, and how a bot is removed. */
import { Layout } from '../parts/layout.tsx';
import { to } from '../parts/href.ts';
import { kept } from './kept.ts';
import type { Frame } from '../views.ts';

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
