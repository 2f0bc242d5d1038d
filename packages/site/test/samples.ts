/** Bots, posts and frames to render pages of. */
import { exampleBot, type Bot } from '@bot-directory/contract';
import { integrationName } from '../src/parts/integration-names.ts';
import type { Frame } from '../src/views.ts';

/** Names of categories. */
export const categories = [
  'Marketing',
  'SEO',
  'Sales',
  'Support',
  'Engineering',
  'Data & Analytics',
  'Design',
  'Research',
  'Content',
  'Social Media',
  'Operations',
  'Finance',
  'HR & Recruiting',
  'Productivity',
  'Education',
  'Other',
];

/** A frame as the server makes it. */
export const frame: Frame = {
  name: 'Bot Directory',
  description: 'A public directory of bot templates, open to everyone.',
  contact: undefined,
  baseUrl: 'https://directory.example.com',
  templateHost: 'templates.example.com',
  installOrigin: 'https://templates.example.com',
  socialHost: 'x.com',
  categories,
  integrationName,
  submissions: 'open',
  assets: {
    styles: '/assets/site-1.css',
    script: '/assets/site-1.js',
    docsStyles: '/assets/docs-1.css',
    docsScript: '/assets/docs-1.js',
    formsScript: '/assets/forms-1.js',
    icon: '/assets/icon-1.svg',
  },
};

const names = [
  [
    'Weekly SEO Report',
    'Gathers rankings, clicks and broken links every Monday and mails a one-page summary with what to fix first.',
  ],
  [
    'Pull Request Reviewer',
    'Reads each new pull request, points at risky lines and missing tests, and posts its notes in the team channel.',
  ],
  ['Invoice Chaser', 'Finds overdue invoices and writes polite reminders that get firmer with each week.'],
  ['Meeting Notes & Actions', 'Turns a call’s transcript into decisions and actions, each with an owner and a date.'],
  ['Lead Researcher', 'Looks up every new sign-up’s company and writes a short brief before the first call.'],
  ['Support Triage', 'Sorts incoming tickets by urgency and subject, and drafts answers to the ones seen before.'],
  [
    'Changelog Writer',
    'Reads what was merged since the last release and writes a changelog that customers understand.',
  ],
  ['Social Post Planner', 'Plans two weeks of posts from your blog, one idea per day, in your own voice.'],
  ['Expense Sorter', 'Reads photographed receipts and files them under the right budget, asking only when in doubt.'],
  ['On-call Digest', 'Sums up the night’s alerts before stand-up: what fired, what was noise, what needs a human.'],
  ['Café Menü Planner', 'Plans a week’s menu from what is in season and in stock, and writes the shopping list.'],
  ['Language Tutor', 'Ten minutes a day of conversation at your level, with corrections that explain “why”.'],
] as const;
const integrations = [
  'slack',
  'gmail',
  'notion',
  'github',
  'stripe',
  'google-sheets',
  'hubspot',
  'zoom',
  'linear',
  'airtable',
  'discord',
  'jira',
  'shopify',
  'zendesk',
  'google-calendar',
  '1password',
];
/** Makes the bot of a number: the same each time. */
export const botOf = (n: number): Bot => {
  const [name, description] = names[n % names.length] ?? names[0];
  const slug = `${name
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[^a-z0-9]+/g, '-')}-${n}`;
  return {
    ...exampleBot,
    id: `bot_${String(n).padStart(26, '0')}`,
    slug,
    name: n < names.length ? name : `${name} ${n}`,
    description,
    author: n % 5 === 4 ? null : `@${['ada', 'grace_h', 'linus', 'margaret'][n % 4]}`,
    url: `${frame.baseUrl}/bots/${slug}`,
    source_url: n % 3 === 0 ? `https://x.com/ada/status/${1_000 + n}` : null,
    integrations: Array.from(
      { length: (n * 3) % 7 },
      (_, i) => integrations[(n * 5 + i * 3) % integrations.length] ?? '',
    ),
    categories: Array.from({ length: n % 4 }, (_, i) => categories[(n * 7 + i * 5) % categories.length] ?? ''),
    install_count: (n * 7919) % 2_311,
    created_at: new Date(Date.UTC(2026, 10, 21) - n * 7_200_000).toISOString(),
  };
};

/** Text that tries to be something else. */
export const hostile: Bot = {
  ...botOf(0),
  id: 'bot_hostile',
  slug: 'hostile',
  name: '<script>alert(1)</script>"\'&<img src=x onerror=alert(1)> ‮gnp.exe]]>',
  description: `</script><!--${'W'.repeat(300)} مرحبا \u2028 👨‍👩‍👧‍👦`,
  author: '@"><b>',
  source_url: 'javascript:alert(1)',
  integrations: ['"><i>', 'a'.repeat(50)],
  categories: ['</ul>'],
};
