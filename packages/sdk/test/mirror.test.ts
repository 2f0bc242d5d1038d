/** The mirror equals the list: after any sequence of faults, and with the real server. */
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startDirectory } from '@bot-directory/testing/directory';
import { type Bot, createClient, type Fetch } from '../src/index.ts';
import { type BotChange, mirror, type Mirror, type Snapshot } from '../src/mirror.ts';
import { modelDirectory } from './support/model-directory.ts';

const baseUrl = 'http://model.example.com';
/** Lets time pass, until what was begun is done. */
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

/** A store in memory, that breaks on request. */
const memory = (saved?: unknown) => {
  const store = {
    saved,
    broken: false,
    load: () => (store.broken ? Promise.reject(new Error('disk')) : Promise.resolve(store.saved)),
    save: (snapshot: Snapshot) => {
      if (store.broken) return Promise.reject(new Error('disk'));
      store.saved = JSON.parse(JSON.stringify(snapshot));
      return Promise.resolve();
    },
  };
  return store;
};

/** A body in equal pieces, of which only some are sent. */
const inPieces = (
  text: string,
  { pieces, sent, everyMs, cancel }: { pieces: number; sent: number; everyMs: number; cancel: () => void },
) => {
  const size = Math.ceil(text.length / pieces);
  let piece = 0;
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      if (piece === sent) return new Promise<void>(() => {});
      await new Promise((resolve) => setTimeout(resolve, everyMs));
      controller.enqueue(new TextEncoder().encode(text.slice(size * piece, size * ++piece)));
      if (piece === pieces) controller.close();
    },
    cancel,
  });
};

/** Replays what listeners received. */
const follower = (copy: Mirror) => {
  const bots = new Map<string, Bot>([...copy].map((bot) => [bot.slug, bot]));
  copy.onChange(({ added, updated, removed }: BotChange) => {
    for (const { slug } of removed) expect(bots.delete(slug)).toBe(true);
    for (const bot of added) {
      expect(bots.has(bot.slug)).toBe(false);
      bots.set(bot.slug, bot);
    }
    for (const bot of updated) {
      expect(bots.has(bot.slug)).toBe(true);
      bots.set(bot.slug, bot);
    }
  });
  return bots;
};

describe('after any sequence of faults', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] }));
  afterEach(() => void vi.useRealTimers());

  const step = fc.oneof(
    {
      weight: 5,
      arbitrary: fc.constantFrom('publish', 'merge', 'remove', 'install', 'hide', 'unhide', 'rename', 'refresh'),
    },
    { weight: 5, arbitrary: fc.constantFrom('cut', 'fail lists', 'fail streams', 'lose events', 'heal', 'slow') },
    { weight: 2, arbitrary: fc.constantFrom('back up', 'restore', 'restart the mirror', 'break the store') },
    { weight: 4, arbitrary: fc.nat({ max: 90_000 }) },
  );

  it('the copy is the list', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const model = modelDirectory();
        const store = memory();
        const open = () => mirror(createClient({ baseUrl, fetch: model.fetch }), { store });
        let copy = open();
        let heard = follower(copy);
        for (const one of steps) {
          if (typeof one === 'number') await pass(one);
          else if (one === 'break the store') store.broken = !store.broken;
          else if (one === 'restart the mirror') {
            const closed = copy.close();
            await pass(0);
            await closed;
            copy = open();
            heard = follower(copy);
          } else model.do(one);
        }
        model.do('heal');
        // The longest that a call under way may still take, then one comparison.
        await pass(60_000 + 66_000 + 10_000);
        expect([...copy]).toEqual(model.list());
        expect([...heard.values()].map(({ slug }) => slug).sort()).toEqual([...copy].map(({ slug }) => slug).sort());
        for (const bot of copy) expect(heard.get(bot.slug)).toBe(bot);
        const closed = copy.close();
        await pass(0);
        await closed;
        expect(vi.getTimerCount()).toBe(0);
      }),
      { numRuns: 150 },
    );
  });

  it('a new bot appears and a removed one disappears with its event, without a comparison', async () => {
    const model = modelDirectory();
    const copy = mirror(createClient({ baseUrl, fetch: model.fetch }), { refreshMs: 10_000_000 });
    await pass(10);
    const asked = model.asked.length;
    model.do('publish');
    await pass(10);
    expect([...copy]).toEqual(model.list());
    expect(model.asked.length).toBe(asked);
    model.do('publish');
    model.do('hide');
    await pass(10);
    expect([...copy]).toEqual(model.list());
    expect(model.asked.length).toBe(asked);
    // Only the list knows where a restored bot belongs, and what an unknown type changed.
    for (const action of ['unhide', 'rename']) {
      model.do(action);
      await pass(10);
      expect([...copy]).toEqual(model.list());
    }
    expect(model.asked.length).toBe(asked + 2);
    await Promise.all([copy.close(), pass(10)]);
  });

  it('a bot created while an older list is on its way stays', async () => {
    const model = modelDirectory();
    const copy = mirror(createClient({ baseUrl, fetch: model.fetch }), { refreshMs: 10_000_000 });
    await pass(10);
    model.do('slow');
    const refreshed = copy.refresh();
    await pass(1_000);
    model.do('publish');
    await pass(2_500);
    await refreshed;
    expect([...copy]).toEqual(model.list());
    await Promise.all([copy.close(), pass(10)]);
  });

  it('a list that has not changed is not sent again, after a restart either', async () => {
    const model = modelDirectory();
    for (let count = 0; count < 3; count++) model.do('publish');
    const store = memory();
    const first = mirror(createClient({ baseUrl, fetch: model.fetch }), { store });
    await pass(200_000);
    await Promise.all([first.close(), pass(10)]);
    const second = mirror(createClient({ baseUrl, fetch: model.fetch }), { store });
    await second.ready;
    expect([...second]).toEqual(model.list());
    await pass(200_000);
    await Promise.all([second.close(), pass(10)]);
    expect(model.asked.filter((status) => status === 200).length).toBe(1);
    expect(model.asked.filter((status) => status === 304).length).toBeGreaterThan(4);
  });

  it('sends no header of its own but the ETag that it sends back', async () => {
    const model = modelDirectory();
    const names = new Set<string>();
    vi.stubGlobal('location', { href: 'https://page.example.com' });
    const directory = createClient({
      baseUrl,
      fetch: (url, init) => {
        for (const name of Object.keys(init.headers)) names.add(name);
        return model.fetch(url, init);
      },
    });
    vi.unstubAllGlobals();
    const copy = mirror(directory);
    await pass(200_000);
    await Promise.all([copy.close(), pass(10)]);
    expect([...names].sort()).toEqual(['accept', 'if-none-match']);
  });

  it.each([['garbage'], [{ bots: [null] }], [{ bots: 7 }], [null]])('a saved %j counts as nothing', async (saved) => {
    const model = modelDirectory();
    model.do('publish');
    const copy = mirror(createClient({ baseUrl, fetch: model.fetch }), { store: memory(saved) });
    await pass(10);
    expect([...copy]).toEqual(model.list());
    await Promise.all([copy.close(), pass(10)]);
  });

  it('after a gap it does not replay the log, but follows it from now on', async () => {
    const model = modelDirectory();
    const afters: (string | null)[] = [];
    const fetch: Fetch = (url, init) => {
      if (url.includes('/stream')) afters.push(new URL(url).searchParams.get('after'));
      return model.fetch(url, init);
    };
    model.do('publish');
    model.do('back up');
    const copy = mirror(createClient({ baseUrl, fetch }), { refreshMs: 10_000_000 });
    await pass(10);
    model.do('publish');
    await pass(10);
    for (const action of ['restore', 'cut']) model.do(action);
    await pass(20_000);
    expect(afters).toEqual([null, expect.any(String), null]);
    expect([...copy]).toEqual(model.list());
    await Promise.all([copy.close(), pass(10)]);
  });

  it('waits for a list that keeps coming for 100 s, and reports one that falls silent', async () => {
    const model = modelDirectory();
    const errors: unknown[] = [];
    let piecesSent = Infinity;
    let cancelled = 0;
    const fetch: Fetch = async (url, init) => {
      const response = (await model.fetch(url, init)) as Response;
      if (url.includes('/stream') || response.status !== 200) return response;
      const { headers } = response;
      const cancel = () => void (cancelled += 1);
      const body = inPieces(await response.text(), { pieces: 10, sent: piecesSent, everyMs: 10_000, cancel });
      return new Response(body, { headers });
    };
    model.do('publish');
    const copy = mirror(createClient({ baseUrl, fetch }), { onError: (error) => errors.push(error) });
    await pass(110_000);
    expect([[...copy], errors, cancelled]).toEqual([model.list(), [], 0]);
    piecesSent = 5;
    model.do('install');
    model.do('merge');
    await pass(300_000);
    expect(errors[0]).toMatchObject({ name: 'TimeoutError', limitMs: 15_000 });
    // Its connection would stay open otherwise.
    expect(cancelled).toBeGreaterThan(0);
    expect(copy.get('bot-1')?.integrations).toEqual([]);
    piecesSent = Infinity;
    await pass(300_000);
    expect([...copy]).toEqual(model.list());
    await Promise.all([copy.close(), pass(10)]);
  });

  it('goes on by polling where fetch cannot stream, and says why', async () => {
    const model = modelDirectory();
    const errors: unknown[] = [];
    const never = new Promise<Response>(() => {});
    const fetch: Fetch = (url, init) => (url.includes('/stream') ? never : model.fetch(url, init));
    const copy = mirror(createClient({ baseUrl, fetch }), { onError: (error) => errors.push(error) });
    await pass(61_000);
    model.do('publish');
    await pass(67_000);
    expect([...copy]).toEqual(model.list());
    expect(errors.map((error) => (error as Error).message)).toEqual([expect.stringContaining('can stream')]);
    await Promise.all([copy.close(), pass(10)]);
  });

  it('errors are reported, and a listener that throws does not affect the others', async () => {
    const model = modelDirectory();
    const errors: unknown[] = [];
    const seen: string[] = [];
    const copy = mirror(createClient({ baseUrl, fetch: model.fetch }), { onError: (error) => errors.push(error) });
    const mistake = new RangeError('in a listener');
    copy.onChange(() => {
      throw mistake;
    });
    const off = copy.onChange(({ added }) => seen.push(...added.map(({ slug }) => slug)));
    await pass(10);
    model.do('publish');
    await pass(10);
    off();
    model.do('publish');
    await pass(10);
    expect([seen, errors]).toEqual([['bot-1'], [mistake, mistake]]);
    await Promise.all([copy.close(), pass(10)]);
  });

  it('is not ready with what the stream has sent before the first list', async () => {
    const model = modelDirectory();
    for (let count = 0; count < 3; count++) model.do('publish');
    model.do('fail lists');
    const copy = mirror(createClient({ baseUrl, fetch: model.fetch }));
    const seen: number[] = [];
    void copy.ready.then(() => seen.push(copy.size));
    await pass(10);
    model.do('publish');
    await pass(10);
    expect([copy.size, seen]).toEqual([1, []]);
    model.do('heal');
    await pass(70_000);
    expect(seen).toEqual([4]);
    await Promise.all([copy.close(), pass(10)]);
  });

  it('is not ready with a 304 that it did not ask for, and reports it', async () => {
    const model = modelDirectory();
    model.do('publish');
    const unasked: typeof model.fetch = (url, init) =>
      url.includes('/stream') ? model.fetch(url, init) : Promise.resolve(new Response(null, { status: 304 }));
    let fetch = unasked;
    const errors: unknown[] = [];
    const directory = createClient({ baseUrl, fetch: (url, init) => fetch(url, init) });
    const copy = mirror(directory, { onError: (error) => errors.push(error) });
    const seen: number[] = [];
    void copy.ready.then(() => seen.push(copy.size));
    await pass(10);
    expect([seen, copy.comparedAtMs]).toEqual([[], undefined]);
    expect(errors).toMatchObject([{ status: 304 }, { status: 304 }]);
    fetch = model.fetch;
    await pass(70_000);
    expect(seen).toEqual([1]);
    await Promise.all([copy.close(), pass(10)]);
  });

  it('closed before there is a copy, it says so', async () => {
    const copy = mirror(createClient({ baseUrl, fetch: () => new Promise(() => {}) }));
    const failed = expect(copy.ready).rejects.toThrow('closed');
    await Promise.all([copy.close(), pass(10)]);
    await failed;
  });
});

describe('with the real server', () => {
  it('follows it over a restart', async () => {
    const service = await startDirectory();
    const directory = createClient({ baseUrl: service.baseUrl });
    const link = (id: string) => `https://templates.example.com/bot/${id}`;
    const copy = mirror(directory, { refreshMs: 60_000 });
    const equal = () =>
      vi.waitFor(async () => expect([...copy]).toEqual(await directory.bots.list()), {
        timeout: 120_000,
        interval: 50,
      });
    await copy.ready;
    await directory.bots.submit({ link: link('weekly-seo-report') });
    await equal();
    expect(copy.get('weekly-seo-report')?.slug).toBe('weekly-seo-report');
    await service.restart();
    await directory.bots.submit({ link: link('invoice-chaser') });
    await equal();
    // No event reports this one.
    await directory.bots.addIntegrations({ slug: 'invoice-chaser', integrations: ['stripe'] });
    await copy.refresh();
    await equal();
    expect(copy.filter(({ integrations }) => integrations.includes('stripe')).length).toBe(1);
    await copy.close();
    await service.stop();
  });
});
