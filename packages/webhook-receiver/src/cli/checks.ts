/** What `check` sends, and what a right receiver answers. */
import {
  type Answered,
  deliver,
  type DeliveryOptions,
  type Envelope,
  signedDelivery,
  type SignedDelivery,
} from '../testing/request.ts';

/** One delivery and what must come of it. */
export interface Check {
  name: string;
  /** In words, for the table. */
  expected: string;
  passes: (answered: Answered) => boolean;
  delivery: () => Promise<SignedDelivery>;
}

/** What came of a check. */
export interface Checked {
  name: string;
  expected: string;
  passed: boolean;
  /** Status and code, or why there was no answer. */
  found: string;
}

const accepted = { expected: '2xx', passes: ({ status }: Answered) => status >= 200 && status < 300 };
const refused = { expected: '4xx', passes: ({ status }: Answered) => status >= 400 && status < 500 };

const hourMs = 3_600_000;
const oversizeBytes = 1_048_576;

/** The checks, in order: the duplicate follows what it repeats. `makeEvent` gives an event with a new id. */
export const checksOf = (makeEvent: () => Envelope, key: string): Check[] => {
  const signed = (options: Partial<DeliveryOptions> = {}) => signedDelivery({ event: makeEvent(), key, ...options });
  const valid = signed();
  const spaced = () => {
    const event = makeEvent();
    return signed({ event, body: JSON.stringify(event, null, 3) });
  };
  const badlySigned = async (): Promise<SignedDelivery> => {
    const [one, other] = await Promise.all([signed(), signed()]);
    return { ...one, headers: { ...one.headers, 'webhook-signature': other.headers['webhook-signature'] ?? '' } };
  };
  return [
    { name: 'valid', ...accepted, delivery: () => valid },
    { name: 'duplicate', ...accepted, delivery: () => valid },
    { name: 'bad signature', ...refused, delivery: badlySigned },
    { name: 'an hour old', ...refused, delivery: () => signed({ at: Date.now() - hourMs }) },
    { name: 'an hour in the future', ...refused, delivery: () => signed({ at: Date.now() + hourMs }) },
    {
      name: 'unknown type',
      ...accepted,
      delivery: () => signed({ event: { ...makeEvent(), type: 'webhook_receiver.check' } }),
    },
    {
      name: 'oversize (1 MiB)',
      ...refused,
      delivery: () => signed({ body: JSON.stringify({ ...makeEvent(), pad: 'x'.repeat(oversizeBytes) }) }),
    },
    { name: 'not JSON', ...refused, delivery: () => signed({ body: 'not JSON' }) },
    { name: 're-spaced JSON', ...accepted, delivery: spaced },
  ];
};

/** Makes one check against a receiver. */
export const runCheck = async (url: string, { name, expected, passes, delivery }: Check): Promise<Checked> => {
  try {
    const answered = await deliver(url, await delivery());
    return { name, expected, passed: passes(answered), found: describe(answered) };
  } catch (error) {
    return { name, expected, passed: false, found: reasonOf(error) };
  }
};

/** An answer in a few words. */
export const describe = ({ status, code }: Answered): string =>
  code === undefined ? String(status) : `${status} ${code}`;

/** Why there was no answer. */
export const reasonOf = (error: unknown): string => {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return `no answer: ${cause instanceof Error ? cause.message || cause.name : String(cause)}`;
};
