/** What is kept of what people send, for how long, and under which names in the store. */
export const kept: readonly { what: string; until: string; keys: readonly string[] }[] = [
  {
    what: 'Bots and posts, as submitted',
    until: 'Until the operator removes them, except from backups made before',
    keys: ['bot', 'bots', 'post', 'posts', 'changes', 'withdrawn', 'state', 'versions'],
  },
  {
    what: 'Addresses of pages, templates and posts that were once listed, and why the operator removed any',
    until: 'For good: they are never listed again',
    keys: ['templates', 'slugs', 'suffixes', 'statuses'],
  },
  {
    what: 'News about bots, for subscribers; that of a bot that was taken away is not sent any more',
    until: 'For 30 days',
    keys: ['events', 'event-ids'],
  },
  {
    what: 'A salted hash of your IP address and the bot, if you install one',
    until: 'For 24 hours',
    keys: ['installs'],
  },
  {
    what: 'A salted hash of your IP address, if you send a form',
    until: 'While the limit on writes counts, usually a minute',
    keys: ['rate'],
  },
  {
    what: 'Reports of bots and posts, with a salted hash of your IP address; only the operator reads them',
    until: 'For 180 days, or until the operator closes them',
    keys: ['reports'],
  },
  {
    what:
      'The URL of a webhook, its filter and format, how its last ten deliveries went, the secret and headers that you ' +
      'gave, and a salted hash of the IP address that registered it; neither these nor the URL are ever shown',
    until: 'Until you remove it, or 30 days after it has stopped',
    keys: [
      'urls',
      'hosts',
      'domains',
      'targets',
      'cursor',
      'yielded',
      'leased',
      'waiting',
      'stopped',
      'taken',
      'secrets',
      'failures',
      'attempts',
      'subscriptions',
      'topics',
      'asleep',
      'watermark',
      'registrants',
      'own-cursor',
      'own-yielded',
      'own-leased',
      'own-waiting',
      'own-stopped',
    ],
  },
  {
    what: 'What the operator did: blocks, removals, backups',
    until: 'The newest 10,000 lines',
    keys: ['blocks', 'audit', 'backups', 'signing-key', 'paused'],
  },
  {
    what: 'How many bots and posts there are, whose directory it is, and the settings of this service',
    until: 'As long as the directory',
    keys: ['note'],
  },
];
