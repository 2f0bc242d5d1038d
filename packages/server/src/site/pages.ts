/** The pages: the newest bots, one bot with its install action, and what an error code means. */
import type { Express, Request, Response } from 'express';
import { problems, type ProblemCode } from '@bot-directory/contract';
import { Failure } from '../base/failure.ts';
import { botPath } from '../domain/bot.ts';
import { isSameOrigin } from '../domain/same-origin.ts';
import { installBot } from '../operations/install-bot.ts';
import type { Directory, DirectoryBot } from '../store/directory.ts';
import { html, type Html } from './html.ts';
import { sendPage } from './page.ts';

/** `install` is undefined where saving is not configured. */
export type SiteDeps = {
  readonly directory: Directory;
  readonly baseUrl: string;
  readonly templateHost: string;
  readonly install: Parameters<typeof installBot>[0] | undefined;
};

const newestOnHome = 50;

/** Mounts the pages. */
export const mountSite = (app: Express, { directory, baseUrl, templateHost, install }: SiteDeps): void => {
  app.get('/', async (_req, res) => {
    await directory.fresh();
    sendPage(res, 200, { title: 'Public Bot Directory', body: homeBody(directory) });
  });
  app.get('/bots/:slug', async (req, res) => {
    await directory.fresh();
    const entry = directory.bySlug(req.params.slug);
    if (entry === undefined)
      sendPage(res, 404, {
        title: 'No such bot',
        body: html`<h1>No such bot</h1>
          <p>No bot in the directory has this address.</p>`,
      });
    else
      sendPage(res, 200, {
        title: `${entry.bot.name} – Public Bot Directory`,
        body: botBody(entry),
        formTarget: `https://${templateHost}`,
      });
  });
  app.post('/bots/:slug/install', async (req: Request<{ slug: string }>, res: Response) => {
    if (install === undefined)
      throw new Failure('saving_not_configured', 'This service runs without a store, so nothing can be saved.');
    // A form on another site leads on as well, but counts nothing: nobody chose it here.
    const source = { secFetchSite: req.get('sec-fetch-site'), origin: req.get('origin') };
    const visitor = isSameOrigin(source, baseUrl) ? { address: req.ip ?? '' } : undefined;
    res.redirect(303, await installBot(install, req.params.slug, visitor));
  });
  app.get('/problems/:code', (req, res, next) => {
    const { code } = req.params;
    if (!Object.hasOwn(problems, code)) {
      next();
      return;
    }
    const { status, title, meaning } = problems[code as ProblemCode];
    sendPage(res, 200, {
      title,
      body: html`<h1>${title}</h1>
        <p>${meaning}</p>
        <dl>
          <dt>Code</dt>
          <dd>${code}</dd>
          <dt>Status</dt>
          <dd>${status}</dd>
        </dl>`,
    });
  });
};

const homeBody = ({ bots }: Directory): Html => {
  const items = bots
    .newest(newestOnHome)
    .map(
      (bot) =>
        html`<li>
          <a href="${botPath(bot.slug)}" dir="auto">${bot.name}</a><br /><span dir="auto">${bot.description}</span>
        </li> `,
    );
  return html`<h1>Public Bot Directory</h1>
    <p>
      ${bots.size} ${bots.size === 1 ? 'bot' : 'bots'}. As JSON: <a href="/api/bots">/api/bots</a>, described by
      <a href="/api/openapi.json">OpenAPI</a>.
    </p>
    <ul>
      ${items}
    </ul>`;
};

const botBody = ({ bot }: DirectoryBot): Html =>
  html`<h1 dir="auto">${bot.name}</h1>
    <p dir="auto">${bot.description}</p>
    <form method="post" action="${botPath(bot.slug)}/install"><button>Install</button></form>
    <dl>
      <dt>Installed</dt>
      <dd>${bot.install_count} ${bot.install_count === 1 ? 'time' : 'times'}; a visitor counts once a day</dd>
      ${
        bot.author === null
          ? []
          : html`<dt>Author</dt>
              <dd>${bot.author}</dd>`
      }
      ${
        bot.source_url === null
          ? []
          : html`<dt>Post</dt>
              <dd><a href="${bot.source_url}" rel="nofollow ugc noopener">${bot.source_url}</a></dd>`
      }
      <dt>Integrations</dt>
      <dd>${bot.integrations.join(', ') || 'none'}</dd>
      <dt>Categories</dt>
      <dd>${bot.categories.join(', ') || 'none'}</dd>
      <dt>Added</dt>
      <dd><time datetime="${bot.created_at}">${bot.created_at.slice(0, 10)}</time></dd>
      <dt>As JSON</dt>
      <dd><a href="/api${botPath(bot.slug)}">/api${botPath(bot.slug)}</a></dd>
    </dl>`;
