/**
 * Names in the environment that are no settings but look like one: nobody reads them, although the operator believes
 * so.
 */

/** What Kubernetes sets for each service of a namespace. */
const serviceLink = /_SERVICE_(HOST|PORT)(_|$)|_PORT(_\d+_(TCP|UDP)(_|$)|$)/;
/** Names that others read: OpenTelemetry, and the command line. */
const read = /^OTEL_|^ENVIRONMENT_FILE$/;

/** What other services call a setting, where no likeness leads from that to ours. */
const foreign: ReadonlyMap<string, string> = new Map([
  ...['PUBLIC_URL', 'EXTERNAL_URL', 'APP_URL'].map((name) => [name, 'BASE_URL'] as const),
  ...['BIND', 'BIND_ADDRESS', 'LISTEN_ADDRESS'].map((name) => [name, 'HOST'] as const),
  ...['HTTP_PORT', 'LISTEN_PORT', 'SERVER_PORT'].map((name) => [name, 'PORT'] as const),
  ['VALKEY_URL', 'REDIS_URL'],
  ['KEY_PREFIX', 'REDIS_KEY_PREFIX'],
  ['TRUSTED_PROXIES', 'TRUST_PROXY'],
  ['RATE_LIMIT', 'WRITE_RATE_LIMIT'],
  ['METRICS_PORT', 'METRICS_ADDRESS'],
  ['SIGNING_KEY', 'WEBHOOK_SIGNING_KEY'],
  ['WEBHOOK_SECRET', 'WEBHOOK_SIGNING_KEY'],
  ['SHUTDOWN_TIMEOUT', 'SHUTDOWN_DELAY'],
  ['CATEGORIES', 'BOT_CATEGORIES'],
  ['CONTACT_EMAIL', 'SITE_CONTACT'],
]);

/** Returns a name like this one that is a setting, if it looks like one. */
export const settingLike = (name: string, settings: readonly string[]): string | undefined => {
  if (settings.includes(name)) return undefined;
  const upper = name.toUpperCase();
  const ours = foreign.get(upper);
  if (ours !== undefined || read.test(name) || serviceLink.test(name)) return ours;
  const [nearest] = settings
    .map((setting) => ({ setting, distance: distanceOf(upper, setting) }))
    .sort((a, b) => a.distance - b.distance);
  if (nearest !== undefined && nearest.distance <= Math.min(2, Math.floor(name.length / 4))) return nearest.setting;
  const [extended] = settings.filter((setting) => isLonger(setting, upper) || isLonger(upper, setting));
  if (extended !== undefined) return extended;
  return settings.filter((setting) => setting.startsWith(familyOf(upper))).length > 1 ? nearest?.setting : undefined;
};

/** Whether a name begins with another one of two words or more. */
const isLonger = (name: string, beginning: string): boolean =>
  beginning.includes('_') && name.startsWith(`${beginning}_`);

/** The first word of a name, with which other settings may begin. */
const familyOf = (name: string): string => `${name.split('_', 1)[0] ?? ''}_`;

/** How many letters must be added, deleted or replaced to get from one text to the other (Levenshtein). */
const distanceOf = (from: string, to: string): number => {
  let row = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (let i = 0; i < from.length; i += 1) {
    const next = [i + 1];
    for (let j = 1; j <= to.length; j += 1)
      next.push(
        Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (from[i] === to[j - 1] ? 0 : 1)),
      );
    row = next;
  }
  return row[to.length] ?? 0;
};
