/** The provider's HTML: one page for each template, and the page that lists them. */

/** @typedef {import('./templates.js').Template} Template */

/** @param {string} text */
const escapeHtml = (text) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

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
<title>${escapeHtml(title)}</title>
${head}
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
 * The page of a template. If the head names the template in its own metadata, the title also has the site's name.
 * @param {Template} template
 */
export const templatePage = (template) => {
  const { name, description, form } = template;
  const body = `<h1>${escapeHtml(name)}</h1>\n<p>${escapeHtml(description)}</p>\n<p><a href="/">All templates</a></p>`;
  return page(form === 'title' ? name : `${name} – Demo Templates`, body, heads[form](template));
};

/**
 * The page that lists templates.
 * @param {readonly Template[]} templates
 */
export const indexPage = (templates) => {
  const items = templates.map(
    ({ id, name, form }) => `<li><a href="/bot/${id}">${escapeHtml(name)}</a> (${form})</li>`,
  );
  return page('Demo Templates', `<h1>Demo Templates</h1>\n<ul>\n${items.join('\n')}\n</ul>`);
};

/** The page for unknown paths. */
export const notFoundPage = page('Not found', '<h1>Not found</h1>\n<p><a href="/">All templates</a></p>');
