/** OpenTelemetry traces to an OTLP collector. Loaded only when one is configured; nothing else imports the library. */
import { context, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, type Span } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import type { Tracer } from './base/tracer.ts';
import { version } from './release.ts';

/** Starts tracing. `endpoint` is the collector's URL, to which `/v1/traces` is added. */
export const startTracing = (endpoint: string): Tracer => {
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'bot-directory', 'service.version': version }),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url: `${endpoint}/v1/traces` }))],
  });
  provider.register();
  const tracer = provider.getTracer('bot-directory');
  const fail = (span: Span): void => void span.setStatus({ code: SpanStatusCode.ERROR });
  return {
    request: (req, res, route, answer) => {
      const caller = propagation.extract(ROOT_CONTEXT, req.headers);
      const attributes = { 'http.route': route, 'http.request.method': req.method ?? '' };
      const span = tracer.startSpan(`${req.method ?? ''} ${route}`, { kind: SpanKind.SERVER, attributes }, caller);
      res.once('close', () => {
        span.setAttribute('http.response.status_code', res.statusCode);
        if (res.statusCode >= 500) fail(span);
        span.end();
      });
      context.with(trace.setSpan(caller, span), answer);
    },
    span: (name, work) =>
      tracer.startActiveSpan(name, async (span) => {
        try {
          return await work();
        } catch (error) {
          fail(span);
          throw error;
        } finally {
          span.end();
        }
      }),
    stop: () => provider.shutdown(),
  };
};
