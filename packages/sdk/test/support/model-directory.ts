/**
 * A minimal directory behind a `fetch`: list with ETags, event log and stream, and the faults that a client encounters.
 * A restored backup brings back an older list under its older ETag, and a log that knows nothing of later events.
 */
import type { Bot, Fetch } from '../../src/index.ts';

type Event = { id: string; type: string; data: unknown };
type State = { bots: Bot[]; hidden: Bot | undefined; version: number; etag: string; log: Event[] };
type Reader = { send(event: Event): void; cut(): void };

const healthy = { lists: false, streams: false, events: false, slowMs: 0 };
const empty: State = { bots: [], hidden: undefined, version: 1, etag: '"new"', log: [] };
const makeWorld = () => ({
  state: empty,
  backup: empty,
  epoch: 0,
  published: 0,
  faults: { ...healthy },
  readers: new Set<Reader>(),
  /** The statuses of the responses to list requests. */
  asked: [] as number[],
});
type World = ReturnType<typeof makeWorld>;

const change = (world: World, bots: Bot[]) => {
  const version = world.state.version + 1;
  world.state = { ...world.state, bots, version, etag: `"${world.epoch}.${version}"` };
};
const publish = (world: World, type: string, data: unknown) => {
  const event = { id: `evt_${world.epoch}_${world.state.log.length}`, type, data };
  world.state = { ...world.state, log: [...world.state.log, event] };
  if (!world.faults.events) world.readers.forEach((reader) => reader.send(event));
};
const changeAt = (world: World, place: number, edit: (bot: Bot) => Bot) =>
  change(
    world,
    world.state.bots.map((bot, at) => (at === place ? edit(bot) : bot)),
  );
const numberOf = (id: string) => Number(id.slice(4));
const cutAll = ({ readers }: World) => [...readers].forEach((reader) => reader.cut());

const actions: Record<string, (world: World) => void> = {
  publish: (world) => {
    world.published += 1;
    const { published: number } = world;
    const bot = { id: `bot_${number}`, slug: `bot-${number}`, integrations: [] as string[], install_count: 0 } as Bot;
    change(world, [bot, ...world.state.bots]);
    publish(world, 'bot.created', bot);
  },
  merge: (world) => changeAt(world, 0, (bot) => ({ ...bot, integrations: [...bot.integrations, 'x'] })),
  install: (world) => changeAt(world, 1, (bot) => ({ ...bot, install_count: bot.install_count + 1 })),
  remove: (world) => {
    const [gone, ...others] = world.state.bots;
    if (gone === undefined) return;
    change(world, others);
    publish(world, 'bot.removed', { slug: gone.slug });
  },
  hide: (world) => {
    const [newest, hidden, ...others] = world.state.bots;
    if (newest === undefined || hidden === undefined) return;
    change(world, [newest, ...others]);
    world.state = { ...world.state, hidden };
    publish(world, 'bot.removed', { slug: hidden.slug });
  },
  unhide: (world) => {
    const { bots, hidden } = world.state;
    if (hidden === undefined) return;
    const newer = bots.filter(({ id }) => numberOf(id) > numberOf(hidden.id));
    change(world, [...newer, hidden, ...bots.slice(newer.length)]);
    world.state = { ...world.state, hidden: undefined };
    publish(world, 'bot.restored', hidden);
  },
  rename: (world) => {
    changeAt(world, 0, (bot) => ({ ...bot, name: 'renamed' }));
    publish(world, 'bot.renamed', {});
  },
  refresh: (world) => {
    changeAt(world, 0, (bot) => ({ ...bot, name: `refreshed ${world.state.version}` }));
    const [bot] = world.state.bots;
    if (bot !== undefined) publish(world, 'bot.updated', bot);
  },
  'back up': (world) => void (world.backup = world.state),
  restore: (world) => {
    world.state = world.backup;
    world.epoch += 1;
  },
  cut: cutAll,
  'fail lists': ({ faults }) => void (faults.lists = true),
  'fail streams': (world) => {
    world.faults.streams = true;
    cutAll(world);
  },
  'lose events': ({ faults }) => void (faults.events = true),
  slow: ({ faults }) => void (faults.slowMs = 3_000),
  heal: ({ faults }) => void Object.assign(faults, healthy),
};

const json = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  new Response(status === 304 ? null : JSON.stringify(body), { status, headers });

const list = ({ state, faults, asked }: World, headers: Headers): Response => {
  if (faults.lists) return json(503, {});
  const status = headers.get('if-none-match') === state.etag ? 304 : 200;
  asked.push(status);
  return json(status, state.bots, { etag: state.etag });
};

const stream = ({ state, faults, readers }: World, after: string | null, signal: AbortSignal): Response => {
  if (faults.streams) return json(503, {});
  const at = state.log.findIndex(({ id }) => id === after);
  const encoder = new TextEncoder();
  const start = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const reader = {
      send: (event: Event) => controller.enqueue(encoder.encode(`id: ${event.id}\ndata: ${JSON.stringify(event)}\n\n`)),
      cut: () => {
        if (readers.delete(reader)) controller.error(new TypeError('terminated'));
      },
    };
    readers.add(reader);
    signal.addEventListener('abort', reader.cut);
    const last = state.log.at(-1);
    const position = last === undefined ? '' : `id: ${last.id}\nevent: position\ndata: {"after":"${last.id}"}\n\n`;
    controller.enqueue(encoder.encode(`retry: 3000\n\n${position}`));
    if (after !== null && at < 0) controller.enqueue(encoder.encode(`event: gap\ndata: {"after":"${after}"}\n\n`));
    if (after !== null) state.log.slice(at + 1).forEach(reader.send);
  };
  // One client reads at a time: when it closes the stream, nobody reads.
  const body = new ReadableStream<Uint8Array>({ start, cancel: () => readers.clear() });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
};

/** Makes an empty directory. */
export const modelDirectory = () => {
  const world = makeWorld();
  const fetch: Fetch = async (url, { headers, signal }) => {
    const { pathname, searchParams } = new URL(url);
    if (pathname.endsWith('/stream')) return stream(world, searchParams.get('after'), signal);
    // Made before the wait: it may be old by the time it arrives.
    const response = list(world, new Headers(headers));
    const { slowMs } = world.faults;
    if (slowMs > 0) await new Promise((resolve) => setTimeout(resolve, slowMs));
    return response;
  };
  return {
    fetch,
    asked: world.asked,
    list: () => world.state.bots,
    do: (action: string) => actions[action]?.(world),
  };
};
