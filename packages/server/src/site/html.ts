/** HTML by tagged template: every value is escaped unless it is Html itself. */

/** Markup that is safe to send as it is. Only `html` makes it. */
export class Html {
  constructor(readonly markup: string) {}
  toString(): string {
    return this.markup;
  }
}

type Value = string | number | Html | readonly Html[];

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escape = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? character);

const render = (value: Value): string => {
  if (value instanceof Html) return value.markup;
  return typeof value === 'object' ? value.map(render).join('') : escape(String(value));
};

/** Markup with values; a list of Html is joined. */
export const html = (parts: TemplateStringsArray, ...values: Value[]): Html =>
  new Html(parts.reduce((markup, part, i) => markup + render(values[i - 1] ?? '') + part));
