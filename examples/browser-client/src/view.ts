/** From values to elements. Outside data is set as text, so that it cannot become markup. */
import type { Bot } from '@bot-directory/sdk';

/** Finds an element of the page. Throws if the page has none of that kind with that id. */
export const element = <Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind => {
  const found = document.getElementById(id);
  if (found instanceof kind) return found;
  throw new TypeError(`the page has no ${kind.name} #${id}`);
};

/** Sets the text of an element. */
export const say = (id: string, text: string): void => {
  element(id, HTMLElement).textContent = text;
};

/** One entry of the list. */
export const botItem = (bot: Bot): HTMLElement => {
  const item = document.createElement('li');
  const words = [bot.author, ...bot.categories, ...bot.integrations].filter((word) => word !== null).join(' · ');
  item.append(link(bot.name, bot.url), paragraph(bot.description), paragraph(words, 'meta'));
  return item;
};

const link = (text: string, address: string): HTMLElement => {
  const anchor = document.createElement('a');
  anchor.textContent = text;
  // A `javascript:` URL would run as a script of this page.
  if (/^https?:$/.test(new URL(address, location.href).protocol)) anchor.href = address;
  return anchor;
};

const paragraph = (text: string, className = ''): HTMLElement => {
  const made = document.createElement('p');
  made.className = className;
  made.textContent = text;
  return made;
};
