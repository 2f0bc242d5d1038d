/** Every number of the public API, named once. A name ends with its unit; lengths are in characters. */
export const limits = {
  /** Integrations on one bot, after any merge. */
  integrationsPerBot: 24,
  /** Categories on one bot. */
  categoriesPerBot: 3,
  /** Failed deliveries in a row after which a webhook is stopped. */
  failuresInARow: 10,
  /** Length of an integration slug. */
  integrationLength: 50,
  /** Length of a slug before a `-2`, `-3`, … is added. */
  slugLength: 60,
  /** Length of a handle without its `@`. */
  authorLength: 30,
  /** Length of a bot's name; a longer one is truncated. */
  nameLength: 100,
  /** Length of a bot's description; a longer one is truncated. */
  descriptionLength: 500,
  /** Shortest time between two reads of one template for refreshes, in seconds. */
  refreshSec: 600,
  /** Length of the text of a report. */
  reportLength: 1_000,
  /** Length of a template id in a link. */
  templateIdLength: 128,
  /** Length of a status id, in digits. */
  statusIdLength: 25,
  /** Length of any URL a caller sends. */
  urlLength: 2_048,
  /** Largest `limit` of a page. */
  pageSize: 200,
  /** Largest `limit` of a page for an agent, whose context is small. */
  mcpPageSize: 50,
  /** Integrations listed for an agent, the most used first. */
  mcpIntegrations: 500,
  /** Bots on a page for an agent that sends no `limit`. */
  mcpDefaultPageSize: 10,
  /** Length of the search text `q`. */
  queryLength: 200,
  /** Different words of the search text `q`. */
  queryWords: 12,
  /** Parameters of one URL, known or not. */
  queryParameters: 100,
  /** Shortest secret of a webhook's owner, in bytes before base64 (Standard Webhooks). */
  secretMinBytes: 24,
  /** Longest secret of a webhook's owner, in bytes before base64 (Standard Webhooks). */
  secretMaxBytes: 64,
  /** Headers that a webhook's owner may add to its deliveries. */
  headersPerWebhook: 5,
  /** Length of the name of such a header. */
  headerNameLength: 64,
  /** Length of the value of such a header. */
  headerValueLength: 1_024,
  /** Registered webhooks per host, unless configured otherwise. */
  webhooksPerHost: 1_000,
  /** Events of the log that one read with a filter examines. */
  eventsExamined: 1_000,
  /** Largest request body. */
  bodyBytes: 32_768,
  /** Levels of arrays and objects in a request body. */
  bodyDepth: 20,
  /** Entries of one array in a body, before duplicates are folded. */
  arrayEntries: 1_000,
  /** Refused fields that one response names; it counts the rest. */
  errorsNamed: 20,
} as const;
