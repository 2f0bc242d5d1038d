/**
 * What the package promises in every runtime, checked only with what all of them have. It is bundled with the built
 * package, runs in each runtime, and returns what failed.
 */
import { equal, runChecks, type Checks } from '@bot-directory/check-runtimes/conformance';
import {
  createReceiver,
  memoryDedupe,
  parse,
  remoteKeys,
  SignatureError,
  verify,
  WebhookError,
} from '@bot-directory/webhook-receiver';
import { fetchHandler } from '@bot-directory/webhook-receiver/fetch';
import { honoHandler } from '@bot-directory/webhook-receiver/hono';
import { lambdaHandler } from '@bot-directory/webhook-receiver/lambda';
import {
  generateKeyPair,
  generateSecret,
  sampleEvent,
  signedDelivery,
  signedRequest,
} from '@bot-directory/webhook-receiver/testing';

const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'no error',
    (error: unknown) => (error instanceof WebhookError ? error.code : String(error)),
  );

interface Directory {
  /** Lists the public half of `privateKey`. */
  origin: string;
  privateKey: string;
}

const checks: Checks<Directory> = {
  'both schemes verify, and no other key': async () => {
    const [pair, other] = await Promise.all([generateKeyPair(), generateKeyPair()]);
    const secret = generateSecret();
    for (const [key, known] of [
      [pair.privateKey, pair.publicKey],
      [secret, secret],
    ] as const) {
      const { headers, body } = await signedDelivery({ key });
      equal((await verify(body, headers, { keys: [other.publicKey, known] })).id, headers['webhook-id']);
      equal(await codeOf(verify(body, headers, { keys: other.publicKey })), 'invalid_signature');
      equal(await codeOf(verify(`${String(body)} `, new Headers(headers), { keys: known })), 'invalid_signature');
    }
  },
  'a delivery of the service verifies by the keys of its route': async ({ origin, privateKey }) => {
    const keys = remoteKeys(origin);
    const event = sampleEvent('bot.created', { name: 'Ünïcödé ✓' });
    const { headers, body } = await signedDelivery({ event, key: privateKey });
    const parsed = await parse(body, headers, { keys });
    equal(parsed.known && parsed.type === 'bot.created' && parsed.data.name, 'Ünïcödé ✓');
  },
  'keys from a redirect count as none': async ({ origin, privateKey }) => {
    const { headers, body } = await signedDelivery({ key: privateKey });
    equal(await codeOf(parse(body, headers, { keys: remoteKeys(`${origin}/moved`) })), 'keys_unavailable');
  },
  'each wrong input has its code': async () => {
    const key = generateSecret();
    const at = async (options: { at?: number; body?: string | Uint8Array }, headers = {}) => {
      const delivery = await signedDelivery({ key, ...options });
      return codeOf(parse(delivery.body, { ...delivery.headers, ...headers }, { keys: key }));
    };
    equal(await at({ at: Date.now() - 400_000 }), 'timestamp_too_old');
    equal(await at({ at: Date.now() + 400_000 }), 'timestamp_too_new');
    equal(await at({}, { 'webhook-timestamp': '12junk' }), 'invalid_timestamp');
    equal(await at({}, { 'webhook-id': ['a', 'b'] }), 'invalid_header');
    equal(await at({ body: '{' }), 'invalid_json');
    equal(await at({ body: Uint8Array.of(255) }), 'invalid_encoding');
    equal(await at({ body: '{}' }), 'invalid_envelope');
    equal(await at({}, { 'x-service-event': 'other' }), 'header_mismatch');
    equal(await codeOf(parse({} as unknown as string, {}, { keys: key })), 'body_already_parsed');
    equal(new SignatureError() instanceof WebhookError, true);
  },
  'the receiver handles once, by Request, Hono and Lambda': async () => {
    const key = generateSecret();
    let count = 0;
    const receiver = createReceiver({ keys: key, dedupe: memoryDedupe(), on: { 'bot.created': () => (count += 1) } });
    const request = await signedRequest({ event: sampleEvent('bot.created'), key });
    const again = request.clone();
    const first = await fetchHandler(receiver)(request);
    const second = await honoHandler(receiver)({ req: { raw: again, arrayBuffer: () => again.arrayBuffer() } });
    equal(
      [first.status, await first.json(), second.status, await second.json()],
      [200, { code: 'handled' }, 200, { code: 'duplicate' }],
    );
    const { headers, body } = await signedDelivery({ event: sampleEvent('bot.created'), key });
    const result = await lambdaHandler(receiver)({ headers, body: btoa(String(body)), isBase64Encoded: true });
    equal([result.statusCode, count], [200, 2]);
  },
  'the receiver answers what is too long, late and broken': async () => {
    const key = generateSecret();
    const aborted: boolean[] = [];
    const receiver = createReceiver({
      keys: key,
      timeoutMs: 50,
      maxBytes: 1_000,
      onError: () => {},
      on: {
        'bot.created': (_, { signal }) =>
          new Promise((resolve) => signal.addEventListener('abort', () => resolve(aborted.push(signal.aborted)))),
        ping: () => Promise.reject(new Error('private')),
      },
    });
    const post = async (options: { event?: ReturnType<typeof sampleEvent>; body?: string }) => {
      const response = await fetchHandler(receiver)(await signedRequest({ key, ...options }));
      return [response.status, await response.text()];
    };
    equal(await post({ body: `"${'x'.repeat(1_000)}"` }), [413, '{"code":"body_too_large"}']);
    equal(await post({ event: sampleEvent('bot.created') }), [500, '{"code":"handler_timeout"}']);
    equal(await post({ event: sampleEvent('ping') }), [500, '{"code":"handler_failed"}']);
    equal(aborted, [true]);
  },
};

/** Runs every check. Returns name → what went wrong, or null. */
export const run = (directory: Directory): Promise<Record<string, string | null>> => runChecks(checks, directory);
