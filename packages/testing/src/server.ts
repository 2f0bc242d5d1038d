/**
 * What tests use of the server besides its HTTP API and its built programs. This file alone knows where in the server
 * it is.
 */
export { runAdmin } from '../../server/src/admin/run-admin.ts';
export { startApp, type App } from '../../server/src/app/start-app.ts';
export type { World } from '../../server/src/app/world.ts';
export { createIds } from '../../server/src/base/ids.ts';
export { createLog } from '../../server/src/base/log.ts';
export { readConfig } from '../../server/src/config.ts';
export type { BotDraft } from '../../server/src/domain/bot.ts';
export type { TemplateId } from '../../server/src/domain/links.ts';
export { createBotStore } from '../../server/src/store/bots/bot-store.ts';
export { keys } from '../../server/src/store/keys.ts';
export { openStore } from '../../server/src/redis/open-store.ts';
export { parseRedisUrls } from '../../server/src/redis/redis-url.ts';
export { StoreClock, waitForStore, wrapStore, type Store } from '../../server/src/redis/redis.ts';
