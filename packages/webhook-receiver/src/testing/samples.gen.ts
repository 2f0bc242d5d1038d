/**
 * A sample of each event's data, from the examples of the service's contract.
 * Written by `npm run generate`; do not edit.
 */

import type { EventMap } from '../types.gen.ts';

/** By event type. */
export const samples: { readonly [Type in keyof EventMap]: EventMap[Type]['data'] } = {
  ping: {},
  'bot.created': {
    id: 'bot_01M7YAV3PXPR9JYQYS5FWGY2KM',
    slug: 'weekly-seo-report',
    name: 'Weekly SEO report',
    description: 'Mails you what changed in your rankings.',
    author: '@ada_l',
    url: 'https://directory.example.com/bots/weekly-seo-report',
    source_url: 'https://x.com/ada_l/status/1790000000000000001',
    integrations: ['google-sheets'],
    categories: ['Marketing'],
    install_count: 12,
    created_at: '2026-11-21T05:56:35.166Z',
  },
  'bot.updated': {
    id: 'bot_01M7YAV3PXPR9JYQYS5FWGY2KM',
    slug: 'weekly-seo-report',
    name: 'Weekly SEO report',
    description: 'Mails you what changed in your rankings.',
    author: '@ada_l',
    url: 'https://directory.example.com/bots/weekly-seo-report',
    source_url: 'https://x.com/ada_l/status/1790000000000000001',
    integrations: ['google-sheets'],
    categories: ['Marketing'],
    install_count: 12,
    created_at: '2026-11-21T05:56:35.166Z',
  },
  'bot.removed': { id: 'bot_01M7YAV3PXPR9JYQYS5FWGY2KM', slug: 'weekly-seo-report', reason: 'It sent spam.' },
  'bot.restored': {
    id: 'bot_01M7YAV3PXPR9JYQYS5FWGY2KM',
    slug: 'weekly-seo-report',
    name: 'Weekly SEO report',
    description: 'Mails you what changed in your rankings.',
    author: '@ada_l',
    url: 'https://directory.example.com/bots/weekly-seo-report',
    source_url: 'https://x.com/ada_l/status/1790000000000000001',
    integrations: ['google-sheets'],
    categories: ['Marketing'],
    install_count: 12,
    created_at: '2026-11-21T05:56:35.166Z',
  },
};
