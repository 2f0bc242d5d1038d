/** The receiver as an AWS Lambda handler: function URLs, API Gateway (HTTP and REST), application load balancers. */
import { fromBase64 } from '../bytes.ts';
import type { HeaderSource } from '../headers.ts';
import type { Receiver } from '../receiver.ts';

/** The part of those events that is used. */
export interface LambdaEvent {
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
  async ({ headers, body, isBase64Encoded }: LambdaEvent): Promise<LambdaResult> => {
    const { status, ...answer } = await receiver.receive({
      headers: headers ?? {},
      read: () => Promise.resolve(isBase64Encoded ? fromBase64(body ?? '') : (body ?? '')),
    });
    return { statusCode: status, ...answer };
  };
