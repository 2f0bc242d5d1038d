/**
 * The receiver as an Express handler, also for NestJS, on Express or Fastify. Mount it before body parsers: after
 * `express.json()` the signed bytes are gone, and the request fails with an explanation. `express.raw()`,
 * `express.text()` and a platform's `rawBody` are fine.
 */
import type { Receiver } from '../receive.ts';
import {
  type FastifyReply,
  type FastifyRequest,
  nodeHandler,
  type NodeRequest,
  type NodeResponse,
} from './node-body.ts';

/**
 * The part of Express's `Request` that is used, with the `rawBody` that NestJS and some platforms set; or Fastify's
 * request, which NestJS on Fastify passes.
 */
export type ExpressRequest = (NodeRequest & { body?: unknown; rawBody?: unknown }) | FastifyRequest;

/** The part of Express's `Response` that is used, or of Fastify's reply. */
export type ExpressResponse = NodeResponse | FastifyReply;

const inNest = '; in NestJS, pass { rawBody: true } to NestFactory.create, and here the request of @Req(), not its raw';

/** `app.all('/hooks', expressHandler(receiver))` */
export const expressHandler: (
  receiver: Receiver,
) => (request: ExpressRequest, response: ExpressResponse) => Promise<unknown> = (receiver) =>
  nodeHandler(
    receiver,
    `in Express, put this route above app.use(express.json())${inNest}`,
    `in Fastify, use fastifyPlugin${inNest}`,
  );
