/** The provider's HTML: one page for each template, and the page that lists them. */

/** @typedef {import('./templates.js').Template} Template */

/** @param {string} text */
const escapeHtml = (text) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

const style = `
:root { color-scheme: light dark; --line: #8885; }
body { max-width: 40rem; margin: 0 auto; padding: 2rem 1rem; font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { line-height: 1.2; }
ul { padding: 0; list-style: none; }
li { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1rem; padding: 0.5rem 0; border-top: 1px solid var(--line); }
.use { padding: 1rem; border: 1px solid var(--line); border-radius: 0.5rem; }
`;

/**
 * A page.
 * @param {string} title
 * @param {string} body
 * @param {string} [head]
 */
const page = (title, body, head = '') => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
${head}
<style>${style}</style>
</head>
<body>
${body}
</body>
</html>
`;

/**
 * The metadata that each form puts in the head of its page, besides the title.
 * @type {Record<Template['form'], (template: Template) => string>}
 */
const heads = {
  json: (template) => heads['json-ld'](template),
  'json-ld': ({ name, description }) => {
    const about = { '@context': 'https://schema.org', '@type': 'SoftwareApplication', name, description };
    // `<` would let a name close the script element.
    return `<script type="application/ld+json">${JSON.stringify(about).replaceAll('<', '\\u003c')}</script>`;
  },
  'open-graph': ({ name, description }) =>
    `<meta property="og:title" content="${escapeHtml(name)}">
<meta property="og:description" content="${escapeHtml(description)}">`,
  title: ({ description }) => `<meta name="description" content="${escapeHtml(description)}">`,
};

/**
 * Where a template stands in the directory: the address of its page there, or of the form that submits it.
 * @typedef {{ isListed: boolean, url: string }} Place
 */

/** @param {Place | undefined} place */
const placeLink = (place) =>
  place === undefined
    ? ''
    : `<a href="${escapeHtml(place.url)}">${place.isListed ? 'Listed in the directory' : 'Submit it'}</a>`;

/**
 * The page of a template, with what a provider would do next. If the head names the template in its own metadata, the
 * title also has the site's name.
 * @param {Template} template
 * @param {Place} [place]
 */
export const templatePage = (template, place) => {
  const { name, description, form, connectors = [] } = template;
  const accounts = connectors.length === 0 ? '' : `connect ${escapeHtml(connectors.join(', '))}, `;
  const body = `<h1>${escapeHtml(name)}</h1>
<p>${escapeHtml(description)}</p>
<div class="use">
<h2>Use this template</h2>
<p>Install leads here, to the bot’s provider. This one is a demo: at a real one you would now sign in,
${accounts}and start your copy of the bot.</p>
</div>
<p>${placeLink(place)}</p>
<p><a href="/">All templates</a></p>`;
  return page(form === 'title' ? name : `${name} – Demo Templates`, body, heads[form](template));
};

/**
 * The page that lists templates, and says which are in the directory.
 * @param {readonly (Template & { place?: Place | undefined })[]} templates
 */
export const indexPage = (templates) => {
  const items = templates.map(
    ({ id, name, form, place }) =>
      `<li><span><a href="/bot/${id}">${escapeHtml(name)}</a> (${form})</span> ${placeLink(place)}</li>`,
  );
  const more = `<p>There are more: <code>/bot/</code> with any words, such as <a href="/bot/my-first-bot">/bot/my-first-bot</a>,
is a template with that name.</p>`;
  return page('Demo Templates', `<h1>Demo Templates</h1>\n<ul>\n${items.join('\n')}\n</ul>\n${more}`);
};

/** The page for unknown paths. */
export const notFoundPage = page('Not found', '<h1>Not found</h1>\n<p><a href="/">All templates</a></p>');
