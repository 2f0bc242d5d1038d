import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { startDelivery } from '../support/delivery.ts';
import { until } from '../support/until.ts';

type Sent = {
  resourceSpans: { scopeSpans: { spans: { name: string; traceId: string; parentSpanId?: string }[] }[] }[];
};

describe('the traces', () => {
  it('go to the collector: a request, what it asks of the store, and deliveries, and nothing that names anybody', async () => {
    const bodies: string[] = [];
    const collector = createServer((req, res) => {
      let body = '';
      req
        .on('data', (chunk: Buffer) => (body += chunk.toString()))
        .on('end', () => {
          expect(req.url).toBe('/v1/traces');
          bodies.push(body);
          res.setHeader('Content-Type', 'application/json').end('{}');
        });
    });
    await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
    const { port } = collector.address() as AddressInfo;
    const test = await startDelivery({ settings: { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` } });
    await test.register('/secret-path');
    await test.publish('Secret name');
    await until('it is delivered', () => test.slugs('/secret-path').length === 1);
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    await test.get('/api/bots/secret-name', { traceparent: `00-${traceId}-b7ad6b7169203331-01` });
    await test.stop();
    collector.close();
    const spans = bodies
      .flatMap((body) => (JSON.parse(body) as Sent).resourceSpans)
      .flatMap(({ scopeSpans }) => scopeSpans)
      .flatMap((scope) => scope.spans);
    const named = (name: string) => spans.filter((span) => span.name === name);
    for (const name of ['POST /api/bots/submit', 'store publish-bot', 'webhook attempt'])
      expect(named(name)).not.toEqual([]);
    expect(named('store publish-bot')[0]?.traceId).toBe(named('POST /api/bots/submit')[0]?.traceId);
    expect(named('GET /api/bots/:slug')[0]).toMatchObject({ traceId, parentSpanId: 'b7ad6b7169203331' });
    expect(bodies.join('')).not.toMatch(/secret/i);
  });
});
