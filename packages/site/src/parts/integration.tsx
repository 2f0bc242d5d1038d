/** Integrations by name and mark. A URL and JSON have the slug: `google-search-console`. */
import { createContext, type ComponentChildren } from 'preact';
import { letterOf } from './drawing.ts';
import { to } from './href.ts';
import { marks } from './marks.gen.ts';

/** Spellings that capitals alone do not give, of services without a mark. */
const otherNames =
  'ActiveCampaign ChatGPT ClickFunnels DocuSign FreshBooks GoDaddy HeyGen iMessage iOS LinkedIn macOS monday.com ' +
  'OneDrive OneNote OpenAI PowerPoint SendGrid ServiceNow SharePoint WordPress.com YouTrack';

/** Words of names that are written in capitals. */
const capitals = new Set(
  'ai api aws b2b cms crm csv dns erp ftp hr html http imap json kpi pdf pr seo sftp sms smtp sql tv url vpn xml'.split(
    ' ',
  ),
);

type Named = { readonly name: string; readonly shape: string | undefined };

/** Reduces a name to its slug without hyphens: writers disagree on those. */
const keyOf = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll('&', 'and')
    .replaceAll('+', 'plus')
    .replaceAll('#', 'sharp')
    .replace(/[^a-z0-9]/g, '');

const known = new Map<string, Named>([
  ...otherNames.split(' ').map((name): [string, Named] => [keyOf(name), { name, shape: undefined }]),
  ...marks.map(([name, shape]): [string, Named] => [keyOf(name), { name, shape: shape || undefined }]),
]);

const knownOf = (slug: string): Named | undefined => known.get(slug.replaceAll('-', ''));

/** Returns an integration's name, such as `Google Search Console` for `google-search-console`. */
export const integrationName = (slug: string): string =>
  knownOf(slug)?.name ??
  slug
    .split('-')
    .map((word) => (capitals.has(word) ? word.toUpperCase() : word.charAt(0).toUpperCase() + word.slice(1)))
    .join(' ');

/** The most characters that all marks of a page have together. They compress to half: decision 0120. */
const mostShapes = 7_000;

/** Returns the shape of an integration's mark, in a square of 24. */
export const markOf = (slug: string): string | undefined => knownOf(slug)?.shape;

const Shown = createContext<ReadonlySet<string>>(new Set());

const idOf = (slug: string): string => `mark-${slug.replaceAll('-', '')}`;

type WithMarks = { readonly of: readonly string[]; readonly children: ComponentChildren };

/**
 * Inside this element, the first of these integrations that have a mark are shown with it. `Sprite` must be inside,
 * too.
 */
export const Marked = ({ of, children }: WithMarks) => {
  const shown = new Set<string>();
  let room = mostShapes;
  for (const slug of new Set(of)) {
    const { length } = markOf(slug) ?? '';
    if (length === 0 || length > room) continue;
    room -= length;
    shown.add(slug);
  }
  return <Shown.Provider value={shown}>{children}</Shown.Provider>;
};

/** The marks, each once; they are drawn where they are used. */
export const Sprite = () => (
  <Shown.Consumer>
    {(shown) =>
      shown.size > 0 && (
        <svg class="hidden" aria-hidden="true">
          {[...shown].map((slug) => (
            <symbol key={slug} id={idOf(slug)} viewBox="0 0 24 24">
              <path d={markOf(slug)} />
            </symbol>
          ))}
        </svg>
      )
    }
  </Shown.Consumer>
);

/** An integration's mark, or its first letter if the page has no mark of it, and its name. */
export const Integration = ({ slug }: { slug: string }) => (
  <>
    <Shown.Consumer>
      {(shown) =>
        shown.has(slug) ? (
          <svg class="icon filled" aria-hidden="true">
            <use href={to.id(idOf(slug))} />
          </svg>
        ) : (
          // No text: a search of the page, a copy and a screen reader need the name only.
          <span class="icon initial" aria-hidden="true" data-letter={letterOf(integrationName(slug))} />
        )
      }
    </Shown.Consumer>
    {integrationName(slug)}
  </>
);
