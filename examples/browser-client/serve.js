/** Serves the page on http://localhost:4000 (or PORT), for trying it out. */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';

const files = {
  '/': ['index.html', 'text/html'],
  '/style.css': ['style.css', 'text/css'],
  '/dist/main.js': ['dist/main.js', 'text/javascript'],
};
const port = Number(process.env.PORT ?? 4000);

/** The server; the test starts it on a port of its own. */
export const server = createServer(async (request, response) => {
  const { pathname } = new URL(request.url ?? '/', 'http://localhost');
  const [name, type] = Object.entries(files).find(([path]) => path === pathname)?.[1] ?? [];
  if (name === undefined) return response.writeHead(404).end();
  response
    .writeHead(200, { 'content-type': `${type}; charset=utf-8` })
    .end(await readFile(new URL(name, import.meta.url)));
});

server.listen(port, 'localhost', () => console.log(`http://localhost:${port}/`));
