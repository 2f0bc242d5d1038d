/** The README's comparison with other libraries (decision 0090): every cell is measured here, by using them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundledSize } from '@bot-directory/check-runtimes/bundled-size';
import { kilobytes, tableRows } from '@bot-directory/check-runtimes/readme-table';
import { Webhooks } from '@octokit/webhooks';
import { Webhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { expect, it } from 'vitest';
import { createReceiver, memoryDedupe, verify } from '@bot-directory/webhook-receiver';
import { generateKeyPair, generateSecret, sampleEvent, signedDelivery } from '@bot-directory/webhook-receiver/testing';

const here = import.meta.dirname;
const secret = generateSecret();
const { publicKey, privateKey } = await generateKeyPair();
const event = sampleEvent('ping');
const body = JSON.stringify(event);

/** Returns whether a call succeeds: it neither throws nor resolves to false. */
const does = async (call: () => unknown): Promise<boolean> => {
  try {
    return (await call()) !== false;
  } catch {
    return false;
  }
};
const signed = async (key: string, at = Date.now()) => (await signedDelivery({ event, body, key, at })).headers;

/** One library, as its user calls it. GitHub has its own scheme, so what does not apply to it is left out. */
interface Library {
  name: string;
  imports: string;
  /** Verifies by this key. */
  verify?: (input: unknown, headers: unknown, key: string) => unknown;
}

const libraries: Library[] = [
  {
    name: 'this package',
    imports: `export { createReceiver } from '../../../packages/webhook-receiver/dist/index.js';`,
    verify: (input, headers, keys) => verify(input as string, headers as Record<string, string>, { keys }),
  },
  {
    name: 'standardwebhooks 1.1.1',
    imports: `export { Webhook } from 'standardwebhooks';`,
    verify: (input, headers, key) => new Webhook(key).verify(input as string, headers as Record<string, string>),
  },
  {
    name: 'svix 1.99.1 `Webhook`',
    imports: `export { Webhook } from 'svix';`,
    verify: (input, headers, key) => new SvixWebhook(key).verify(input as string, headers as Record<string, string>),
  },
  { name: '@octokit/webhooks 14.2.0', imports: `export { Webhooks } from '@octokit/webhooks';` },
];

const sizeOf = async (module: string): Promise<string> => kilobytes(await bundledSize({ folder: here }, module));

/** GitHub's own scheme, `sha256=`, by its own signer. */
const octokit = async (id: string, handled: () => unknown): Promise<void> => {
  const webhooks = new Webhooks({ secret });
  webhooks.on('push', handled);
  const payload = '{"ref":"refs/heads/main"}';
  await webhooks.verifyAndReceive({ id, name: 'push', payload, signature: await webhooks.sign(payload) });
  await webhooks.verifyAndReceive({ id, name: 'push', payload, signature: await webhooks.sign(payload) });
};

const rows: [string, (library: Library) => Promise<string | boolean | undefined>][] = [
  ['minified and gzipped', ({ imports }) => sizeOf(imports)],
  ['scheme `v1`', async ({ verify: call }) => call && does(async () => call(body, await signed(secret), secret))],
  [
    'scheme `v1a`',
    async ({ verify: call }) => call && does(async () => call(body, await signed(privateKey), publicKey)),
  ],
  [
    'body as `Uint8Array`',
    async ({ verify: call }) =>
      call && does(async () => call(new TextEncoder().encode(body), await signed(secret), secret)),
  ],
  [
    '`Headers` object',
    async ({ verify: call }) => call && does(async () => call(body, new Headers(await signed(secret)), secret)),
  ],
  [
    'refuses a timestamp with more behind it',
    async ({ verify: call }) => {
      const headers = await signed(secret);
      headers['webhook-timestamp'] = `${headers['webhook-timestamp'] ?? ''}junk`;
      return call && !(await does(() => call(body, headers, secret)));
    },
  ],
  [
    'handles a duplicate once',
    async ({ name, verify: call }) => {
      let count = 0;
      if (name === 'this package') {
        const receiver = createReceiver({ keys: secret, dedupe: memoryDedupe(), on: { ping: () => (count += 1) } });
        const headers = await signed(secret);
        for (let i = 0; i < 2; i += 1) await receiver.receive({ headers, read: () => Promise.resolve(body) });
        return count === 1;
      }
      if (call === undefined) {
        await octokit('one-id', () => (count += 1));
        return count === 1;
      }
      const headers = await signed(secret);
      for (let i = 0; i < 2; i += 1) if (await does(() => call(body, headers, secret))) count += 1;
      return count === 1;
    },
  ],
];

it('the README’s table is what is measured', async () => {
  const cell = (found: string | boolean | undefined) =>
    found === undefined ? 'its own scheme' : typeof found === 'string' ? found : found ? 'yes' : 'no';
  const table = [
    ['', ...libraries.map(({ name }) => name)],
    ['---', ...libraries.map(() => '---')],
  ];
  for (const [title, measure] of rows) {
    const cells = [];
    for (const library of libraries) cells.push(cell(await measure(library)));
    table.push([title, ...cells]);
  }
  const measured = table.map((row) => row.join(' | '));
  const readme = readFileSync(join(here, '../../../packages/webhook-receiver/README.md'), 'utf8');
  expect(tableRows(readme, '## Compared with other libraries')).toEqual(measured);
});
