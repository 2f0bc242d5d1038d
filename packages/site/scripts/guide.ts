/** The guide for subscribers, docs/SUBSCRIBING.md, for its page: HTML, and code that can be copied. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Marked, type Token } from 'marked';
import type { Guide } from '../src/views.ts';

const source = fileURLToPath(new URL('../../../docs/SUBSCRIBING.md', import.meta.url));

/** Where the links between documents lead on the site. */
const links: Readonly<Record<string, string>> = {
  'API.md#webhooks': '/webhooks#what-arrives',
  'API.md#filters-and-events': '/docs#addWebhook',
  'API.md#formats': '/docs#addWebhook',
  'API.md#its-url-in-a-query': '/docs#getWebhookStatus',
  '../examples/subscriber-express':
    'https://github.com/public-bot-directory/public-bot-directory/tree/main/examples/subscriber-express',
  '../examples/subscriber-fetch':
    'https://github.com/public-bot-directory/public-bot-directory/tree/main/examples/subscriber-fetch',
  '../examples/verify-without-node':
    'https://github.com/public-bot-directory/public-bot-directory/tree/main/examples/verify-without-node',
  '../packages/webhook-receiver/README.md': 'https://www.npmjs.com/package/@bot-directory/webhook-receiver',
};

const marked = new Marked({
  renderer: {
    link({ href, tokens }) {
      const path = links[href] ?? (href.startsWith('https:') ? href : undefined);
      if (path === undefined) throw new Error(`docs/SUBSCRIBING.md: no place on the site for ${href}`);
      return `<a href="${path}">${this.parser.parseInline(tokens)}</a>`;
    },
    heading({ tokens, depth, text }) {
      const id = text.toLowerCase().replaceAll(/\W+/g, '-');
      return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>`;
    },
  },
});

const htmlOf = (token: Token): string => {
  const html = marked.parser([token]);
  if (token.type !== 'table') return html;
  return `<div class="table" role="region" aria-label="Options of the receiver" tabindex="0">${html}</div>`;
};

/** The parts, in the order of the guide. */
export const guide = (): Guide => {
  const tokens = marked.lexer(readFileSync(source, 'utf8'));
  const parts: Guide[number][] = [];
  let heading = '';
  for (const token of tokens) {
    const last = parts.at(-1);
    if (token.type === 'heading') heading = (token as Token & { text: string }).text;
    if (token.type === 'code') parts.push({ label: heading, code: (token as Token & { text: string }).text });
    else if (last !== undefined && 'html' in last) parts[parts.length - 1] = { html: last.html + htmlOf(token) };
    else parts.push({ html: htmlOf(token) });
  }
  return parts;
};
