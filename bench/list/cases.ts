/** The requests for the list, and the prepared response to each. */
import { setTimeout as sleep } from 'node:timers/promises';
import { headerOf, prepare, type Prepared, type Question } from './prepared.ts';

/** A request, and what the response must be. */
export type Case = {
  readonly name: string;
  readonly question: Question;
  readonly statuses: readonly number[];
  readonly encoding?: 'gzip' | 'br';
  /** It needs no store. */
  readonly isFixed?: true;
};

const whole = '/api/bots';

/** All that is measured, both at rest and under writes. */
export const cases: readonly Case[] = [
  { name: 'all bots', question: { path: whole, headers: {} }, statuses: [200] },
  {
    name: 'all bots, gzip',
    question: { path: whole, headers: { 'Accept-Encoding': 'gzip' } },
    statuses: [200],
    encoding: 'gzip',
  },
  {
    name: 'all bots, br',
    question: { path: whole, headers: { 'Accept-Encoding': 'br' } },
    statuses: [200],
    encoding: 'br',
  },
  { name: 'a page of 20', question: { path: `${whole}?limit=20`, headers: {} }, statuses: [200] },
  // While bots are published, a tag is good until the next one.
  { name: '304', question: { path: whole, headers: { 'If-None-Match': '{etag}' } }, statuses: [304, 200] },
];

/** The site's pages, as browsers request them. */
export const siteCases: readonly Case[] = [
  ...[
    { name: 'home page, br', path: '/' },
    { name: 'filtered page, br', path: '/categories/seo' },
    { name: 'API reference, br', path: '/docs', isFixed: true as const },
  ].map(({ path, ...named }) => ({
    ...named,
    question: { path, headers: { 'Accept-Encoding': 'br' } },
    statuses: [200],
    encoding: 'br' as const,
  })),
  {
    name: 'home page, 304',
    question: { path: '/', headers: { 'If-None-Match': '{etag}' } },
    statuses: [304, 200],
  },
];

/** Returns the directory's response, in the requested form. */
export const answerTo = async (port: number, { question, statuses, encoding }: Case): Promise<Prepared> => {
  const etag = headerOf(await prepare(port, { ...question, headers: {} }), 'etag') ?? '';
  const headers = Object.fromEntries(
    Object.entries(question.headers).map(([name, value]) => [name, value.replace('{etag}', etag)]),
  );
  for (;;) {
    const answer = await prepare(port, { ...question, headers });
    if (!statuses.includes(answer.status)) throw new Error(`${question.path}: ${answer.status}`);
    if (headerOf(answer, 'content-encoding') === encoding) return answer;
    await sleep(5);
  }
};

/** Returns the text of a request of the load. */
export const requestOf = ({ path, headers }: Question): string =>
  [`GET ${path} HTTP/1.1`, 'Host: 127.0.0.1', ...Object.entries(headers).map((pair) => pair.join(': ')), '\r\n'].join(
    '\r\n',
  );
