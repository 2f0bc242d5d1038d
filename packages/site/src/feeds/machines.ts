/** Small files for programs: search in the browser's bar, a guide for language models, a badge for READMEs. */
import type { Bot } from '@bot-directory/contract';
import { count, graphemesOf } from '../parts/words.ts';
import type { Frame } from '../views.ts';
import { xml } from './xml.ts';

/** OpenSearch: lets a browser search here from its bar. */
export const openSearch = (frame: Frame): string => `<?xml version="1.0" encoding="UTF-8"?>
<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">
<ShortName>${xml(frame.name.slice(0, 16))}</ShortName>
<Description>${xml(frame.description)}</Description>
<InputEncoding>UTF-8</InputEncoding>
<Image width="16" height="16" type="image/x-icon">${xml(`${frame.baseUrl}/favicon.ico`)}</Image>
<Url type="text/html" method="get" template="${xml(`${frame.baseUrl}/?q={searchTerms}`)}"/>
</OpenSearchDescription>
`;

/** llms.txt: what this is, and where programs find things. */
export const llms = ({ name, description, baseUrl, templateHost }: Frame): string => `# ${name}

> ${description}

A bot is a public template on ${templateHost}. Everything can be read and written without an account or a key.

- List bots: GET ${baseUrl}/api/bots?limit=50 (q, category, integration, author, sort, cursor; the next page is in Link)
- One bot: GET ${baseUrl}/api/bots/<slug>
- Submit: POST ${baseUrl}/api/bots/submit with {"link":"https://${templateHost}/bot/<template_id>"}
- New bots as they come: GET ${baseUrl}/api/events/stream, or a webhook: POST ${baseUrl}/api/webhooks/bots with {"url":"https://…"}
- Errors are application/problem+json with a stable code, explained at ${baseUrl}/problems/<code>

## Reference

- [API reference](${baseUrl}/docs)
- [OpenAPI 3.1](${baseUrl}/api/openapi.json)
- [Webhooks](${baseUrl}/webhooks)
- [Atom feed](${baseUrl}/bots.atom)
- [JSON Feed](${baseUrl}/bots.json)
- [About](${baseUrl}/about)
`;

const maxNameLength = 28;
const letterWidth = 6.6;
const padding = 8;

/** A badge: the bot's name and its installs. Widths are those of a common sans-serif; longer names are cut. */
export const badge = (bot: Bot): string => {
  const letters = graphemesOf(bot.name.replace(/[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu, ''));
  const name = letters.length > maxNameLength ? `${letters.slice(0, maxNameLength - 1).join('')}…` : letters.join('');
  const installs = count(bot.install_count, 'install');
  const left = Math.round(graphemesOf(name).length * letterWidth + 2 * padding);
  const right = Math.round(installs.length * letterWidth + 2 * padding);
  const text = (x: number, width: number, words: string): string =>
    `<text x="${x + width / 2}" y="14" textLength="${width - 2 * padding}" lengthAdjust="spacingAndGlyphs">${xml(words)}</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img"><title>${xml(`${name}: ${installs}`)}</title><clipPath id="c"><rect width="${left + right}" height="20" rx="4"/></clipPath><g clip-path="url(#c)"><rect width="${left}" height="20" fill="#3b403a"/><rect x="${left}" width="${right}" height="20" fill="#0b6b4b"/></g><g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">${text(0, left, name)}${text(left, right, installs)}</g></svg>`;
};
