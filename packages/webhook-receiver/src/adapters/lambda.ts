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

const read = ({
  httpMethod,
  requestContext,
  headers,
  multiValueHeaders,
  body,
  isBase64Encoded,
}: LambdaEvent): IncomingWebhook => ({
  method: httpMethod ?? (Object(requestContext) as { http?: { method: string } }).http?.method,
  headers: headers ?? multiValueHeaders ?? {},
  read: () => Promise.resolve(isBase64Encoded ? fromBase64(body ?? '') : (body ?? '')),
  advice: 'isBase64Encoded is true, but the body is not base64',
});

const answer = ({ status, headers, body }: Answer, event: LambdaEvent): LambdaResult => ({
  statusCode: status,
  headers,
  ...(!event.headers &&
    event.multiValueHeaders && {
      multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    }),
  body,
});

/** `export const handler = lambdaHandler(receiver)` */
export const lambdaHandler: (receiver: Receiver) => (event: LambdaEvent) => Promise<LambdaResult> = adapt(read, answer);
