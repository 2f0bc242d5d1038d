/** What linters say of the document: nothing. */
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectral, { type RulesetDefinition } from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import { openApi } from '@bot-directory/contract';
import { expect, it } from 'vitest';

const source = JSON.stringify(openApi('https://directory.example.net'));

it('has nothing that Redocly complains of', async () => {
  const rules = {
    // Some reads take no input that could be refused; what else may go wrong is in `default`.
    'operation-4xx-response': 'off',
  } as const;
  const config = await createConfig({ extends: ['recommended'], rules });
  const found = await lintFromString({ source, config });
  expect(found.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([]);
});

it('has nothing that the OpenAPI rules of Spectral complain of', async () => {
  const linter = new spectral.Spectral();
  // The contact is the operator's, which the contract does not know.
  linter.setRuleset({ extends: [rulesets.oas as RulesetDefinition], rules: { 'info-contact': 'off' } });
  const found = await linter.run(source);
  expect(found.map(({ code, message, path }) => [code, message, path.join('.')])).toEqual([]);
});
