/** Faults that take more than a line: what strangers, owners of webhooks and operators do to a service under load. */
import { connect, type Socket } from 'node:net';
import { openRaw } from '@bot-directory/testing/raw-http';
import { startReceiver } from '@bot-directory/testing/receiver';
import { until } from '@bot-directory/testing/until';
import type { Allowance, Ledger } from './ledger.ts';
import { connectionsPerAddress, type World } from './world.ts';

const patienceMs = 60_000;
/** Where strangers come from, and where the endpoints of one owner are. */
const elsewhere = '127.0.0.66';

/** Stops each process as a deployment does. Nobody may notice: no write is refused, and nothing is sent twice. */
export const replaceAll = async (world: World): Promise<Allowance> => {
  const codes: (number | null)[] = [];
  for (let i = 0; i < world.webs.length; i += 1) {
    // A stop must not wait for clients that send nothing more.
    const silent = ['GET /api/events/stream HTTP/1.1\r\nHost: x\r\n\r\n', 'GET /api/bots HTTP/1.1\r\n'].map((bytes) => {
      const raw = openRaw(world.webs[i]?.url ?? '');
      raw.send(bytes);
      return raw.socket;
    });
    codes.push(await world.retireWeb(i));
    for (const socket of silent) socket.destroy();
  }
  for (let i = 0; i < world.workers.length; i += 1) codes.push(await world.retireWorker(i));
  if (codes.some((code) => code !== 0)) throw new Error(`processes ended with ${codes.join(', ')}`);
  return { interruptions: 0, mayRefuse: false, figures: `${codes.length} processes replaced` };
};

/** What a stranger may leave a connection with. The first two never become a request. */
const neverAsked = [
  'GET /api/bots HTTP/1.1\r\nHost: x\r\nX-Half',
  'POST /api/bots/submit HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 30000\r\n\r\n{',
];
const neverRead = [
  'GET /api/bots HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(100),
  'GET /api/events/stream HTTP/1.1\r\nHost: x\r\n\r\n',
];
const crowdSize = 200;

/** Opens connections to every web process, and does as little as possible with each. All others are served. */
export const crowd = async (world: World, ledger: Ledger): Promise<Allowance> => {
  const kinds = [...neverAsked, ...neverRead];
  const strangers = world.webs.flatMap(({ url }) =>
    Array.from({ length: crowdSize }, (_, i) => open(url, kinds[i % kinds.length] ?? '')),
  );
  const held = (): number => strangers.filter(({ isClosed }) => !isClosed()).length;
  const most = connectionsPerAddress * world.webs.length;
  await until('no more are held than one address may have', () => held() <= most, patienceMs);
  const heldAtMost = held();
  await ledger.delivered(50);
  const unasked = strangers.filter(({ bytes }) => neverAsked.includes(bytes));
  await until('those that ask nothing are sent away', () => unasked.every(({ isClosed }) => isClosed()), patienceMs);
  for (const { socket } of strangers) socket.destroy();
  for (const web of world.webs)
    await until('nothing of them is left', async () => {
      const metrics = (await web.get<string>('/metrics')).body;
      // The ledger has one.
      return /^http_event_streams [01]$/m.test(metrics) && /^http_connections \d\d?$/m.test(metrics);
    });
  return { interruptions: 0, mayRefuse: false, figures: `${heldAtMost} of ${strangers.length} connections held` };
};

const open = (url: string, bytes: string) => {
  const { hostname, port } = new URL(url);
  const socket: Socket = connect({ host: hostname, port: Number(port), localAddress: elsewhere });
  let isClosed = false;
  socket
    .on('error', () => undefined)
    .on('close', () => (isClosed = true))
    .write(bytes);
  // A socket that does not read would not notice the end of its connection.
  if (neverAsked.includes(bytes)) socket.resume();
  return { bytes, socket, isClosed: () => isClosed };
};

/** More endpoints than both workers can call at once. They hang for longer than the others take to get events. */
const origins = 20;
const perOrigin = 110;
const hangs = { WEBHOOK_TIMEOUT: '30s', WEBHOOK_LEASE: '60s' };
const workers = [0, 1];
/** The most attempts of a worker that one address may have. */
const shareOfAddress = 256;
const atOnce = 30;

/**
 * Registers endpoints of many origins at one address, all of which stop answering at once. All others get every event
 * before the first of those attempts ends.
 */
export const endpointsHang = async (world: World, ledger: Ledger): Promise<Allowance> => {
  const receivers = await Promise.all(Array.from({ length: origins }, () => startReceiver({ host: elsewhere })));
  const urls = Array.from({ length: perOrigin }, (_, i) =>
    receivers.map(({ port }) => `https://${elsewhere}:${port}/${i}`),
  ).flat();
  const each = async (method: 'POST' | 'DELETE'): Promise<void> => {
    for (let i = 0; i < urls.length; i += atOnce)
      for (const { status } of await Promise.all(
        urls.slice(i, i + atOnce).map((url) => world.web.api(method, '/api/webhooks/bots', { body: { url } })),
      ))
        if (status !== 200) throw new Error(`${method} of a webhook was answered with ${status}`);
  };
  let hung = 0;
  let ended = 0;
  try {
    for (const number of workers) await world.retireWorker(number, hangs);
    await each('POST');
    for (const receiver of receivers)
      receiver.respond((_received, res) => {
        hung += 1;
        res.on('close', () => (ended += 1));
      });
    await until('many hang', () => hung > 200, patienceMs);
    await ledger.delivered(50);
    if (hung > workers.length * shareOfAddress) throw new Error(`one address had ${hung} attempts`);
    if (ended > 0) throw new Error(`events waited until ${ended} of ${hung} attempts that hung had ended`);
    await each('DELETE');
  } finally {
    await Promise.all(receivers.map((receiver) => receiver.stop()));
    for (const number of workers) await world.retireWorker(number);
  }
  return { interruptions: 0, mayRefuse: false, figures: `${urls.length} endpoints, ${hung} attempts hung at once` };
};
