/** The `webhooks` of the document: each event as it is POSTed. */
import { deliveryHeaders, deliveryUserAgent, eventSchemas, eventTypes, type EventType } from '../event.ts';
import { exampleOf, schemaOf, type Components, type Json } from './schema.ts';

/** Makes the request that delivers an event, by event type. */
export const webhooksOf = (components: Components): Json =>
  Object.fromEntries(eventTypes.map((type) => [type, { post: deliveryOf(type, components) }]));

const deliveryOf = (type: EventType, components: Components): Json => {
  const schema = schemaOf(eventSchemas[type], 'output', components);
  return {
    operationId: `receive_${type.replace('.', '_')}`,
    tags: ['Webhooks'],
    summary: `Receive \`${type}\``,
    description: eventSchemas[type].meta()?.description,
    parameters: headersOf(type),
    requestBody: {
      required: true,
      content: { 'application/json': { schema, example: exampleOf(schema, components) } },
    },
    responses: {
      '2XX': { description: 'Accepted. The body of the response is ignored.' },
      default: { description: 'Anything else is a failure, and the delivery is retried.' },
    },
  };
};

const headersOf = (type: string): Json[] =>
  [
    ['User-Agent', deliveryUserAgent, 'The same for every delivery.'],
    [deliveryHeaders.event, type, 'The event type.'],
    [deliveryHeaders.delivery, 'dlv_01M7YAV3PXPR9JYQYS5FWGY2KM', 'Id of this attempt, new each time.'],
    [deliveryHeaders.id, 'evt_01M7YAV3PY95EN1YP35H8TDBRX', "The envelope's id, the same in every attempt."],
    [deliveryHeaders.timestamp, '1795240595', 'When the attempt was signed, in seconds since the epoch.'],
    [
      deliveryHeaders.signature,
      'v1a,c2lnbmF0dXJl',
      'Standard Webhooks: `v1a,` and an ed25519 signature in base64 over `<id>.<timestamp>.<body>`; several, ' +
        'separated by spaces, while a key is rotated or when the webhook has a secret (`v1,`).',
    ],
  ].map(([name, example, description]) => ({
    name,
    in: 'header',
    required: true,
    description,
    schema: { type: 'string' },
    example,
  }));
