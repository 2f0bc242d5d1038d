/** The receiver as an AWS Lambda handler: function URLs, API Gateway (HTTP and REST), application load balancers. */
import { fromBase64 } from '../bytes.ts';
import type { HeaderSource } from '../headers.ts';
import type { Answer, IncomingWebhook, Receiver } from '../receive.ts';
import { adapt } from './adapt.ts';

/** The part of these platforms' events that is used. */
export interface LambdaEvent {
  /** In events from REST APIs and load balancers. */
  httpMethod?: string | undefined;
  /** Has `http.method` in events from HTTP APIs and function URLs. */
  requestContext?: unknown;
  headers?: HeaderSource | null | undefined;
  /** Replaces `headers` in events from load balancers that use multi-value headers. */
  multiValueHeaders?: Readonly<Record<string, readonly string[] | undefined>> | null | undefined;
  body?: string | null | undefined;
  isBase64Encoded?: boolean | undefined;
}

/** The result that all these platforms accept. */
export interface LambdaResult {
  statusCode: number;
  headers: Record<string, string>;
  /** For load balancers that use multi-value headers; they ignore `headers`. */
  multiValueHeaders?: Record<string, string[]>;
  body: string;
}

/** Returns whether an event only keeps the function warm: an empty one, a plugin's, or a schedule's. */
const isWarmUp = (event: object): boolean =>
  !Object.keys(event).length ||
  'warmer' in event ||
  ('source' in event && /^(aws\.events|serverless-plugin-warmup)$/.test(String(event.source)));

const read = (given: LambdaEvent | null): IncomingWebhook => {
  const event = Object(given) as LambdaEvent;
  const { httpMethod, requestContext, multiValueHeaders, body, isBase64Encoded } = event;
  const method = httpMethod ?? (Object(requestContext) as { http?: { method: string } }).http?.method;
  const headers = event.headers ?? multiValueHeaders ?? (method && {});
  if (!headers)
    return {
      method: isWarmUp(event) ? 'GET' : method,
      headers: {},
      advice: 'pass an event of a function URL, API or load balancer',
    };
  return {
    method,
    headers,
    read: () => Promise.resolve(isBase64Encoded ? fromBase64(body ?? '') : (body ?? '')),
    advice: typeof body === 'string' ? 'isBase64Encoded, but not base64' : 'in Lambda, use no httpJsonBodyParser',
  };
};

const answer = ({ status, headers, body }: Answer, event: LambdaEvent | null): LambdaResult => ({
  statusCode: status,
  headers,
  ...(event?.multiValueHeaders &&
    !event.headers && {
      multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    }),
  body,
});

/** `export const handler = lambdaHandler(receiver)` */
export const lambdaHandler: (receiver: Receiver) => (event: LambdaEvent) => Promise<LambdaResult> = adapt(read, answer);
