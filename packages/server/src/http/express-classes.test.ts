import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import express from 'express';
import { describe, expect, it } from 'vitest';
import { expressClasses } from './node-internals.ts';

setFlagsFromString('--expose-gc');
setFlagsFromString('--allow-natives-syntax');
const collect = runInNewContext('gc') as () => void;
// Compiled at run time, because the flag must be set first.
const hasFastProperties = runInNewContext('(object) => %HasFastProperties(object)') as (object: object) => boolean;

describe('A response of the server', () => {
  it('is created as fast as before after full collections that found no other', async () => {
    const created: boolean[] = [];
    const server = createServer(expressClasses(express()), (_request, response) => {
      created.push(hasFastProperties(response));
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const ask = () =>
      new Promise<void>((resolve, reject) => {
        get({ port, host: '127.0.0.1' }, (response) => response.resume().on('close', resolve)).on('error', reject);
      });
    for (let i = 0; i < 20; i++) {
      await ask();
      collect();
      await sleep(5);
    }
    server.close();
    expect(created).toHaveLength(20);
    expect(created).not.toContain(false);
  });
});
