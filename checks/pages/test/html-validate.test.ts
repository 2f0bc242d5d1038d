/** Each page in each state is valid HTML, by html-validate. */
import { HtmlValidate } from 'html-validate';
import { expect, it } from 'vitest';
import { page } from '../../../packages/site/src/page.tsx';
import { frame } from '../../../packages/site/test/samples.ts';
import { frames, views } from '../../../packages/site/test/views.ts';

const validator = new HtmlValidate({
  extends: ['html-validate:recommended', 'html-validate:a11y'],
  rules: {
    // JSX writes a void element and a boolean attribute in the ways that HTML also allows.
    'void-style': 'off',
    'attribute-boolean-style': 'off',
    'attribute-empty-style': 'off',
    'doctype-style': 'off',
    'no-trailing-whitespace': 'off',
    'long-title': 'off',
    // A list without a marker is no list to a screen reader unless it has a role.
    'no-redundant-role': 'off',
    'prefer-native-element': ['error', { exclude: ['region', 'search'] }],
    'tel-non-breaking': 'off',
    // Several values under one name are a list.
    'form-dup-name': 'off',
    // A `>` in text needs no escape, and Preact writes none.
    'no-raw-characters': 'off',
  },
});

it.each(Object.entries(views))('%s is valid HTML', async (name, view) => {
  const html = page({ ...frame, ...frames[name] }, view);
  const { results } = await validator.validateString(html);
  const slips = results.flatMap(({ messages }) =>
    messages.map(
      ({ ruleId, message, line, column }) =>
        `${ruleId}: ${message} at ${html.split('\n')[line - 1]?.slice(column - 1, column + 60)}`,
    ),
  );
  expect(slips).toEqual([]);
});
