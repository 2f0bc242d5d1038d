/**
 * Fetches a template from the template provider. Redirects are followed only on its own host; at most 1 MiB is read,
 * within 5 seconds in all. `domain/template-page.ts` reads the page.
 */
import { Agent, request } from 'undici';
import { readUrl } from '../base/parsed.ts';
import { reasonOf } from '../base/failure.ts';
import { readTemplatePage, type TemplatePage } from '../domain/template-page.ts';
import type { TemplateId } from '../domain/links.ts';
import { createOverlappingConnector } from './connect-race.ts';

/** The result. `unavailable.why` is for the log. */
export type TemplateOutcome =
  | { readonly outcome: 'found'; readonly page: TemplatePage }
  | { readonly outcome: 'missing' }
  | { readonly outcome: 'unavailable'; readonly why: string };

export type FetchTemplate = (id: TemplateId) => Promise<TemplateOutcome>;

const timeoutMs = 5_000;
const maxBytes = 1_048_576;
const maxRedirects = 5;

/** Fetches templates from `<origin>/bot/<template_id>`. Never throws. */
export const createFetchTemplate = (origin: string): FetchTemplate => {
  const get = createGet();
  return async (id) => {
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      return await follow(new URL(`${origin}/bot/${id}`), { get, signal, redirects: maxRedirects });
    } catch (error) {
      return unavailable(signal.aborted ? `no answer within ${timeoutMs} ms` : reasonOf(error));
    }
  };
};

type Get = (url: URL, signal: AbortSignal) => ReturnType<typeof request>;

const requestHeaders = { accept: 'application/json, text/html;q=0.9', 'user-agent': 'Public-Bot-Directory/1.0' };
/** What a request fails with whose connection is closed by the other side. */
const closed = /^(UND_ERR_SOCKET|ECONNRESET|EPIPE)$/;

/**
 * A server may close a connection that was kept open just as the next request is on its way: such a request is repeated
 * once, on a new connection.
 */
const createGet = (): Get => {
  const connect = createOverlappingConnector(timeoutMs);
  const [keeping, opening] = [new Agent({ connect }), new Agent({ connect, pipelining: 0 })];
  return (url, signal) =>
    request(url, { dispatcher: keeping, signal, headers: requestHeaders }).catch((error: unknown) => {
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      if (!closed.test(code)) throw error;
      return request(url, { dispatcher: opening, signal, headers: requestHeaders });
    });
};

type Hop = { readonly get: Get; readonly signal: AbortSignal; readonly redirects: number };

const follow = async (url: URL, hop: Hop): Promise<TemplateOutcome> => {
  const { statusCode, headers, body } = await hop.get(url, hop.signal);
  // A destroyed body emits an error; without a listener, that would end the process.
  if (statusCode !== 200) body.on('error', () => undefined).destroy();
  if (statusCode === 404 || statusCode === 410) return { outcome: 'missing' };
  if ([301, 302, 303, 307, 308].includes(statusCode)) return redirect(url, String(headers.location), hop);
  if (statusCode !== 200) return unavailable(`status ${statusCode}`);
  const text = await readText(body);
  if (text === undefined) return unavailable(`more than ${maxBytes} bytes`);
  const page = readTemplatePage(asText(headers['content-type']), text);
  return page === undefined ? unavailable('no name could be read') : { outcome: 'found', page };
};

const redirect = (from: URL, location: string, hop: Hop): Promise<TemplateOutcome> | TemplateOutcome => {
  if (hop.redirects === 0) return unavailable('too many redirects');
  const to = readUrl(location, from);
  if (to === undefined) return unavailable('a redirect without a valid location');
  // The same host, and never from https to http.
  if (to.host !== from.host || (to.protocol !== from.protocol && to.protocol !== 'https:'))
    return unavailable('a redirect to another host');
  return follow(to, { ...hop, redirects: hop.redirects - 1 });
};

const readText = async (body: AsyncIterable<Buffer> & { destroy(): unknown }): Promise<string | undefined> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
};

const asText = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header[0] : header;
const unavailable = (why: string): TemplateOutcome => ({ outcome: 'unavailable', why });
