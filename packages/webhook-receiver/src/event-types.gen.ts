/**
 * The types of the service's events, from its contract.
 * Written by `npm run generate`; do not edit.
 */

/** The types that this version knows. */
export const eventTypes: readonly unknown[] = ['ping', 'bot.created', 'bot.updated', 'bot.removed', 'bot.restored'];
