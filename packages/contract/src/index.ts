/** The contract's exports. */
export * from './address.ts';
export * from './bot.ts';
export * from './contract.ts';
export * from './delivery-failure.ts';
export * from './event.ts';
export * from './limits.ts';
export * from './listing.ts';
export * from './mcp.ts';
export * from './openapi.ts';
export * from './post.ts';
export * from './problem.ts';
export * from './report.ts';
export * from './route.ts';
export * from './webhook.ts';
