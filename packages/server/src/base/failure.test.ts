import { reasonOf } from './failure.ts';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { expect, it } from 'vitest';

it.each([
  [new Error('it broke'), 'it broke'],
  [new AggregateError([new Error('one'), new AggregateError([new Error('two')])]), 'one; two'],
  [new AggregateError([new Error('one')], 'all broke'), 'all broke'],
  [Object.assign(new Error(''), { code: 'ECONNREFUSED' }), 'ECONNREFUSED'],
  [new AggregateError([]), 'AggregateError'],
  [new TypeError(''), 'TypeError'],
  ['text', 'text'],
])('Of %j it says %j', (error, reason) => expect(reasonOf(error)).toBe(reason));

it('says why no address of a name could be connected to', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  const socket = connect({
    port,
    host: 'two.example.com',
    lookup: (_name, _options, found) =>
      found(null, [
        { address: '127.0.0.1', family: 4 },
        { address: '127.0.0.2', family: 4 },
      ]),
  });
  const [error] = (await once(socket, 'error')) as [Error];
  expect(error.message).toBe('');
  expect(reasonOf(error)).toMatch(/ECONNREFUSED 127\.0\.0\.1.*ECONNREFUSED 127\.0\.0\.2/);
});
