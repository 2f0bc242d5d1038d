import { expect, it } from 'vitest';
import { defaultCategories } from './names.ts';
import { defaultCategoryWords, suggestCategories } from './category-words.ts';

const categoryWords = new Map(Object.entries(defaultCategoryWords).map(([name, words]) => [name, words.split(' ')]));
const suggested = (name: string, description = '', categories: readonly string[] = defaultCategories) =>
  suggestCategories({ name, description }, { categories, categoryWords });

it('suggests the category with most of its words first, at most three', () => {
  expect(suggested('Invoice Chaser', 'Finds overdue invoices and writes budgets.')[0]).toBe('Finance');
  expect(suggested('Report', 'invoice ticket code design lesson')).toHaveLength(3);
});

it.each([['Haiku of the Day'], [''], ['日本語の名前のボット']])('suggests none for %s', (name) =>
  expect(suggested(name)).toEqual([]),
);

it('knows the beginnings of words, in any case', () =>
  expect(suggested('RECRUITING helper')).toEqual(['HR & Recruiting']));

it('suggests only categories of the directory', () => expect(suggested('Invoice Chaser', '', ['Design'])).toEqual([]));

it('has words only for categories that there are', () =>
  expect(Object.keys(defaultCategoryWords).filter((name) => !defaultCategories.includes(name))).toEqual([]));
