/**
 * A proxy between the directory and a subscriber, over HTTPS on both sides. It loses the response to the first
 * `bot.created`: the subscriber has handled the event, and the directory, which cannot know, delivers it again.
 */
import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer, text } from 'node:stream/consumers';

/** A delivery that passed, and the subscriber's response. */
export interface Delivery {
  headers: IncomingHttpHeaders;
  body: Buffer;
  status: number | undefined;
  answer: string;
}

/** What HTTPS on this machine needs, as PEM. */
export interface Tls {
  key: string;
  cert: string;
  ca: string;
}

/** Forwards a request unchanged. */
export const forward = async (
  target: string,
  sent: Pick<Delivery, 'headers' | 'body'>,
  { ca }: Tls,
): Promise<Delivery> => {
  const { headers, body } = sent;
  const outgoing = request(target, { method: 'POST', headers, ca, agent: false });
  outgoing.end(body);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  return { headers, body, status: response.statusCode, answer: await text(response) };
};

/** Starts a proxy in front of a subscriber's URL. */
export const startForgetfulProxy = async (target: string, tls: Tls) => {
  const deliveries: Delivery[] = [];
  const created = () => deliveries.filter(({ headers }) => headers['x-service-event'] === 'bot.created');
  const server = createServer(tls, (request, response) => {
    void (async () => {
      const delivery = await forward(target, { headers: request.headers, body: await buffer(request) }, tls);
      deliveries.push(delivery);
      if (created().length === 1 && created()[0] === delivery) return void response.destroy();
      response.writeHead(delivery.status ?? 502).end(delivery.answer);
    })().catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks/bots`,
    deliveries,
    /** Deliveries of `bot.created`, oldest first. */
    created,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
