/**
 * `pnpm marks`: copies names and marks of services out of simple-icons (CC0) and Material Design Icons (Apache-2.0),
 * made small: shapes are rounded to a tenth of a unit, of which a mark is 24 wide and shown on 15 pixels.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { formatted } from './formatted.ts';
import { chromium } from 'playwright-core';
import { chromiumOptions } from '@bot-directory/testing/chromium';
import * as icons from 'simple-icons';
import { optimize } from 'svgo';

/** By the names of simple-icons: what bots work with. */
const used = `
  gmail google googleads googleanalytics googlebigquery googlecalendar googlechat googlecloud googlecloudstorage
  googledocs googledrive googleforms googlegemini googlekeep googlemaps googlemeet googlenews googlephotos googleplay
  googlescholar googlesearchconsole googlesheets googleslides googletagmanager googletasks googletranslate looker
  youtube firebase
  atlassian bitbucket confluence jira trello opsgenie statuspage github gitlab githubactions gitea git linear sentry
  vercel netlify cloudflare digitalocean docker kubernetes terraform ansible jenkins circleci grafana prometheus datadog
  newrelic pagerduty elasticsearch kibana splunk postman swagger npm pypi nodedotjs python typescript javascript rust go
  php ruby cplusplus dotnet kotlin swift jetbrains
  postgresql mysql mongodb redis sqlite mariadb supabase planetscale snowflake databricks clickhouse apachekafka
  rabbitmq duckdb
  notion airtable asana clickup todoist basecamp miro figma framer webflow wordpress ghost medium substack hashnode
  devdotto contentful sanity strapi drupal joomla wix squarespace obsidian evernote coda
  discord telegram whatsapp signal messenger mattermost rocketdotchat matrix line wechat viber intercom zendesk
  hubspot helpscout livechat
  stripe paypal shopify woocommerce bigcommerce square klarna wise revolut quickbooks xero sage gusto adyen razorpay
  bitcoin ethereum coinbase binance etsy ebay aliexpress gumroad patreon kickstarter
  mailchimp brevo mailgun protonmail thunderbird resend kit
  facebook instagram x threads tiktok pinterest reddit snapchat bluesky mastodon twitch vimeo spotify soundcloud
  applemusic applepodcasts tumblr quora producthunt ycombinator stackoverflow dribbble behance meta
  anthropic claude huggingface ollama perplexity mistralai deepseek langchain replicate elevenlabs deepl openrouter n8n
  zapier make ifttt
  dropbox box nextcloud owncloud backblaze wetransfer icloud apple appstore homeassistant
  semrush plausibleanalytics matomo mixpanel posthog hotjar similarweb
  calendly caldotcom meetup typeform surveymonkey airbnb bookingdotcom tripadvisor uber
  1password bitwarden lastpass okta auth0 keycloak
  rss wikipedia arxiv openstreetmap duckduckgo brave imdb goodreads strava fitbit garmin duolingo udemy coursera moodle
  zoho odoo sap loom grammarly clockify toggl raycast trustpilot glassdoor indeed upwork fiverr opencollective
`;

/**
 * By the names of Material Design Icons: services that asked to be left out of simple-icons, with all names that people
 * call them. Zoom's own mark is a word, so it has a camera.
 */
const others: Readonly<Record<string, readonly string[]>> = {
  aws: ['AWS', 'Amazon Web Services'],
  linkedin: ['LinkedIn'],
  microsoft: ['Microsoft'],
  'microsoft-azure': ['Azure', 'Microsoft Azure'],
  'microsoft-dynamics-365': ['Dynamics 365', 'Microsoft Dynamics 365'],
  'microsoft-excel': ['Excel', 'Microsoft Excel', 'MS Excel'],
  'microsoft-office': ['Microsoft 365', 'Microsoft Office', 'Office 365'],
  'microsoft-onedrive': ['OneDrive', 'Microsoft OneDrive'],
  'microsoft-onenote': ['OneNote', 'Microsoft OneNote'],
  'microsoft-outlook': ['Outlook', 'Microsoft Outlook', 'MS Outlook'],
  'microsoft-powerpoint': ['PowerPoint', 'Microsoft PowerPoint'],
  'microsoft-sharepoint': ['SharePoint', 'Microsoft SharePoint'],
  'microsoft-teams': ['Microsoft Teams', 'MS Teams', 'Teams'],
  'microsoft-visual-studio-code': ['VS Code', 'Visual Studio Code'],
  'microsoft-word': ['Word', 'Microsoft Word', 'MS Word'],
  salesforce: ['Salesforce'],
  skype: ['Skype'],
  slack: ['Slack'],
  'video-box': ['Zoom'],
};

const set = new Map(Object.values(icons).map((icon) => [icon.slug, icon]));

const shapeOf = (svg: string): string => {
  const { data } = optimize(svg, { multipass: true, floatPrecision: 1 });
  const [, shape] = / d="([^"]+)"/.exec(data) ?? [];
  if (shape === undefined || data.split('<path').length !== 2) throw new Error(`not one path: ${data}`);
  return shape;
};

/** Words, which nobody can read on 15 pixels: flatter than this, or named here. */
const leastSide = 10.5;
const words = new Set(['MySQL', 'Sage']);

/** Lists the shorter side of each shape, of 24. */
const sidesOf = async (shapes: readonly string[]): Promise<number[]> => {
  const browser = await chromium.launch(chromiumOptions());
  try {
    const page = await browser.newPage();
    await page.setContent(`<svg>${shapes.map((shape) => `<path d="${shape}"/>`).join('')}</svg>`);
    return await page.evaluate<number[]>(
      `[...document.querySelectorAll('path')].map((path) => path.getBBox()).map(({ width, height }) => Math.min(width, height))`,
    );
  } finally {
    await browser.close();
  }
};

const design = dirname(createRequire(import.meta.url).resolve('@mdi/svg/package.json'));
const found = [
  ...(used.match(/\S+/g) ?? []).map((name) => {
    const icon = set.get(name);
    if (icon === undefined) throw new Error(`simple-icons has no ${name}`);
    return { title: icon.title, shape: shapeOf(icon.svg) };
  }),
  ...Object.entries(others).flatMap(([name, titles]) => {
    const shape = shapeOf(readFileSync(join(design, 'svg', `${name}.svg`), 'utf8'));
    return titles.map((title) => ({ title, shape }));
  }),
];
const sides = await sidesOf(found.map(({ shape }) => shape));
const lines = found.map(({ title, shape }, i) => {
  const isLegible = (sides[i] ?? 0) >= leastSide && !words.has(title);
  return `  [${JSON.stringify(title)}, ${JSON.stringify(isLegible ? shape : '')}],`;
});
const source = `/**
 * Made by \`pnpm marks\` from simple-icons (CC0, https://simpleicons.org) and Material Design Icons (Apache-2.0,
 * https://pictogrammers.com). Do not edit.
 */

/** Names of services, and the shape of the mark of each in a square of 24; empty if it cannot be read so small. */
export const marks: readonly (readonly [name: string, shape: string])[] = [
${lines.join('\n')}
];
`;
const target = new URL('../../packages/site/src/parts/marks.gen.ts', import.meta.url);
writeFileSync(target, await formatted(target.pathname, source));
