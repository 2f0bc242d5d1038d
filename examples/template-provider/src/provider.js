/**
 * A template provider as the directory encounters them: `GET /bot/<template_id>` returns JSON or an HTML page, `/`
 * lists the templates. It listens on this machine only.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { indexPage, notFoundPage, templatePage } from './pages.js';
import { templates } from './templates.js';

/** @typedef {{ status?: number, type?: string, body: string }} Answer */

/**
 * The provider's response at a path, to a caller that accepts these types.
 * @param {string} path
 * @param {string} accept
 * @returns {Answer}
 */
const answer = (path, accept) => {
  if (path === '/') return { body: indexPage(templates) };
  const template = templates.find(({ id }) => path === `/bot/${id}`);
  if (template === undefined) return { status: 404, body: notFoundPage };
  if (template.form !== 'json' || !accept.includes('application/json')) return { body: templatePage(template) };
  const { name, description, connectors = [] } = template;
  return { type: 'application/json', body: JSON.stringify({ name, description, connectors }) };
};

/**
 * Starts the provider on `127.0.0.1`; port 0 picks a free one.
 * @param {{ port?: number }} [options]
 */
export const startTemplateProvider = async ({ port = 0 } = {}) => {
  const server = createServer((request, response) => {
    const [path = '/'] = (request.url ?? '/').split('?');
    const { status = 200, type = 'text/html; charset=utf-8', body } = answer(path, request.headers.accept ?? '');
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
