/**
 * Mistakes that must not get through: the compiler refuses each of the first kind, lint each of the second. If one of
 * them gets through, its comment is the error.
 */
import { Card } from '../../src/parts/card.tsx';
import { to } from '../../src/parts/href.ts';
import { botOf } from '../samples.ts';

const bot = botOf(1);

export const refusedByTheCompiler = [
  // @ts-expect-error no such attribute
  <input type="text" nmae="q" />,
  // @ts-expect-error no such element
  <buton>Search</buton>,
  // @ts-expect-error no such type of input
  <input type="serach" />,
  // @ts-expect-error an attribute of another type
  <textarea rows="four" />,
  // @ts-expect-error text as a handler
  <button onClick="alert(1)">Search</button>,
  // @ts-expect-error no such property
  <Card bot={bot} size="big" />,
  // @ts-expect-error a property is missing
  <Card />,
];

export const refusedByLint = [
  // oxlint-disable-next-line house/no-restricted-syntax -- text as markup
  <p dangerouslySetInnerHTML={{ __html: bot.name }} />,
  // oxlint-disable-next-line house/no-restricted-syntax -- an address made of data
  <a href={bot.url}>{bot.name}</a>,
  // oxlint-disable-next-line house/no-restricted-syntax -- the same, in a template
  <a href={`/bots/${bot.slug}`}>{bot.name}</a>,
  // oxlint-disable-next-line house/no-restricted-syntax -- where a form leads
  <form action={bot.url} />,
  <a href={to.bot(bot.slug)}>This is how.</a>,
];
