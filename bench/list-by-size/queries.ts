/** Queries of every kind, each of them new: what nobody asked before. */

/** A kind of query and its nth instance. */
export type QueryKind = { readonly name: string; readonly nth: (n: number) => string };

const words = ['invoice', 'calendar', 'weekly report', 'tick', 'ur', 'm', 'customer team', 'draft mails open'];
const pick = (n: number): string => encodeURIComponent(words[n % words.length] ?? '');

/** Pages of 20 at most. */
export const queryKinds: readonly QueryKind[] = [
  { name: 'newest', nth: (n) => `?limit=${1 + (n % 20)}&new=${n}` },
  { name: 'q, one number', nth: (n) => `?limit=20&q=${n}` },
  { name: 'q, common words', nth: (n) => `?limit=${1 + (n % 20)}&q=${pick(n)}` },
  { name: 'q, 10 prefixes', nth: (n) => `?limit=20&q=a+b+c+d+e+i+l+m+r+${n % 10}` },
  { name: 'author', nth: (n) => `?limit=20&author=maker_${n % 97}` },
  { name: 'category', nth: (n) => `?limit=${1 + (n % 20)}&category=SEO&category=Sales` },
  { name: 'integrations', nth: (n) => `?limit=${1 + (n % 20)}&integration=slack&integration=gmail` },
  { name: 'sort=installs', nth: (n) => `?limit=${1 + (n % 20)}&sort=installs` },
  { name: 'installs and q', nth: (n) => `?limit=20&sort=installs&q=${pick(n)}+${n % 100}` },
];
