/** The templates of the demo provider. Providers describe templates in different ways; `form` says which one to use. */

/**
 * @typedef {object} Template
 * @property {string} id as in `/bot/<id>`
 * @property {string} name
 * @property {string} description
 * @property {'json' | 'json-ld' | 'open-graph' | 'title'} form JSON where it is asked for, or only a page with JSON-LD,
 *   with OpenGraph, or with nothing but a title and a meta description
 * @property {string[]} [connectors] in the JSON form only
 */

/** @type {readonly Template[]} */
export const templates = [
  {
    id: 'weekly-seo-report',
    name: 'Weekly SEO Report',
    description:
      'Gathers rankings, clicks and broken links every Monday and mails a one-page summary with what to fix first.',
    form: 'json',
    connectors: ['Google Search Console', 'Ahrefs', 'Gmail'],
  },
  {
    id: 'pull-request-reviewer',
    name: 'Pull Request Reviewer',
    description:
      'Reads each new pull request, points at risky lines and missing tests, and posts its notes in the team channel.',
    form: 'json',
    connectors: ['GitHub', 'Slack'],
  },
  {
    id: 'invoice-chaser',
    name: 'Invoice Chaser',
    description: 'Finds overdue invoices and writes polite reminders that get firmer with each week.',
    form: 'json',
    connectors: ['Stripe', 'QuickBooks', 'Gmail'],
  },
  {
    id: 'meeting-notes',
    name: 'Meeting Notes & Actions',
    description: 'Turns a call’s transcript into decisions and actions, each with an owner and a date.',
    form: 'json',
    connectors: ['Zoom', 'Notion', 'Google Calendar'],
  },
  {
    id: 'lead-researcher',
    name: 'Lead Researcher',
    description: 'Looks up every new sign-up’s company and writes a short brief before the first call.',
    form: 'json',
    connectors: ['HubSpot', 'LinkedIn', 'Google Sheets'],
  },
  {
    id: 'churn-watch',
    name: 'Churn Watch',
    description: 'Notices which customers use the product less than last month, and drafts a note for each of them.',
    form: 'json',
    connectors: ['Stripe', 'Intercom', 'Slack'],
  },
  {
    id: 'stand-up-collector',
    name: 'Stand-up Collector',
    description:
      'Asks everybody on the team for three lines each morning and posts the summary where they all read it.',
    form: 'json',
    connectors: ['Slack', 'Jira'],
  },
  {
    id: 'support-triage',
    name: 'Support Triage',
    description: 'Sorts incoming tickets by urgency and subject, and drafts answers to the ones seen before.',
    form: 'json-ld',
  },
  {
    id: 'changelog-writer',
    name: 'Changelog Writer',
    description: 'Reads what was merged since the last release and writes a changelog that customers understand.',
    form: 'json-ld',
  },
  {
    id: 'social-post-planner',
    name: 'Social Post Planner',
    description: 'Plans two weeks of posts from your blog, one idea per day, in your own voice.',
    form: 'json-ld',
  },
  {
    id: 'expense-sorter',
    name: 'Expense Sorter',
    description: 'Reads photographed receipts and files them under the right budget, asking only when in doubt.',
    form: 'open-graph',
  },
  {
    id: 'on-call-digest',
    name: 'On-call Digest',
    description: 'Sums up the night’s alerts before stand-up: what fired, what was noise, what needs a human.',
    form: 'open-graph',
  },
  {
    id: 'recipe-planner',
    name: 'Café Menü Planner',
    description: 'Plans a week’s menu from what is in season and in stock, and writes the shopping list.',
    form: 'title',
  },
  {
    id: 'language-tutor',
    name: 'Language Tutor <B1>',
    description: 'Ten minutes a day of conversation at your level, with corrections that explain “why”.',
    form: 'title',
  },
];

/**
 * The template at `/bot/<id>`: one of those above, or, for an id of two or more words, one that is made of them. So
 * there is always another template to submit.
 * @param {string} id
 * @returns {Template | undefined}
 */
export const templateOf = (id) => {
  const known = templates.find((template) => template.id === id);
  if (known !== undefined || id.length > 80 || !/^[a-z]+(-[a-z0-9]+)+$/.test(id)) return known;
  const name = id.replaceAll('-', ' ').replace(/(^| )[a-z]/g, (letter) => letter.toUpperCase());
  return { id, name, description: `Made up from the words of its link: ${name}.`, form: 'json', connectors: ['Slack'] };
};
