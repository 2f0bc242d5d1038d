import { createResolve, type Resolve } from './resolve.ts';
import { until } from '@bot-directory/testing/until';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

describe('the resolver', () => {
  const noError = 0;
  const serverFailure = 2;
  const noSuchName = 3;
  /** By name and record type: 1 is A, 28 is AAAA. `undefined`: no answer at all. */
  const zone: Record<string, Partial<Record<1 | 28, { code: number; data?: number[] } | undefined>>> = {
    'both.example.com': {
      1: { code: noError, data: [8, 8, 8, 8] },
      28: { code: noError, data: [0x26, 0x06, 0x47, 0, ...Array<number>(11).fill(0), 1] },
    },
    'four.example.com': { 1: { code: noError, data: [8, 8, 4, 4] }, 28: { code: noError } },
    'half.example.com': { 1: { code: noError, data: [8, 8, 4, 4] }, 28: { code: serverFailure } },
    'silent.example.com': { 1: { code: noError, data: [8, 8, 4, 4] }, 28: undefined },
    'none.example.com': { 1: { code: noSuchName }, 28: { code: noSuchName } },
  };
  const server = createSocket('udp4');
  let resolve: Resolve;

  beforeAll(async () => {
    server.on('message', (query, { port, address }) => {
      const reply = answer(query);
      if (reply !== undefined) server.send(reply, port, address);
    });
    server.bind(0, '127.0.0.1');
    await once(server, 'listening');
    resolve = createResolve({ servers: () => [`127.0.0.1:${server.address().port}`] });
  });
  afterAll(() => server.close());

  /** RFC 1035, 4.1: the question comes back, then a record whose name points to it. */
  const answer = (query: Buffer): Buffer | undefined => {
    const labels: string[] = [];
    let end = 12;
    for (let length = query[end] ?? 0; length > 0; length = query[end] ?? 0) {
      labels.push(query.toString('latin1', end + 1, end + 1 + length));
      end += 1 + length;
    }
    const type = query.readUInt16BE(end + 1);
    const reply = type === 1 || type === 28 ? zone[labels.join('.')]?.[type] : undefined;
    if (reply === undefined) return undefined;
    const { code, data = [] } = reply;
    const head = Buffer.from([
      ...query.subarray(0, 2),
      0x81,
      0x80 | code,
      0,
      1,
      0,
      data.length === 0 ? 0 : 1,
      0,
      0,
      0,
      0,
    ]);
    const record = data.length === 0 ? [] : [0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, data.length, ...data];
    return Buffer.concat([head, query.subarray(12, end + 5), Buffer.from(record)]);
  };

  it('gives the addresses of both families, IPv4 first', async () => {
    expect(await resolve('both.example.com')).toEqual(['8.8.8.8', '2606:4700::1']);
    expect(await resolve('four.example.com')).toEqual(['8.8.4.4']);
  });

  it('finds the name servers of now when those it knew do not answer any more', async () => {
    const gone = createSocket('udp4').bind(0, '127.0.0.1');
    await once(gone, 'listening');
    let { port } = gone.address();
    gone.close();
    const found = createResolve({ servers: () => [`127.0.0.1:${port}`] });
    await expect(found('four.example.com')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    ({ port } = server.address());
    const isFound = () =>
      found('four.example.com').then(
        () => true,
        () => false,
      );
    await until('it is found', isFound);
  });

  it('rejects a name that is not there', async () => {
    await expect(resolve('none.example.com')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });

  it.each(['half', 'silent'])('rejects a name of which only one family is answered: %s', async (name) => {
    await expect(resolve(`${name}.example.com`)).rejects.toMatchObject({
      code: expect.stringMatching(/^E(SERVFAIL|TIMEOUT)$/) as string,
    });
  });
});

describe('the hosts file', () => {
  it('leads its names to its addresses, whatever the name servers say, and is read again', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'hosts-'));
    const hosts = join(folder, 'hosts');
    const text = '# names of this machine\n::1 Receiver two.lan # both\n127.0.0.1\treceiver\nnonsense here\n';
    await writeFile(hosts, text);
    const nobody = createResolve({ servers: () => ['127.0.0.1:1'], hosts });
    expect(await nobody('receiver')).toEqual(['127.0.0.1', '::1']);
    expect(await nobody('TWO.lan')).toEqual(['::1']);
    await expect(nobody('here')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await writeFile(hosts, '10.0.0.1 receiver');
    await until('it is read again', async () => (await nobody('receiver')).includes('10.0.0.1'));
    await rm(folder, { recursive: true });
    await expect(createResolve({ servers: () => ['127.0.0.1:1'], hosts })('receiver')).rejects.toThrow('ECONNREFUSED');
  });
});
