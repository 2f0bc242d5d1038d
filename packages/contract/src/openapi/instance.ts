/** The document of one directory: its hosts and categories take the place of those in the contract's examples. */
import { limits } from '../limits.ts';
import type { Json } from './schema.ts';

/** What differs between directories, and what clients need to know of it. */
export type Instance = {
  readonly templateHost: string;
  /** The first is in every canonical URL; the others are its aliases. */
  readonly socialHosts: readonly [string, ...string[]];
  readonly categories: readonly string[];
};

const category = 'Marketing';

/** Returns `document` with an instance's hosts and categories. */
export const withInstance = (document: Json, baseUrl: string, instance: Instance): Json => {
  const {
    templateHost,
    socialHosts: [socialHost, ...aliases],
    categories,
  } = instance;
  const template = `https://${templateHost}/bot/`;
  const social = `https://${socialHost}/`;
  const socialNames = [socialHost, ...aliases].map(escaped).join('|');
  const patterns = new Map([
    [template, `^https://${escaped(templateHost)}/bot/[A-Za-z0-9._~-]+`],
    [social, `^https://((www|mobile)\\.)?(${socialNames})/[A-Za-z0-9_]+/status/[1-9][0-9]*`],
    ['https://hooks.example.com/', '^https://'],
  ]);
  const replaced = (text: string): string =>
    text === category
      ? (categories[0] ?? category)
      : text
          .replace(/^https:\/\/bots\.example\.com\/bot\//, () => template)
          .replace(/^https:\/\/x\.com\/(?=ada_l\/)/, () => social)
          .replace(/^https:\/\/directory\.example\.com(?=\/bots\/)/, () => baseUrl)
          .replaceAll('{template_host}', () => templateHost)
          .replaceAll('{social_host}', () => socialHost)
          .replaceAll('{base_url}', () => baseUrl);
  const revive = (key: string, value: unknown): unknown => {
    if (typeof value === 'string') return replaced(value);
    if (key === 'examples' && Array.isArray(value)) return value[0] === categories[0] ? categories : value;
    if (!isSentUrl(value)) return value;
    const [, pattern] = [...patterns].find(([start]) => value.examples[0]?.startsWith(start)) ?? [];
    return { ...value, pattern };
  };
  return JSON.parse(JSON.stringify(document), revive) as Json;
};

// Only URLs in requests have a `maxLength`. Those in responses may have a host that the directory used before.
const isSentUrl = (value: unknown): value is { readonly examples: readonly string[] } =>
  typeof value === 'object' &&
  value !== null &&
  'examples' in value &&
  'maxLength' in value &&
  value.maxLength === limits.urlLength;

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
