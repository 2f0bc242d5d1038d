import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { beforeAll, describe, expect, it } from 'vitest';
import { Redis } from 'ioredis';
import { listen } from '@bot-directory/testing/event-stream';
import { monitor } from '@bot-directory/testing/monitor';
import { openRaw } from '@bot-directory/testing/raw-http';
import { startService } from '@bot-directory/testing/service';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';
import { freePort } from '../../../../scripts/port.mjs';

const service = useStarted(startService);
beforeAll(async () => {
  await service.publish('Counted');
});

const text = async (): Promise<string> => (await fetch(`${service.url}/metrics`)).text();
/** Returns the value of a series. `series`: its name and labels, as they stand in the text. */
const valueOf = async (series: string): Promise<number | undefined> => {
  const line = (await text()).split('\n').find((one) => one.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length));
};

describe('the metrics', () => {
  it('count requests by route, method and status, and never by what a stranger writes', async () => {
    const secret = `secret-${Math.random()}`;
    const counted = 'http_request_duration_seconds_count{route="/api/bots/:slug",method="GET",status="404"}';
    const before = (await valueOf(counted)) ?? 0;
    for (const path of [`/api/bots/${secret}`, `/${secret}`, `/bots/${secret}`, `/api/bots?q=${secret}`])
      await (await fetch(`${service.url}${path}`)).text();
    await (await fetch(`${service.url}/api/feed`, { method: 'POST', body: secret })).text();
    await until('it is counted', async () => (await valueOf(counted)) === before + 1);
    expect(await text()).not.toContain(secret);
    await until('so is a write', async () =>
      (await text()).includes(
        'http_request_duration_seconds_bucket{le="+Inf",route="/api/feed",method="POST",status="415"} 1',
      ),
    );
    const raw = openRaw(service.url);
    raw.send('MKCOL / HTTP/1.1\r\nHost: a\r\n\r\n');
    await until('an odd method is one of the others', async () =>
      (await text()).includes('route="/",method="other",status="405"'),
    );
    raw.socket.destroy();
  });

  it('show what is open, and what runs', async () => {
    const stream = await listen(`${service.url}/api/events/stream`);
    await until('the stream is counted', async () => (await valueOf('http_event_streams')) === 1);
    await until('only it and this are in flight', async () => (await valueOf('http_requests_in_flight')) === 2);
    expect(await valueOf('http_connections')).toBeGreaterThan(1);
    await stream.stop();
    await until('its end is counted', async () => (await valueOf('http_event_streams')) === 0);
    expect(await text()).toMatch(
      /^bot_directory_build_info\{version="\d+\.\d+\.\d+",release="[\w-]{12}",role="all",node="v\d+/m,
    );
  });

  it('show the size of the directory and the time the store takes', async () => {
    expect([await valueOf('directory_bots'), await valueOf('directory_posts')]).toEqual([1, 0]);
    expect(await valueOf('store_operation_duration_seconds_count{operation="publish-bot"}')).toBe(1);
    expect(await valueOf('store_operation_duration_seconds_count{operation="command"}')).toBeGreaterThan(0);
  });

  it('ask the store once, however many scrape at a time, and in one round trip', async () => {
    const client = new Redis(service.redis?.url ?? '');
    await text();
    const commandsIn = async (work: () => Promise<unknown>): Promise<string[]> => {
      const commands: string[] = [];
      const end = await monitor(service.redis?.url ?? '', (command) => void commands.push(command));
      await work();
      await client.set('the-end', '1');
      await until('all was seen', () => commands.includes('set'));
      end();
      return commands.filter((command) => ['evalsha', 'hget', 'zcard', 'xrange'].includes(command));
    };
    // On a busy machine the store may be late, and is asked again.
    const few = (does: string, most: number, work: () => Promise<unknown>): Promise<void> =>
      until(does, async () => (await commandsIn(work)).length <= most);
    const ofOne = 22;
    await few('one asks each thing once', ofOne, text);
    // All of them come while the store has not yet responded to the first.
    const pid = service.redis?.pid ?? 0;
    let begun = 0;
    const count = (): void => void (begun += 1);
    subscribe('http.server.request.start', count);
    // Twice, and what the engine asks in between.
    await few('many ask as one', 4 * ofOne, async () => {
      begun = 0;
      process.kill(pid, 'SIGSTOP');
      const texts = Promise.all(Array.from({ length: 20 }, text));
      await until('all have come', () => begun === 20);
      process.kill(pid, 'SIGCONT');
      await texts;
    });
    unsubscribe('http.server.request.start', count);
    client.disconnect();
  });

  it('are as Prometheus wants them', async () => {
    const answer = await fetch(`${service.url}/metrics`);
    expect(answer.headers.get('content-type')).toContain('text/plain; version=0.0.4');
    const shown = await answer.text();
    const typeOf = new Map(
      [...shown.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => [name, type]),
    );
    const helped = new Set([...shown.matchAll(/^# HELP (\S+) \S/gm)].map(([, name]) => name));
    for (const [name, type] of typeOf) {
      expect(name).toMatch(/^[a-z][a-z0-9_]*$/);
      expect(helped.has(name), name).toBe(true);
      expect(name.endsWith('_total'), name).toBe(type === 'counter');
      expect(name, 'base units').not.toMatch(/_(ms|milliseconds|minutes|kb|megabytes)(_|$)/);
      if (type === 'histogram') expect(name).toMatch(/_seconds$/);
    }
    // prom-client writes "Nan"; Prometheus reads it in any case.
    for (const line of shown.split('\n').filter((one) => one !== '' && !one.startsWith('#')))
      expect(line).toMatch(/^[a-z][a-z0-9_]*(\{[a-z_]+="[^"]*"(,[a-z_]+="[^"]*")*\})? (\+Inf|[Nn]a[Nn]|-?[\d.e+-]+)$/);
  });

  it('get an address of their own by a setting, and are then served nowhere else', async () => {
    const port = await freePort();
    const apart = await startService({ settings: { METRICS_ADDRESS: `127.0.0.1:${port}` }, redis: null });
    expect((await fetch(`${apart.url}/metrics`)).status).toBe(404);
    const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('http_connections ')]);
    expect((await fetch(`http://127.0.0.1:${port}/api/bots`)).status).toBe(404);
    await apart.stop();
    await expect(fetch(`http://127.0.0.1:${port}/metrics`)).rejects.toThrow();
  });

  it('no longer count a stream whose reader left before the response', async () => {
    let begun = 0;
    const onRequest = (): void => void (begun += 1);
    subscribe('http.server.request.start', onRequest);
    const count = 500;
    for (let i = 0; i < count; i += 1) {
      const raw = openRaw(service.url);
      raw.socket.once('connect', () => raw.send('GET /api/events/stream HTTP/1.1\r\nHost: a\r\n\r\n'));
      const atLeast = i;
      await until('the request is seen', () => begun > atLeast);
      raw.socket.resetAndDestroy();
    }
    unsubscribe('http.server.request.start', onRequest);
    await until('none is left', async () => (await valueOf('http_event_streams')) === 0);
    await until('only this is in flight', async () => (await valueOf('http_requests_in_flight')) === 1);
  });
});
