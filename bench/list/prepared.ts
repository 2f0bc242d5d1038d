/** A finished response: what a contender that only writes sends. */
import { get } from 'node:http';

/** `headers` is a flat list of names and values; `body` is base64. */
export type Prepared = { readonly status: number; readonly headers: readonly string[]; readonly body: string };

/** What peers serve: the list and the home page. */
export const servedPaths = ['/api/bots', '/'] as const;

/** Headers that Node itself writes, the same for every server. */
const ofTheConnection = ['date', 'connection', 'keep-alive'];

/** A request: a path of the API and the headers that choose the form of the response. */
export type Question = { readonly path: string; readonly headers: Readonly<Record<string, string>> };

/** Requests a response from a server, to prepare it for others. */
export const prepare = (port: number, { path, headers }: Question): Promise<Prepared> =>
  new Promise((resolve, reject) => {
    get({ port, host: '127.0.0.1', path, headers, agent: false }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject);
      answer.on('end', () => {
        const kept = answer.rawHeaders.filter(
          (_, i, all) => !ofTheConnection.includes((all[i - (i % 2)] ?? '').toLowerCase()),
        );
        resolve({ status: answer.statusCode ?? 0, headers: kept, body: Buffer.concat(chunks).toString('base64') });
      });
    }).on('error', reject);
  });

/** Returns the value of a header. */
export const headerOf = ({ headers }: Prepared, name: string): string | undefined => {
  const index = headers.findIndex((header, i) => i % 2 === 0 && header.toLowerCase() === name);
  return index === -1 ? undefined : headers[index + 1];
};

/** Returns its headers as an object, for libraries that take one. */
export const headersObject = ({ headers }: Pick<Prepared, 'headers'>): Record<string, string> => {
  const pairs: Record<string, string> = {};
  for (let i = 0; i < headers.length; i += 2) pairs[headers[i] ?? ''] = headers[i + 1] ?? '';
  return pairs;
};
