/** The commands: each prints what it has to say and answers with the exit code. */
import type { EventType } from '../event.ts';
import { deliver, type Envelope, sampleEvent, signedDelivery } from '../testing/request.ts';
import { generateKeyPair } from '../testing/sign.ts';
import { checksOf, describe, reasonOf, runCheck } from './checks.ts';

/** What a command works with. */
export interface Command {
  url: string;
  /** `whsk_` or `whsec_`. */
  key: string;
  type: EventType;
  print: (line: string) => void;
}

const newEvent = (type: EventType): Envelope => (type === 'ping' ? sampleEvent('ping') : sampleEvent('bot.created'));

/** Posts one signed event. 0 when the receiver takes it. */
export const send = async ({ url, key, type, print }: Command): Promise<number> => {
  const event = newEvent(type);
  const delivery = await signedDelivery({ event, key });
  try {
    const answered = await deliver(url, delivery);
    print(`${event.type} ${event.id}: ${describe(answered)}`);
    return answered.status >= 200 && answered.status < 300 ? 0 : 1;
  } catch (error) {
    print(`${event.type} ${event.id}: ${reasonOf(error)}`);
    return 1;
  }
};

/** Makes every check and prints a table. 0 when the receiver passes all. */
export const check = async ({ url, key, type, print }: Command): Promise<number> => {
  let failures = 0;
  const row = (...cells: string[]) =>
    print(
      cells
        .map((cell, index) => cell.padEnd([5, 24, 10][index] ?? 0))
        .join('')
        .trimEnd(),
    );
  row('', 'delivery', 'expected', 'answered');
  for (const one of checksOf(() => newEvent(type), key)) {
    const { name, expected, passed, found } = await runCheck(url, one);
    row(passed ? 'ok' : 'BAD', name, expected, found);
    if (!passed) failures += 1;
  }
  print(failures === 0 ? 'All is well.' : `Not as they should be: ${failures}.`);
  return failures === 0 ? 0 : 1;
};

/** Prints a key pair to throw away. */
export const makeKey = async (print: (line: string) => void): Promise<number> => {
  const { publicKey, privateKey } = await generateKeyPair();
  print(`for the receiver:  ${publicKey}`);
  print(`for this command:  ${privateKey}`);
  return 0;
};
