/**
 * Integrations are identified by slug. The one function here parses submissions, list filters and the template
 * provider's data, so that all three agree on which integration is meant.
 */
import { limits } from '@bot-directory/contract';

import type { Brand } from '../base/brand.ts';
import { accepted, type Parsed, refused } from '../base/parsed.ts';
import { hyphenated, unaccented } from './spelling.ts';

/** The canonical name of an integration, such as `google-sheets`. */
export type IntegrationSlug = Brand<string, 'IntegrationSlug'>;

const isIntegrationSlug = (text: string): text is IntegrationSlug =>
  text.length > 0 && text.length <= limits.integrationLength;

/** `Google  Sheets`, `google-sheets` and `GOOGLE SHEETS` are one; `C++` is `c-plus-plus` and `C#` is `c-sharp`. */
export function parseIntegration(raw: string): Parsed<IntegrationSlug> {
  if (raw.length > longest) return tooLong;
  const spelt = unaccented(raw).replaceAll('&', ' and ').replaceAll('+', ' plus ').replaceAll('#', ' sharp ');
  const slug = hyphenated(spelt);
  if (isIntegrationSlug(slug)) return accepted(slug);
  return slug === '' ? refused('An integration needs at least one Latin letter or digit.') : tooLong;
}

/** Beyond the limit with any accents and signs. To normalise text takes time that grows with its square. */
const longest = 20 * limits.integrationLength;
const tooLong = refused(`An integration is at most ${limits.integrationLength} characters long.`);
