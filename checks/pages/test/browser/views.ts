/** Pages without a directory behind them. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { assets, page as render, type Frame, type View } from '@bot-directory/site';
import { categories } from '../../../../packages/site/test/samples.ts';
import { frameOf, pageHeaders } from '../../../../packages/server/src/site/site.ts';

/** Serves views at `/<number>`, with the styles and the policy of the server. */
export const serveViews = async (
  views: Readonly<Record<string, View>>,
  frames: Readonly<Record<string, Partial<Frame>>> = {},
) => {
  const baseUrl = 'https://directory.example.com';
  const names = { name: 'Bot Directory', description: 'Bots for everyone.', contact: undefined, accent: undefined };
  const hosts = {
    template: { host: 'templates.example.com', installOrigin: 'https://templates.example.com' },
    social: { host: 'x.com' },
  };
  const frame = frameOf({ baseUrl, ...hosts, site: names, approveFirst: false, categories }, assets, true);
  const headers = [...pageHeaders(), 'Content-Type', 'text/html; charset=utf-8'];
  const documents = Object.entries(views).map(([name, view]) => render({ ...frame, ...frames[name] }, view));
  const server = createServer(({ url = '/' }, res) => {
    const file = assets.find(({ path }) => path === url);
    if (file !== undefined) res.setHeader('Content-Type', file.type).end(file.body);
    else res.writeHead(200, headers).end(documents[Number(url.slice(1))] ?? '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { documents, origin: `http://127.0.0.1:${port}`, stop: () => void server.close() };
};
