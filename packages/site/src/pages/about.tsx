/** How installs are counted, what is kept, the rules, and how to have a bot removed. */
import { Layout } from '../parts/layout.tsx';
import { to } from '../parts/href.ts';
import type { Frame } from '../views.ts';

/** The page. */
export const AboutPage = ({ frame }: { frame: Frame }) => {
  const { contact } = frame;
  return (
    <Layout
      frame={frame}
      title="About"
      description={`How ${frame.name} works: what is listed, how installs are counted, what is kept.`}
      path="/about"
    >
      <div class="text prose">
        <h1>About</h1>
        <p class="lede">{frame.description}</p>
        <p>
          A bot here is a public template at {frame.templateHost}. Its name and description are the template’s own. The
          list, a page for each bot, feeds and an <a href="/docs">API</a> are open to everyone; no account exists.
        </p>
        <h2 id="counting">How installs are counted</h2>
        <p>
          “Install” opens the template. A visitor counts once per bot in 24 hours, by the network address the request
          came from. Reading a page, following a link or a program that calls the address counts nothing.
        </p>
        <h2 id="privacy">What is kept</h2>
        <ul>
          <li>No cookies, no accounts, no analytics, nothing loaded from elsewhere.</li>
          <li>For counting installs: a salted hash of an address, for 24 hours.</li>
          <li>The theme that you choose stays in your browser.</li>
          <li>A webhook’s URL is kept until it is removed, and is shown to nobody.</li>
        </ul>
        <h2 id="rules">Rules</h2>
        <ul>
          <li>The template must be open to anyone.</li>
          <li>A template is listed once, whoever submits it.</li>
          <li>No malware, no impersonation, no spam.</li>
        </ul>
        <h2 id="removal">Having a bot removed</h2>
        <p>
          When the provider no longer has the template, or it breaks the rules,
          {contact === undefined
            ? ' whoever runs this directory can take it down.'
            : ' write to whoever runs this directory.'}{' '}
          A removed bot’s page says that it was removed, and why.
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
