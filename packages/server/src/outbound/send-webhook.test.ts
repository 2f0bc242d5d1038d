import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startReceiver } from '@bot-directory/testing/receiver';
import { useStarted } from '@bot-directory/testing/use-started';
import { createIds } from '../base/ids.ts';
import { parseNetwork, type Network } from '../domain/ip-address.ts';
import { parseSigningKey, signingKeyText } from '../domain/signature.ts';
import { parseWebhookUrl } from '../domain/webhook-url.ts';
import { createSender } from './send-webhook.ts';

const receiver = useStarted(startReceiver);

const unwrap = <T>(parsed: { ok: true; value: T } | { ok: false; why: string }): T => {
  if (!parsed.ok) throw new Error(parsed.why);
  return parsed.value;
};
const everything = ['0.0.0.0/0', '::/0'].map((network) => unwrap(parseNetwork(network)));
const key = unwrap(parseSigningKey(signingKeyText(Buffer.alloc(32, 1))));
const ids = createIds(Date.now);

type SenderKind = { allowedNetworks?: readonly Network[]; type?: 'ping' | 'bot.created' };

/** Opens a sender, with a function that sends by it. `resolved`: what every name resolves to now. */
const open = ({ allowedNetworks = [], type = 'ping' }: SenderKind = {}) => {
  const resolved: { addresses: readonly string[] } = { addresses: [] };
  const sender = createSender(
    { clock: Date.now, signingKeys: () => Promise.resolve([key]) },
    {
      timeoutMs: 2_000,
      allowedNetworks,
      resolve: () => Promise.resolve(resolved.addresses),
      ca: receiver.ca,
      pingsPerOrigin: 1,
      onConnect: () => undefined,
    },
  );
  const sendTo = (text: string, isRetry = false) => {
    const { url } = unwrap(parseWebhookUrl(text, everything));
    return sender.send({ url, id: ids.delivery(), eventId: ids.event(), type, body: Buffer.from('{}'), isRetry });
  };
  return { sendTo, resolved, close: () => sender.close() };
};

/** Sends to a URL that was registered while every network was allowed. */
const sendTo = async (url: string, addresses: readonly string[] = []) => {
  const sender = open();
  sender.resolved.addresses = addresses;
  const outcome = await sender.sendTo(url);
  await sender.close();
  return outcome;
};

it.each(['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '10.0.0.1', '169.254.169.254'])(
  'refuses the literal %s at the connection itself, because no lookup sees it',
  async (host) => {
    const before = receiver.connections;
    expect(await sendTo(`https://${host}:${receiver.port}/`)).toEqual({
      kind: 'failed',
      failure: 'forbidden_address',
      isOurs: false,
    });
    expect(receiver.connections).toBe(before);
  },
);

it('refuses a name that has moved to a private address', async () => {
  const before = receiver.connections;
  expect(await sendTo(`https://good.hooks.example.com:${receiver.port}/`, ['127.0.0.1'])).toEqual({
    kind: 'failed',
    failure: 'forbidden_address',
    isOurs: false,
  });
  expect(receiver.connections).toBe(before);
});

describe('a connection to a server that is known', () => {
  const url = (): string => `https://known.hooks.example.com:${receiver.port}/`;
  const delivered = { kind: 'delivered', status: 204 };
  beforeAll(() => receiver.respond((_received, res) => res.writeHead(204, { connection: 'close' }).end()));
  afterAll(() => receiver.respond(204));

  it.each(['ping', 'bot.created'] as const)('resumes its TLS session (%s)', async (type) => {
    const sender = open({ allowedNetworks: everything, type });
    sender.resolved.addresses = ['127.0.0.1'];
    const before = { connections: receiver.connections, resumed: receiver.resumed };
    for (let i = 0; i < 3; i += 1) {
      expect(await sender.sendTo(url())).toEqual(delivered);
    }
    expect(receiver.connections - before.connections).toBe(3);
    expect(receiver.resumed - before.resumed).toBe(2);
    await sender.close();
  });

  it('is made again when the server has forgotten the session', async () => {
    const sender = open({ allowedNetworks: everything });
    sender.resolved.addresses = ['127.0.0.1'];
    await sender.sendTo(url());
    receiver.forgetSessions();
    const before = receiver.resumed;
    expect(await sender.sendTo(url())).toEqual(delivered);
    expect(receiver.resumed).toBe(before);
    expect(await sender.sendTo(url())).toEqual(delivered);
    expect(receiver.resumed).toBe(before + 1);
    await sender.close();
  });

  it('is refused all the same once the name resolves to a private address', async () => {
    const sender = open({ allowedNetworks: [unwrap(parseNetwork('127.0.0.0/8'))] });
    sender.resolved.addresses = ['127.0.0.1'];
    expect(await sender.sendTo(url())).toEqual(delivered);
    const before = receiver.connections;
    sender.resolved.addresses = ['10.0.0.1'];
    expect(await sender.sendTo(url())).toMatchObject({ failure: 'forbidden_address' });
    expect(receiver.connections).toBe(before);
    await sender.close();
  });

  it('resumes no session of another server', async () => {
    const sender = open({ allowedNetworks: everything });
    sender.resolved.addresses = ['127.0.0.1'];
    await sender.sendTo(url());
    const before = receiver.resumed;
    expect(await sender.sendTo(`https://other.hooks.example.com:${receiver.port}/`)).toEqual(delivered);
    expect(receiver.resumed).toBe(before);
    await sender.close();
  });
});

it('follows a name that has moved when it tries again, although a connection is kept', async () => {
  receiver.respond(204);
  const sender = open({ allowedNetworks: [unwrap(parseNetwork('127.0.0.0/8'))], type: 'bot.created' });
  const url = `https://moved.hooks.example.com:${receiver.port}/`;
  sender.resolved.addresses = ['127.0.0.1'];
  const delivered = { kind: 'delivered', status: 204 };
  expect(await sender.sendTo(url)).toEqual(delivered);
  sender.resolved.addresses = ['10.0.0.1'];
  expect(await sender.sendTo(url)).toEqual(delivered);
  expect(await sender.sendTo(url, true)).toMatchObject({ failure: 'forbidden_address' });
  await sender.close();
});

describe('an endpoint', () => {
  const hints = 'HTTP/1.1 103 Early Hints\r\n\r\n';
  const url = () => `https://127.0.0.1:${receiver.port}/`;
  /** Sends once to an endpoint that responds like this. */
  const sendToOneThat = async (respond: (res: ServerResponse, socket: Socket) => void) => {
    receiver.respond((_received, res) => respond(res, res.socket as Socket));
    const sender = open({ allowedNetworks: everything, type: 'bot.created' });
    const outcome = await sender.sendTo(url());
    return { outcome, sender };
  };

  it('may give some hints before its response', async () => {
    const { outcome, sender } = await sendToOneThat((res, socket) => {
      socket.write(hints.repeat(5));
      res.writeHead(204).end();
    });
    expect(outcome).toEqual({ kind: 'delivered', status: 204 });
    await sender.close();
  });

  it('that sends hints forever is cut off before its time is over', async () => {
    const { outcome, sender } = await sendToOneThat((_res, socket) => {
      const more = (): void => {
        if (!socket.destroyed) socket.write(hints.repeat(100), more);
      };
      more();
    });
    expect(outcome).toEqual({ kind: 'failed', failure: 'response', isOurs: false });
    await sender.close();
  });

  it('that resets the connection after a hint has not responded', async () => {
    const { outcome, sender } = await sendToOneThat((_res, socket) => {
      socket.write(hints, () => socket.destroy());
    });
    expect(outcome).toEqual({ kind: 'failed', failure: 'connect', isOurs: false });
    await sender.close();
  });
});

it('takes the first of several Retry-After', async () => {
  receiver.respond((_received, res) => res.writeHead(503, { 'Retry-After': ['1', '2'] }).end());
  const sender = open({ allowedNetworks: everything });
  const outcome = await sender.sendTo(`https://127.0.0.1:${receiver.port}/`);
  expect(outcome).toMatchObject({ kind: 'failed', status: 503, retryAfter: '1' });
  await sender.close();
});
