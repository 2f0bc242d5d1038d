/** The frame of every page: head, header with navigation, footer. */
import type { ComponentChildren } from 'preact';
import { botFeeds, type Feeds } from '../feeds/feed.ts';
import type { Frame } from '../views.ts';
import { Known } from './chips.tsx';
import { everything, to } from './href.ts';
import { Icon, Mark } from './icon.tsx';
import { Names } from './names.ts';

/** A section of the main navigation. */
export type Section = 'directory' | 'showcase' | 'webhooks' | 'docs' | 'submit' | undefined;

/**
 * A page. `path` is its canonical one; `undefined` if it has none and must not be indexed. By default, `feeds` are
 * those of all bots.
 */
export type LayoutProps = {
  readonly frame: Frame;
  readonly title: string;
  readonly description?: string;
  readonly path: string | undefined;
  readonly section?: Section;
  readonly feeds?: Feeds;
  readonly head?: ComponentChildren;
  /** What previews of links show, instead of the picture of all pages. */
  readonly picture?: { readonly path: string; readonly alt: string };
  /** Another link before the header. */
  readonly skip?: ComponentChildren;
  readonly children: ComponentChildren;
};

/** The whole document without its doctype. */
export const Layout = (props: LayoutProps) => (
  <html lang="en">
    <Head {...props} />
    <body>
      <a class="skip" href="#main">
        Skip to content
      </a>
      {props.skip}
      <Header frame={props.frame} section={props.section} />
      <main id="main" tabIndex={-1}>
        <Known.Provider value={props.frame.categories}>
          <Names.Provider value={props.frame.integrationName}>{props.children}</Names.Provider>
        </Known.Provider>
      </main>
      <Footer frame={props.frame} feeds={props.feeds ?? botFeeds(props.frame, everything)} />
      <p class="hidden" role="status" id="said" />
    </body>
  </html>
);

const plainPicture = { path: '/og.png', alt: 'A shelf of bots, each with a cover of its own' };

const Head = (props: LayoutProps) => {
  const { frame, title, description = frame.description, path, head } = props;
  const { feeds = botFeeds(frame, everything), picture = plainPicture } = props;
  const whole = title === frame.name ? title : `${title} · ${frame.name}`;
  return (
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      {/* A proxy that sends no-referrer would hide from forms which page they are on. */}
      <meta name="referrer" content="strict-origin-when-cross-origin" />
      <title>{whole}</title>
      <meta name="description" content={description} />
      {path === undefined ? (
        <meta name="robots" content="noindex,follow" />
      ) : (
        <link rel="canonical" href={to.absolute(frame.baseUrl, path)} />
      )}
      <meta name="theme-color" content="#fbfaf7" media="(prefers-color-scheme: light)" />
      <meta name="theme-color" content="#131512" media="(prefers-color-scheme: dark)" />
      <script src={to.asset(frame.assets.script)} />
      <link rel="stylesheet" href={to.asset(frame.assets.styles)} />
      {/* Nothing is drawn before the whole header is there, so that nothing in it moves. */}
      <link rel="expect" href="#main" {...beforeDrawing} />
      <link rel="icon" type="image/svg+xml" href={to.asset(frame.assets.icon)} />
      <link rel="manifest" href="/manifest.webmanifest" />
      <link rel="apple-touch-icon" href="/apple-touch-icon.png" />
      <link rel="alternate" type="application/atom+xml" title={feeds.title} href={to.absolute('', feeds.atom)} />
      <link rel="alternate" type="application/feed+json" title={feeds.title} href={to.absolute('', feeds.json)} />
      <link rel="search" type="application/opensearchdescription+xml" title={frame.name} href="/opensearch.xml" />
      <meta property="og:site_name" content={frame.name} />
      <meta property="og:type" content="website" />
      <meta property="og:title" content={title} />
      <meta property="og:description" content={description} />
      {path !== undefined && <meta property="og:url" content={to.absolute(frame.baseUrl, path)} />}
      <meta property="og:image" content={to.absolute(frame.baseUrl, picture.path)} />
      <meta property="og:image:width" content="1200" />
      <meta property="og:image:height" content="630" />
      <meta property="og:image:alt" content={picture.alt} />
      <meta name="twitter:card" content="summary_large_image" />
      {head}
    </head>
  );
};

/** An attribute of HTML that Preact's types do not know yet. */
const beforeDrawing = { blocking: 'render' };

const links: readonly { section: Section; href: string; text: string }[] = [
  { section: 'directory', href: '/', text: 'Directory' },
  { section: 'showcase', href: '/feed', text: 'Showcase' },
  { section: 'webhooks', href: '/webhooks', text: 'Webhooks' },
  { section: 'docs', href: '/docs', text: 'API' },
];

const Header = ({ frame, section }: { frame: Frame; section: Section }) => (
  <header class="top">
    <a class="brand" href="/">
      <Mark />
      <span>{frame.name}</span>
    </a>
    <nav class="main-nav" aria-label="Main">
      <ul>
        {links.map(({ section: own, href, text }) => (
          <li key={href}>
            <a href={to.absolute('', href)} {...(own === section ? { 'aria-current': 'page' as const } : {})}>
              {text}
            </a>
          </li>
        ))}
      </ul>
    </nav>
    {frame.submissions !== 'closed' && (
      <a
        class="button top-submit"
        href="/submit"
        {...(section === 'submit' ? { 'aria-current': 'page' as const } : {})}
      >
        <Icon name="plus" />
        Submit a bot
      </a>
    )}
    <ThemeButton place="top" />
  </header>
);

/** Hidden until the script runs, because without the script it does nothing. */
const ThemeButton = ({ place }: { place: 'top' | 'end' }) => (
  <button class={`theme theme-${place}`} type="button" data-theme-button aria-label="Theme: system">
    <span data-shown-in="system">
      <Icon name="monitor" />
    </span>
    <span data-shown-in="light">
      <Icon name="sun" />
    </span>
    <span data-shown-in="dark">
      <Icon name="moon" />
    </span>
  </button>
);

const packages = 'https://www.npmjs.com/package/@bot-directory';

/** What the footer links: `[text, path of ours or address elsewhere]`. */
const endsOf = (feeds: Feeds): readonly (readonly [text: string, address: string])[] => [
  ['Categories', '/categories'],
  ['Integrations', '/integrations'],
  ['Authors', '/authors'],
  ['Atom', feeds.atom],
  ['JSON Feed', feeds.json],
  ['API', '/docs'],
  ['SDK', `${packages}/sdk`],
  ['Receiver', `${packages}/webhook-receiver`],
  ['Source', 'https://github.com/public-bot-directory/public-bot-directory'],
  ['About', '/about'],
  ['Privacy', '/about#privacy'],
  ['Corrections', '/corrections'],
  ['Status', '/readyz'],
];

const Footer = ({ frame: { contact }, feeds }: { frame: Frame; feeds: Feeds }) => (
  <footer class="end">
    <p>Open to everyone: no account, no key.</p>
    <ul>
      {endsOf(feeds).map(([text, address]) => (
        <li key={text}>
          <a href={to.anywhere(address)}>{text}</a>
        </li>
      ))}
      {contact !== undefined && (
        <li>
          <a href={to.contact(contact)}>Contact</a>
        </li>
      )}
    </ul>
    <ThemeButton place="end" />
  </footer>
);
