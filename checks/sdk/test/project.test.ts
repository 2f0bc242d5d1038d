/**
 * Problems that users had in their own projects: the packed tarball, installed outside the workspace, in its own
 * process.
 */
import { freePort } from '../../../scripts/port.mjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  json,
  problem,
  startMisbehavingServer,
  stream,
} from '../../../packages/sdk/test/support/misbehaving-server.ts';
import { makeProject, type Project } from './support/project.ts';

let server: Awaited<ReturnType<typeof startMisbehavingServer>>;
let project: Project;
beforeAll(async () => {
  server = await startMisbehavingServer();
  project = makeProject();
});
afterAll(async () => {
  project.remove();
  await server.close();
});

const intro = `import { createClient } from '@bot-directory/sdk';\n`;
const event = (id: number) =>
  `id: ${id}\ndata: ${JSON.stringify({ id: String(id), type: 'bot.created', data: {} })}\n\n`;

describe('in a project of its own', () => {
  it("a user's headers replace the package's in any case, and a write keeps one content type", async () => {
    const baseUrl = server.play(json(200, []));
    const ran = await project.node(
      'headers.mjs',
      `${intro}const directory = createClient({ baseUrl: '${baseUrl}', headers: { 'Content-Type': 'application/json', 'X-Trace': 'client', Accept: 'application/json, */*' } });
       const hooks = { onRequest: ({ headers }) => { headers.set('X-HOOK', 'a'); headers.set('X-Hook', 'b'); headers.set('Content-Type', 'application/json') } };
       await directory.webhooks.remove({ url: 'u' }, { headers: { 'x-trace': 'call' }, hooks }).catch(() => {});`,
    );
    expect(ran).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(server.received(baseUrl)[0]?.headers).toMatchObject({
      'content-type': 'application/json',
      'x-trace': 'call',
      'x-hook': 'b',
      accept: 'application/json, */*',
    });
  });

  it('a hundred calls may share a signal without a warning', async () => {
    const baseUrl = server.play(json(200, []));
    const ran = await project.node(
      'signal.mjs',
      `${intro}const { bots } = createClient({ baseUrl: '${baseUrl}' });
       const { signal } = new AbortController();
       await Promise.all(Array.from({ length: 100 }, () => bots.list({}, { signal })));`,
    );
    expect(ran).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('no event comes after an abort, though fifty had arrived together', async () => {
    const baseUrl = server.play(stream([Array.from({ length: 50 }, (_, index) => event(index)).join('')], 'open'));
    const ran = await project.node(
      'abort.mjs',
      `${intro}const stop = new AbortController();
       let seen = 0;
       try {
         for await (const event of createClient({ baseUrl: '${baseUrl}' }).events.stream({}, { signal: stop.signal })) {
           seen += 1;
           stop.abort();
         }
       } catch (error) { console.log(seen, error.name); }`,
    );
    expect(ran).toEqual({ code: 0, stdout: '1 AbortedError\n', stderr: '' });
  });

  it.each([
    ['a stream', 'events.stream()', () => stream([event(1)], 'open')],
    ['a list', 'bots.iterate()', () => () => {}],
  ])('%s is closed while its next entry is awaited, and the process ends', async (_name, iterator, behaviour) => {
    const baseUrl = server.play(behaviour());
    const ran = await project.node(
      'return.mjs',
      `${intro}const iterator = createClient({ baseUrl: '${baseUrl}', timeoutMs: 600_000, deadlineMs: 600_000, hooks: { onError: () => console.log('error') } }).${iterator}${iterator.includes('list') || iterator.includes('iterate') ? '[Symbol.asyncIterator]()' : ''};
       ${iterator.includes('stream') ? 'await iterator.next();' : ''}
       const pending = iterator.next();
       setTimeout(async () => {
         const closed = await iterator.return();
         console.log(JSON.stringify([closed, await pending, await iterator.next()]));
       }, 100);`,
    );
    expect(ran.stderr).toBe('');
    expect(ran.stdout).toContain('[{"done":true},{"done":true},{"done":true}]');
  });

  it('a refused connection is named, and so is the first refused field', async () => {
    const errors = [
      { pointer: '/link', detail: 'must be a link' },
      { pointer: '/author', detail: 'no handle' },
    ];
    const baseUrl = server.play(problem(400, 'invalid_request', { members: { errors } }));
    const ran = await project.node(
      'messages.mjs',
      `${intro}const say = (error) => console.log(error.message);
       await createClient({ baseUrl: 'http://127.0.0.1:${await freePort()}', retries: 0 }).bots.list().catch(say);
       await createClient({ baseUrl: '${baseUrl}' }).bots.submit({ link: 'l' }).catch(say);
       try { createClient({ baseUrl: 'directory.example.com' }); } catch (error) { say(error); }
       try { createClient({}); } catch (error) { say(error); }`,
    );
    expect(ran.stdout.split('\n')).toEqual([
      'bots.list: no answer (ECONNREFUSED)',
      'bots.submit: 400 invalid_request: /link: must be a link',
      'baseUrl: not an http or https URL: directory.example.com',
      'baseUrl: not an http or https URL: undefined',
      '',
    ]);
  });
});
