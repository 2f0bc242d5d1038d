/**
 * Small files for programs: search in the browser's bar, a guide for language models, well-known files, a badge for
 * READMEs.
 */
import type { Bot } from '@bot-directory/contract';
import { count, cutTo, graphemesOf } from '../parts/words.ts';
import type { Frame } from '../views.ts';
import { cutToWidth, widthOf } from './width.ts';
import { xml } from './xml.ts';

/** OpenSearch: lets a browser search here from its bar. */
export const openSearch = (frame: Frame): string => `<?xml version="1.0" encoding="UTF-8"?>
<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">
<ShortName>${xml(cutTo(frame.name, 16))}</ShortName>
<Description>${xml(frame.description)}</Description>
<InputEncoding>UTF-8</InputEncoding>
<Image width="16" height="16" type="image/x-icon">${xml(`${frame.baseUrl}/favicon.ico`)}</Image>
<Url type="text/html" method="get" template="${xml(`${frame.baseUrl}/?q={searchTerms}`)}"/>
</OpenSearchDescription>
`;

/** The web app manifest: the name and icons of what is put on a home screen. */
export const webManifest = ({ name, description, assets }: Frame): string =>
  JSON.stringify({
    name,
    short_name: cutTo(name, 16),
    description,
    id: '/',
    start_url: '/',
    display: 'minimal-ui',
    background_color: '#fbfaf7',
    theme_color: '#fbfaf7',
    icons: [
      { src: assets.icon, type: 'image/svg+xml', sizes: 'any' },
      { src: '/apple-touch-icon.png', type: 'image/png', sizes: '180x180' },
    ],
  });

/** llms.txt: what this is, and where programs find things. */
export const llms = ({ name, description, baseUrl, templateHost }: Frame): string => `# ${name}

> ${description}

A bot is a public template on ${templateHost}. Reading and writing need no account and no key.

- List bots: GET ${baseUrl}/api/bots?limit=50 (q, category, integration, author, link of a template, sort, cursor; include=updated_at,template_url; the next page is in Link)
- Counts by category and integration: GET ${baseUrl}/api/bots/facets, with the list's filters
- One bot: GET ${baseUrl}/api/bots/<slug>
- Submit: POST ${baseUrl}/api/bots/submit with {"link":"https://${templateHost}/bot/<template_id>"}
- New bots as they are published: GET ${baseUrl}/api/events/stream, or a webhook: POST ${baseUrl}/api/webhooks/bots with {"url":"https://…"}
- The same as tools, over the Model Context Protocol (streamable HTTP): ${baseUrl}/mcp
- Errors are application/problem+json with a stable code, explained at ${baseUrl}/problems/<code>

## Reference

- [API reference](${baseUrl}/docs)
- [OpenAPI 3.1](${baseUrl}/api/openapi.json)
- [Webhooks](${baseUrl}/webhooks), and [how to run a subscriber](${baseUrl}/docs/subscribing)
- [Atom feed](${baseUrl}/bots.atom), with the list's filters and sort
- [JSON Feed](${baseUrl}/bots.json), with the same
- Showcase: ${baseUrl}/feed.atom and ${baseUrl}/feed.json
- [About](${baseUrl}/about)
- [Correct or remove a listing](${baseUrl}/corrections)
`;

const serverDescriptionLength = 100;

/** server.json of the MCP Registry: where agents connect. Its name is the host, reversed, as the registry wants it. */
export const mcpServer = ({ name, description, baseUrl }: Frame, version: string): string =>
  JSON.stringify({
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: `${new URL(baseUrl).hostname.split('.').reverse().join('.')}/bot-directory`,
    title: cutTo(name, serverDescriptionLength),
    description: cutTo(description, serverDescriptionLength),
    version,
    websiteUrl: baseUrl,
    remotes: [{ type: 'streamable-http', url: `${baseUrl}/mcp` }],
  });

/** The catalog of APIs (RFC 9727): where the API is described, and whether it works. */
export const apiCatalog = ({ baseUrl }: Frame): string =>
  JSON.stringify({
    linkset: [
      {
        anchor: `${baseUrl}/api`,
        'service-desc': [{ href: `${baseUrl}/api/openapi.json`, type: 'application/json' }],
        'service-doc': [{ href: `${baseUrl}/docs`, type: 'text/html' }],
        status: [{ href: `${baseUrl}/readyz`, type: 'application/json' }],
      },
    ],
  });

/** security.txt (RFC 9116). `contact` is a `mailto:` or `https:` URL. */
export const securityTxt = ({ contact, baseUrl, expiresAt }: SecurityFacts): string =>
  `Contact: ${contact}\nExpires: ${expiresAt}\nCanonical: ${baseUrl}/.well-known/security.txt\n`;

type SecurityFacts = { readonly contact: string; readonly baseUrl: string; readonly expiresAt: string };

const maxNameWidth = 190;
const padding = 8;

/** Draws a badge: the bot's name and its installs. A long name is cut. */
export const badge = (bot: Bot): string => {
  const letters = cutToWidth(graphemesOf(bot.name.replace(/[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu, '')), maxNameWidth);
  const installs = count(bot.install_count, 'install');
  const [left, right] = [letters, graphemesOf(installs)].map((text) => Math.round(widthOf(text) + 2 * padding)) as [
    number,
    number,
  ];
  const name = letters.join('');
  const text = (x: number, width: number, words: string): string =>
    `<text x="${x + width / 2}" y="14" textLength="${width - 2 * padding}">${xml(words)}</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img"><title>${xml(`${name}: ${installs}`)}</title><clipPath id="c"><rect width="${left + right}" height="20" rx="4"/></clipPath><g clip-path="url(#c)"><rect width="${left}" height="20" fill="#3b403a"/><rect x="${left}" width="${right}" height="20" fill="#0b6b4b"/></g><g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">${text(0, left, name)}${text(left, right, installs)}</g></svg>`;
};
