/** The commands. Each prints its result and returns the exit code. */
import { ConfigurationError } from '../errors.ts';
import type { EventType } from '../event.ts';
import { sampleEvent, signedDelivery } from '../testing/request.ts';
import { generateKeyPair } from '../testing/sign.ts';
import { checksOf, describe, reasonOf, runCheck } from './checks.ts';
import type { Post } from './post.ts';

/** The input of a command. */
export interface Command {
  url: string;
  /** `whsk_` or `whsec_`. */
  key: string;
  type: EventType;
  /** A URL whose GET returns how many events the receiver has handled. */
  count?: string | undefined;
  post: Post;
  print: (line: string) => void;
}

/** Posts one signed event. Returns 0 if the receiver accepts it. */
export const send = async ({ url, key, type, post, print }: Command): Promise<number> => {
  const event = sampleEvent(type);
  const delivery = await signedDelivery({ event, key });
  try {
    const answered = await post(url, delivery);
    print(`${event.type} ${event.id}: ${describe(answered)}`);
    return answered.status >= 200 && answered.status < 300 ? 0 : 1;
  } catch (error) {
    print(`${event.type} ${event.id}: ${reasonOf(error)}`);
    return 1;
  }
};

/** Runs every check and prints a table. Returns 0 if the receiver passes all of them. */
export const check = async ({ url, key, type, count, post, print }: Command): Promise<number> => {
  let failures = 0;
  const row = (passed: boolean | undefined, ...cells: string[]): void => {
    const mark = passed === undefined ? '' : passed ? 'ok' : 'BAD';
    const line = [mark, ...cells].map((cell, index) => cell.padEnd([3, 23, 8, 22][index] ?? 0));
    print(line.join('  ').trimEnd());
    if (passed === false) failures += 1;
  };
  // A key that cannot sign is the caller's mistake, and says nothing about the receiver.
  await signedDelivery({ event: sampleEvent(type), key });
  const before = count === undefined ? undefined : await readCount(count);
  for (const [index, one] of checksOf(() => sampleEvent(type), key).entries()) {
    const { passed, reached, found } = await runCheck(url, one, post);
    if (index === 0) {
      // Nothing else can be said of a receiver that is not there.
      if (!reached) {
        print(`${url}: ${found}`);
        return 1;
      }
      row(undefined, 'delivery', 'expected', 'answered', 'otherwise');
    }
    row(passed, one.name, one.expected, found, one.otherwise);
    if (one.name !== 'duplicate' || count === undefined) continue;
    const after = await readCount(count);
    const handled = after - (before ?? 0);
    row(handled === 1, 'handled once', '1', `${handled}`, 'an event is handled twice, or not at all');
  }
  if (failures > 0) print(`Checks failed: ${failures}.`);
  else if (count === undefined)
    print('Passed. Whether the duplicate was handled twice cannot be seen from outside: use --count.');
  else print('All checks passed.');
  return failures === 0 ? 0 : 1;
};

/** Has a directory ping a registered URL. Returns 0 if it accepts the ping. */
export const test = async (url: string, directory: string, print: (line: string) => void): Promise<number> => {
  try {
    const response = await fetch(new URL('/api/webhooks/bots/test', directory), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ url }),
    });
    const { detail, failure } = (await response.json()) as { detail?: string; failure?: string | null };
    print(detail ?? `the directory answered ${response.status}`);
    return response.ok && failure === null ? 0 : 1;
  } catch (error) {
    print(`${directory}: ${reasonOf(error)}`);
    return 1;
  }
};

/** Reads how many events the receiver has handled. */
const readCount = async (url: string): Promise<number> => {
  const text = await fetch(url, { signal: AbortSignal.timeout(10_000) })
    .then((response) => response.text())
    .catch((error: unknown) => reasonOf(error));
  if (!/^\s*\d+\s*$/.test(text))
    throw new ConfigurationError(`--count must return a number, not: ${text.slice(0, 80)}`);
  return Number(text);
};

/** Prints a throw-away key pair. */
export const makeKey = async (print: (line: string) => void): Promise<number> => {
  const { publicKey, privateKey } = await generateKeyPair();
  print(`for the receiver:  ${publicKey}`);
  print(`for this command:  ${privateKey}`);
  return 0;
};
