/** The receiver as an AWS Lambda handler: function URLs, API Gateway (HTTP and REST), application load balancers. */
import { fromBase64 } from '../bytes.ts';
import type { HeaderSource } from '../headers.ts';
import type { Receiver } from '../receiver.ts';

/** The part of those events that is used. */
export interface LambdaEvent {
  /** REST APIs and load balancers. */
  httpMethod?: string | undefined;
  /** `http` in HTTP APIs and function URLs; the others are what tells REST APIs and load balancers. */
  requestContext?: { http?: { method: string } | undefined; accountId?: string; elb?: object } | undefined;
  headers?: HeaderSource | null | undefined;
  body?: string | null | undefined;
  isBase64Encoded?: boolean | undefined;
}

/** What all of them take as an answer. */
export interface LambdaResult {
  statusCode: number;
  headers: Record<string, string>;
  body: string;
}

/** `export const handler = lambdaHandler(receiver)` */
export const lambdaHandler =
  (receiver: Receiver) =>
  async ({ httpMethod, requestContext, headers, body, isBase64Encoded }: LambdaEvent): Promise<LambdaResult> => {
    const { status, ...answer } = await receiver.receive({
      method: httpMethod ?? requestContext?.http?.method ?? '',
      headers: headers ?? {},
      read: () => Promise.resolve(isBase64Encoded ? fromBase64(body ?? '') : (body ?? '')),
    });
    return { statusCode: status, ...answer };
  };
