/** The frame of every page: head, style, and the headers that keep it to itself. */
import { createHash } from 'node:crypto';
import type { Response } from 'express';
import { html, Html } from './html.ts';

const style = `
:root { color-scheme: light dark; --ink: #1c1c22; --soft: #5b5b66; --paper: #fff; --line: #d9d9e0; --link: #0b57d0; }
@media (prefers-color-scheme: dark) { :root { --ink: #ececf1; --soft: #a5a5b2; --paper: #17171c; --line: #3a3a44; --link: #8ab4f8; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 42rem; padding: 1.5rem; background: var(--paper); color: var(--ink); font: 1rem/1.6 system-ui, sans-serif; overflow-wrap: anywhere; }
a { color: var(--link); }
header { margin-bottom: 2rem; }
h1 { line-height: 1.2; margin: 0 0 .5rem; }
p { margin: .5rem 0 1rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1.25rem; border-top: 1px solid var(--line); padding-top: 1rem; }
dt { color: var(--soft); }
dd { margin: 0; }
li { margin: .75rem 0; }
button { font: inherit; font-weight: 600; min-height: 2.75rem; padding: .5rem 1.5rem; border: 0; border-radius: .5rem; background: var(--link); color: var(--paper); cursor: pointer; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
`;
const styleHash = createHash('sha256').update(style).digest('base64');

/** A page's parts. `formTarget`: an origin, besides ours, that a form on it may lead to. */
export type Page = { readonly title: string; readonly body: Html; readonly formTarget?: string };

/** Sends a page: no script, no third party, nothing but itself. */
export const sendPage = (res: Response, status: number, { title, body, formTarget = '' }: Page): void => {
  res.status(status);
  res.setHeader(
    'Content-Security-Policy',
    `default-src 'none'; style-src 'sha256-${styleHash}'; form-action 'self' ${formTarget}; base-uri 'none'; frame-ancestors 'none'`,
  );
  res.setHeader('X-Content-Type-Options', 'nosniff');
  res.setHeader('Referrer-Policy', 'strict-origin-when-cross-origin');
  res.setHeader('Cache-Control', 'no-cache');
  res.type('html').send(
    html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <title>${title}</title>
          <style>
            ${new Html(style)}
          </style>
        </head>
        <body>
          <header><a href="/">Public Bot Directory</a></header>
          <main>${body}</main>
        </body>
      </html> `.markup,
  );
};
