/**
 * Fetches a template from the template provider. Redirects are followed only on its own host; at most 1 MiB is read,
 * within 5 seconds in all. `domain/template-page.ts` reads the page.
 */
import { isIP } from 'node:net';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import { readUrl } from '../base/parsed.ts';
import { codeOf, reasonOf } from '../base/failure.ts';
import { isRedirect } from '../domain/attempt-words.ts';
import { parseRetryAfter } from '../domain/delivery.ts';
import {
  decodedBody,
  readTemplatePage,
  validatorsFrom,
  type TemplatePage,
  type TemplateValidators,
} from '../domain/template-page.ts';
import type { TemplateId } from '../domain/links.ts';
import { connectFirst, toPort } from './open-connection.ts';
import { createOperatorResolve, type Resolve } from './resolve.ts';

/** The result. `unchanged`: the validators that were sent are those of the template. */
export type TemplateOutcome =
  | { readonly outcome: 'found'; readonly page: TemplatePage; readonly validators: TemplateValidators | undefined }
  | { readonly outcome: 'unchanged' | 'missing' }
  | Unavailable;

/** No template was read. `why` is for the log. `isProviderDown`: other templates can hardly be read either. */
type Unavailable = {
  readonly outcome: 'unavailable';
  readonly why: string;
  readonly isProviderDown: boolean;
  readonly retryAfterMs?: number;
};

/** Fetches a template; with validators, only if it no longer has them. */
export type FetchTemplate = (id: TemplateId, known?: TemplateValidators) => Promise<TemplateOutcome>;

const timeoutMs = 5_000;
const maxBytes = 1_048_576;
const maxRedirects = 5;

/** Fetches templates from `<origin>/bot/<template_id>`. Never throws. */
export const createFetchTemplate = (origin: string, resolve: Resolve): FetchTemplate => {
  const get = createGet(createOperatorResolve(resolve));
  return async (id, { etag, lastModified } = {}) => {
    const deadline = new Deadline();
    const headers = {
      ...requestHeaders,
      ...(etag === undefined ? {} : { 'if-none-match': etag }),
      ...(lastModified === undefined ? {} : { 'if-modified-since': lastModified }),
    };
    try {
      return await follow(new URL(`${origin}/bot/${id}`), { get, headers, deadline, redirects: maxRedirects });
    } catch (error) {
      return down(reasonOf(error));
    } finally {
      deadline.clear();
    }
  };
};

/** The time limit of all successive requests for a template. An AbortSignal takes a fifth of a request's time. */
class Deadline {
  #onLate: (error: Error) => void = () => undefined;
  readonly #timer = setTimeout(() => this.#onLate(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);

  /** Replaces what is called when it is late. */
  set onLate(cut: (error: Error) => void) {
    this.#onLate = cut;
  }

  clear(): void {
    clearTimeout(this.#timer);
  }
}

/** A response. `body`: undefined if it is too long, or if the status says all. */
type Got = { readonly status: number; readonly headers: Headers; readonly body: Uint8Array | undefined };
type Headers = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2];

type Get = (url: URL, hop: Pick<Hop, 'deadline' | 'headers'>) => Promise<Got>;

const requestHeaders = { accept: 'application/json, text/html;q=0.9', 'user-agent': 'Public-Bot-Directory/1.0' };
/** The codes of a request that fails because the other side closes its connection. */
const closed = /^(UND_ERR_SOCKET|ECONNRESET|EPIPE)$/;

/**
 * A server may close a connection that was kept open just as the next request is on its way: such a request is repeated
 * once, on a new connection.
 */
const createGet = (resolve: Resolve): Get => {
  const connect = createOverlappingConnector(resolve);
  const keeping = new Agent({ connect });
  const opening = new Agent({ connect, pipelining: 0 });
  return (url, hop) =>
    exchange(keeping, url, hop).catch((error: unknown) => {
      if (!closed.test(codeOf(error))) throw error;
      return exchange(opening, url, hop);
    });
};

/** Sends one request, without undici's streams, which take a third of the time. */
const exchange = (agent: Agent, url: URL, { deadline, headers }: Pick<Hop, 'deadline' | 'headers'>): Promise<Got> =>
  new Promise((resolve, reject) => {
    let cut = (_error: Error): void => undefined;
    let head: Omit<Got, 'body'> = { status: 0, headers: {} };
    const chunks: Buffer[] = [];
    let bytes = 0;
    let late: Error | undefined;
    deadline.onLate = (error) => {
      late = error;
      reject(error);
      cut(error);
    };
    // Cut only later, so that a connection on which the rest has arrived already is kept.
    const leave = (): void => {
      resolve({ ...head, body: undefined });
      setImmediate(() => cut(new Error('the rest is not read')));
    };
    const path = `${url.pathname}${url.search}`;
    agent.dispatch(
      { origin: url.origin, path, method: 'GET', headers },
      {
        onRequestStart: (controller) => {
          cut = (error) => controller.abort(error);
          if (late !== undefined) cut(late);
        },
        onResponseStart: (_controller, status, received) => {
          head = { status, headers: received };
          if (status > 200) leave();
        },
        onResponseData: (_controller, chunk) => {
          bytes += chunk.length;
          if (bytes <= maxBytes) chunks.push(chunk);
          else leave();
        },
        onResponseEnd: () => resolve({ ...head, body: chunks.length === 1 ? chunks[0] : Buffer.concat(chunks) }),
        onResponseError: (_controller, error) => reject(error),
      },
    );
  });

/**
 * Makes a connector for undici whose connection attempts overlap; Node's own gives each address only a quarter of a
 * second. The operator names its hosts, so any address will do. The time limit is for connecting to one of the
 * addresses, and again for the TLS handshake.
 */
const createOverlappingConnector = (resolve: Resolve): buildConnector.connector => {
  const shakeHands = buildConnector({ timeout: timeoutMs, rejectUnauthorized: true });
  return (target, callback) => {
    const isTls = target.protocol === 'https:';
    const port = Number(target.port) || (isTls ? 443 : 80);
    const host = target.hostname;
    (isIP(host) === 0 ? resolve(host) : Promise.resolve([host]))
      .then((addresses) => connectFirst(addresses, toPort(port), AbortSignal.timeout(timeoutMs)))
      .then(
        (socket) => (isTls ? shakeHands({ ...target, httpSocket: socket }, callback) : callback(null, socket)),
        (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
      );
  };
};

type Hop = {
  readonly get: Get;
  readonly headers: Readonly<Record<string, string>>;
  readonly deadline: Deadline;
  readonly redirects: number;
};

const follow = async (url: URL, hop: Hop): Promise<TemplateOutcome> => {
  const { status, headers, body } = await hop.get(url, hop);
  if (status === 304 && ('if-none-match' in hop.headers || 'if-modified-since' in hop.headers))
    return { outcome: 'unchanged' };
  if (status === 404 || status === 410) return { outcome: 'missing' };
  if (isRedirect(status)) return redirect(url, String(headers.location), hop);
  if (status === 429 || status >= 500)
    return down(`status ${status}`, parseRetryAfter(asText(headers['retry-after']), Date.now()));
  if (status !== 200) return unavailable(`status ${status}`);
  if (body === undefined) return unavailable(`more than ${maxBytes} bytes`);
  const contentType = asText(headers['content-type']);
  const text = decodedBody(contentType, body);
  if (text === undefined) return unavailable('an unknown charset');
  const page = readTemplatePage(contentType, text);
  if (page === undefined) return unavailable('no name could be read');
  const validators = validatorsFrom(asText(headers.etag), asText(headers['last-modified']));
  return { outcome: 'found', page, validators };
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

const asText = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header[0] : header;

const unavailable = (why: string): Unavailable => ({ outcome: 'unavailable', why, isProviderDown: false });

const down = (why: string, retryAfterMs?: number): Unavailable => ({
  outcome: 'unavailable',
  why,
  isProviderDown: true,
  ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
});
