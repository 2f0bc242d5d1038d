import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { startDelivery } from '@bot-directory/testing/delivery';
import { startProcess } from '@bot-directory/testing/process';
import { until } from '@bot-directory/testing/until';
import { freePort } from '../../../../scripts/port.mjs';

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
    const OTEL_RESOURCE_ATTRIBUTES = 'service.instance.id=here';
    const test = await startDelivery({
      settings: { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`, OTEL_RESOURCE_ATTRIBUTES },
    });
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
    expect(bodies.join('')).toMatch(/"service\.instance\.id","value":\{"stringValue":"here"/);
  });

  it('are lost with one line in the log while the collector is dead', async () => {
    const server = await startProcess({
      TEMPLATE_HOST: 'templates.example.com',
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await freePort()}`,
      OTEL_EXPORTER_OTLP_TIMEOUT: '200',
      OTEL_BSP_SCHEDULE_DELAY: '1',
    });
    const lines = () => server.output().split('traces are lost').length - 1;
    await until('the first are lost', async () => {
      await server.get('/api/categories');
      return lines() > 0;
    });
    // These are sent at the latest when it stops.
    await server.get('/api/categories');
    await server.stop();
    expect(lines()).toBe(1);
  });
});
