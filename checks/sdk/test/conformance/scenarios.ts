/** The scenarios of the misbehaving server for the conformance file, by their name in the base URL. */
import {
  type Behaviour,
  hangBody,
  json,
  problem,
  reset,
  stream,
  text,
} from '../../../../packages/sdk/test/support/misbehaving-server.ts';

const event = (id: string) =>
  `id: ${id}\nevent: bot.created\ndata: ${JSON.stringify({ id, type: 'bot.created', data: { slug: id } })}\n\n`;

/** The request as it came, as the response. */
const echo: Behaviour = (response, request, untilRead) =>
  json(200, { method: request.method, path: request.path, body: request.body })(response, request, untilRead);

/** Script by name. */
export const scenarios: Record<string, Behaviour[]> = {
  list: [json(200, [{ slug: 'a', colour: 'red' }], { 'x-total-count': '1' })],
  pages: [
    json(200, ['a', 'b'], { link: '</api/bots?limit=2&cursor=x>; rel="next"', 'x-total-count': '3' }),
    json(200, ['c'], { 'x-total-count': '3' }),
  ],
  echo: [echo],
  flaky: [reset, text(502, '<html>'), json(200, [])],
  limited: [problem(429, 'rate_limited', { headers: { 'retry-after': '1' } }), json(200, [])],
  busy: [problem(429, 'rate_limited', { headers: { 'retry-after': '120' } })],
  hanging: [hangBody],
  garbage: [text(200, '{"id":')],
  empty: [text(204, '')],
  missing: [problem(404, 'bot_not_found')],
  proxy: [text(503, '<html>')],
  conflict: [problem(409, 'bot_exists', { members: { slug: 'a', url: '/bots/a' } })],
  lost: [text(500, ''), problem(409, 'bot_exists', { members: { slug: 'a', url: '/bots/a' } })],
  stream: [
    stream([event('1'), event('2').slice(0, 9)], 'cut'),
    stream([event('2'), ': beat\r\n\r\n', event('3')], 'open'),
  ],
};
