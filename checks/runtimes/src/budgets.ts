/** How large the published packages may be: bytes, minified and gzipped. Why: decision 0090. */

/** What a bundle imports → the most that this adds to it. */
export const budgets = {
  sdk: {
    'one operation': 4_300,
    streamEvents: 4_700,
    client: 7_000,
    everything: 7_200,
    mirror: 2_500,
    cache: 1_000,
  },
  receiver: {
    verify: 1_700,
    parse: 2_000,
    // The receiver, the keys of a service and the memory store.
    core: 3_800,
    'core and fetch': 4_149,
    standard: 3_300,
    redis: 600,
    express: 640,
    // A plugin, which also reads what a hook of the application has left.
    fastify: 700,
    fetch: 640,
    hono: 640,
    koa: 600,
    lambda: 600,
    node: 600,
  },
} as const;
