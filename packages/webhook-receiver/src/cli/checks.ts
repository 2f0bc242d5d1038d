/** What `check` sends, what a correct receiver responds, and what a failure means for the receiver's owner. */
import { fromBase64, toBase64 } from '../bytes.ts';
import {
  type Answered,
  type DeliveryOptions,
  type Envelope,
  signedDelivery,
  type SignedDelivery,
} from '../testing/request.ts';
import { generateKeyPair, generateSecret } from '../testing/sign.ts';
import type { Post } from './post.ts';

/** One delivery and its expected result. */
export interface Check {
  name: string;
  /** The expected result in words, for the table. */
  expected: string;
  passes: (answered: Answered) => boolean;
  /** What a failure means for the receiver's owner. */
  otherwise: string;
  delivery: () => Promise<SignedDelivery>;
}

/** The result of a check. */
export interface Checked {
  passed: boolean;
  /** Whether there was a response. */
  reached: boolean;
  /** Status and code, or why there was no response. */
  found: string;
}

const accepted = { expected: '2xx', passes: ({ status }: Answered) => status >= 200 && status < 300 };
const refused = { expected: '4xx', passes: ({ status }: Answered) => status >= 400 && status < 500 };

const hourMs = 3_600_000;
const oversizeBytes = 1_048_576;
const signatureName = 'webhook-signature';

const without = ({ headers, body }: SignedDelivery, pattern: RegExp): SignedDelivery => ({
  headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !pattern.test(name))),
  body,
});
const withHeader = ({ headers, body }: SignedDelivery, name: string, value: string): SignedDelivery => ({
  headers: { ...headers, [name]: value },
  body,
});

/** Makes a well-formed signature that no key made. */
const foreign = (signature: string): string => {
  const [scheme = '', base64 = ''] = signature.split(',');
  return `${scheme},${toBase64((fromBase64(base64) ?? new Uint8Array(32)).map((byte) => byte ^ 0xff))}`;
};

type Sign = (options?: Partial<DeliveryOptions>) => Promise<SignedDelivery>;

/**
 * Makes the checks, in order; the duplicate follows the delivery that it repeats. `makeEvent` makes an event with a new
 * id.
 */
export const checksOf = (makeEvent: () => Envelope, key: string): Check[] => {
  const sign: Sign = (options = {}) => signedDelivery({ event: makeEvent(), key, ...options });
  const valid = sign();
  return [
    { name: 'valid', ...accepted, otherwise: 'events are lost: no delivery is ever taken', delivery: () => valid },
    { name: 'duplicate', ...accepted, otherwise: 'a repeated delivery counts as a failure', delivery: () => valid },
    ...forgeries(makeEvent, key, sign),
    ...oldAndNew(sign),
    ...forms(makeEvent, sign),
  ];
};

/** Makes the checks of what a sender without the key might send. */
const forgeries = (makeEvent: () => Envelope, key: string, sign: Sign): Check[] => {
  const rows: [string, string, () => Promise<SignedDelivery>][] = [
    ['no webhook headers', 'anyone can forge events', async () => without(await sign(), /^webhook-/)],
    [
      'no signature',
      'anyone can forge events: they leave the header out',
      async () => without(await sign(), /signature/),
    ],
    [
      'bad signature',
      'anyone can forge events',
      async () => {
        const one = await sign();
        return withHeader(one, signatureName, foreign(one.headers[signatureName] ?? ''));
      },
    ],
    [
      'unknown key',
      'anyone can forge events: any key will do',
      async () => sign({ key: key.startsWith('whsk_') ? (await generateKeyPair()).privateKey : generateSecret() }),
    ],
    [
      'changed body',
      'events can be altered on their way',
      async () => {
        const { headers, body } = await sign();
        return { headers, body: JSON.stringify({ ...(JSON.parse(String(body)) as object), altered: true }) };
      },
    ],
    [
      'changed id',
      'one event can be replayed under new ids',
      async () => {
        const event = makeEvent();
        const { headers } = await sign({ event });
        const other = { ...event, id: makeEvent().id };
        return { headers: { ...headers, 'webhook-id': other.id }, body: JSON.stringify(other) };
      },
    ],
    [
      'changed timestamp',
      'old deliveries can be replayed forever',
      async () =>
        withHeader(
          await sign({ at: Date.now() - 60_000 }),
          'webhook-timestamp',
          String(Math.floor(Date.now() / 1_000)),
        ),
    ],
  ];
  return rows.map(([name, otherwise, delivery]) => ({ name, ...refused, otherwise, delivery }));
};

/** Replays, and key rotation. */
const oldAndNew = (sign: Sign): Check[] => [
  {
    name: 'foreign signature first',
    ...accepted,
    otherwise: 'deliveries fail while a key is rotated: read every signature, not the first',
    delivery: async () => {
      const one = await sign();
      const good = one.headers[signatureName] ?? '';
      return withHeader(one, signatureName, `${foreign(good)} ${good}`);
    },
  },
  {
    name: 'an hour old',
    ...refused,
    otherwise: 'a delivery that leaks can be replayed forever',
    delivery: () => sign({ at: Date.now() - hourMs }),
  },
  {
    name: 'an hour in the future',
    ...refused,
    otherwise: 'deliveries can be stockpiled and sent later',
    delivery: () => sign({ at: Date.now() + hourMs }),
  },
];

/** Bodies of other types, sizes and formats. */
const forms = (makeEvent: () => Envelope, sign: Sign): Check[] => [
  {
    name: 'unknown type',
    ...accepted,
    otherwise: 'the first event of a new type stops all deliveries',
    delivery: () => sign({ event: { ...makeEvent(), type: 'webhook_receiver.check' } }),
  },
  {
    name: 'oversize (1 MiB)',
    ...refused,
    otherwise: 'anyone can fill your memory',
    delivery: () => sign({ body: JSON.stringify({ ...makeEvent(), pad: 'x'.repeat(oversizeBytes) }) }),
  },
  {
    name: 'not JSON',
    ...refused,
    otherwise: 'unreadable bodies count as handled',
    delivery: () => sign({ body: 'not JSON' }),
  },
  {
    name: 're-spaced JSON',
    ...accepted,
    otherwise: 'good deliveries fail: the body is parsed and rewritten before it is verified',
    delivery: () => {
      const event = makeEvent();
      return sign({ event, body: JSON.stringify(event, null, 3) });
    },
  },
];

/** Runs one check against a receiver. */
export const runCheck = async (url: string, { passes, delivery }: Check, post: Post): Promise<Checked> => {
  try {
    const answered = await post(url, await delivery());
    return { passed: passes(answered), reached: true, found: describe(answered) };
  } catch (error) {
    return { passed: false, reached: false, found: reasonOf(error) };
  }
};

/** Describes a response in a few words. */
export const describe = ({ status, code }: Answered): string =>
  code === undefined ? String(status) : `${status} ${code}`;

/** Says why there was no response. */
export const reasonOf = (error: unknown): string => {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const { message, code, name } = Object(cause) as Partial<Error & { code: string }>;
  const hint = /CERT|ISSUER|SIGNATURE/.test(code ?? '') ? '; --ca names a file with its authority' : '';
  return `no response: ${message || code || name || String(cause)}${hint}`;
};
