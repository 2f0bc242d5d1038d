/**
 * OpenTelemetry traces to an OTLP collector. Loaded only when one is configured: everything else imports only the type
 * of a tracer, which is optional everywhere, and free when absent.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { context, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, type Span } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider, type SpanExporter } from '@opentelemetry/sdk-trace-node';
import type { Log } from './log.ts';

/** Attributes have few values, like labels of metrics: no URL, no address, no name. */
export type Tracer = {
  /** Runs a request's handler inside its span, which ends with the response; then its route is known. */
  readonly request: (
    req: IncomingMessage,
    res: ServerResponse,
    routeOf: (req: IncomingMessage) => string,
    answer: () => void,
  ) => void;
  /** Runs work inside a span. */
  readonly span: <T>(name: string, work: () => Promise<T>) => Promise<T>;
  /** Sends what has not been sent yet. */
  readonly stop: () => Promise<void>;
};

type Settings = {
  readonly endpoint: string;
  readonly version: string;
  readonly attributes: Readonly<Record<string, string>>;
};

/** Starts tracing. `endpoint` is the collector's URL, to which `/v1/traces` is added. */
export const startTracing = ({ endpoint, version, attributes }: Settings, log: Log): Tracer => {
  const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces` });
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.version': version, ...attributes }),
    spanProcessors: [new BatchSpanProcessor(withFailureLogged(exporter, log))],
  });
  provider.register();
  const tracer = provider.getTracer('bot-directory');
  const fail = (span: Span): void => void span.setStatus({ code: SpanStatusCode.ERROR });
  return {
    request: (req, res, routeOf, answer) => {
      const { method = '' } = req;
      const caller = propagation.extract(ROOT_CONTEXT, req.headers);
      const span = tracer.startSpan(method, { kind: SpanKind.SERVER }, caller);
      res.once('close', () => {
        const route = routeOf(req);
        span.updateName(`${method} ${route}`);
        span.setAttributes({
          'http.route': route,
          'http.request.method': method,
          'http.response.status_code': res.statusCode,
        });
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

/** An exporter that logs one line when the collector stops taking traces, and one when it takes them again. */
const withFailureLogged = (exporter: SpanExporter, log: Log): SpanExporter => {
  let isFailing = false;
  return {
    export: (spans, done) => {
      exporter.export(spans, (result) => {
        const fails = result.error !== undefined;
        if (fails && !isFailing) log.warn({ why: result.error?.message }, 'traces are lost: the collector takes none');
        if (!fails && isFailing) log.info('the collector takes traces again');
        isFailing = fails;
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
};
