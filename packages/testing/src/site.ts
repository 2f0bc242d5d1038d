/** A directory with bots, posts and a receiver of webhooks, as a visitor's browser meets it. */
import { templateHost } from '@bot-directory/testing/provider';
import { startReceiver } from '@bot-directory/testing/receiver';
import { startService, type ServiceOptions } from '@bot-directory/testing/service';

export type SiteUnderTest = Awaited<ReturnType<typeof startSite>>;

/** A form as a browser sends it from one of our own pages. */
export type Sent = { readonly origin?: string | null; readonly headers?: Record<string, string> };

/** Starts it. Stop it in `afterAll`. */
export const startSite = async (options: ServiceOptions = {}) => {
  const receiver = await startReceiver();
  const silent = new Set<string>();
  receiver.respond(({ path }, res) => res.writeHead(silent.has(path) ? 404 : 204).end());
  const templates = await startReceiver();
  templates.respond((_received, res) => res.setHeader('Content-Type', 'text/html').end('<title>The template</title>'));
  const service = await startService({
    ...options,
    settings: { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8', ...options.settings },
    world: { ca: receiver.ca, ...options.world },
  });
  /** Requests a page as a browser does. */
  const html = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${service.url}${path}`, {
      redirect: 'manual',
      headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8', ...headers },
    });
  /** Sends a form as a browser does. */
  const send = (path: string, fields: [string, string][], { origin = service.url, headers = {} }: Sent = {}) =>
    fetch(`${service.url}${path}`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams(fields),
      headers: { Accept: 'text/html', ...(origin === null ? {} : { Origin: origin }), ...headers },
    });
  return {
    ...service,
    receiver,
    /** Makes the receiver respond with 404 at this path, until `unsilence` makes it 204 again. */
    silence: (path: string) => silent.add(path),
    unsilence: (path: string) => silent.delete(path),
    /** Names of other sites that point to this machine, for a browser. */
    hosts: { [templateHost]: templates.port },
    html,
    send,
    stop: async (): Promise<void> => {
      await service.stop();
      await Promise.all([receiver.stop(), templates.stop()]);
    },
  };
};

/** Text that tries to be something else. */
const hostile: readonly string[] = [
  '<script>document.title="pwned"</script>',
  '<img src=x onerror="document.title=\'pwned\'">',
  '"\'><svg onload=document.title="pwned">',
  ']]></title></script><!--',
  '\u202Egnp.exe\u202C \u2066isolated\u2069 \u200Fmark',
  '😀👨‍👩‍👧‍👦🇩🇪 4 bytes and more',
  'W'.repeat(100),
  'مرحبا بالعالم שלום',
  '!!! ??? ***',
  'javascript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'line\u2028and\u2029paragraph',
  'half of a pair \uD83D',
  '{{7*7}} ${7*7} `backtick`',
  '</textarea><form action=https://evil.example>',
  '日本語の名前のボット',
  '\u200B\u200D\uFEFFhidden',
];

/** Publishes a bot for each of them. Returns their slugs. */
export const publishHostile = async (site: SiteUnderTest): Promise<string[]> => {
  const slugs: string[] = [];
  for (const text of hostile) {
    const template = site.provider.template({ name: text, description: text.padEnd(500, ' x').slice(0, 500) });
    const { body } = await site.post<{ slug: string }>('/api/bots/submit', {
      link: site.link(template),
      categories: ['SEO'],
    });
    slugs.push(body.slug);
  }
  return slugs;
};
