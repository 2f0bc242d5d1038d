/**
 * A template provider as the directory encounters them: `GET /bot/<template_id>` returns JSON or an HTML page, `/`
 * lists the templates. It listens on this machine only.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { indexPage, notFoundPage, templatePage } from './pages.js';
import { templateOf, templates } from './templates.js';

/** @typedef {{ status?: number, type?: string, body: string }} Answer */
/** @typedef {import('./pages.js').Place} Place */

/**
 * The directory whose bots the pages link: its address, and the host of its template links.
 * @typedef {{ address: string, templateHost: string }} KnownDirectory
 */

/**
 * Where a template stands in the directory; `undefined` without one, or while it is away.
 * @param {string} id
 * @param {KnownDirectory | undefined} directory
 * @returns {Promise<Place | undefined>}
 */
const placeOf = async (id, directory) => {
  if (directory === undefined) return undefined;
  const { address, templateHost } = directory;
  const link = encodeURIComponent(`https://${templateHost}/bot/${id}`);
  try {
    const response = await fetch(`${address}/api/bots?link=${link}`);
    const [bot] = /** @type {{ url: string }[]} */ (response.ok ? await response.json() : []);
    return bot === undefined
      ? { isListed: false, url: `${address}/submit?link=${link}` }
      : { isListed: true, url: bot.url };
  } catch {
    return undefined;
  }
};

/**
 * The provider's response at a path, to a caller that accepts these types.
 * @param {string} path
 * @param {string} accept
 * @param {KnownDirectory | undefined} directory
 * @returns {Promise<Answer>}
 */
const answer = async (path, accept, directory) => {
  if (path === '/') {
    const places = await Promise.all(templates.map(({ id }) => placeOf(id, directory)));
    return { body: indexPage(templates.map((template, i) => ({ ...template, place: places[i] }))) };
  }
  const template = path.startsWith('/bot/') ? templateOf(path.slice('/bot/'.length)) : undefined;
  if (template === undefined) return { status: 404, body: notFoundPage };
  if (accept.includes('application/json')) {
    // The directory asks for this.
    if (template.form !== 'json') return { body: templatePage(template) };
    const { name, description, connectors = [] } = template;
    return { type: 'application/json', body: JSON.stringify({ name, description, connectors }) };
  }
  return { body: templatePage(template, await placeOf(template.id, directory)) };
};

/**
 * Starts the provider on `127.0.0.1`; port 0 picks a free one.
 * @param {{ port?: number, directory?: KnownDirectory }} [options]
 */
export const startTemplateProvider = async ({ port = 0, directory } = {}) => {
  const server = createServer(async (request, response) => {
    const [path = '/'] = (request.url ?? '/').split('?');
    const {
      status = 200,
      type = 'text/html; charset=utf-8',
      body,
    } = await answer(path, request.headers.accept ?? '', directory);
    response
      .writeHead(status, { 'content-type': type, vary: 'accept' })
      .end(request.method === 'HEAD' ? undefined : body);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('A TCP server has no port.');
  return {
    /** Where templates are fetched from: `http://127.0.0.1:<port>`. */
    origin: `http://127.0.0.1:${address.port}`,
    templates,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
