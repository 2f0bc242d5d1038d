/** Names in the machine's hosts file, such as those of Docker's `extra_hosts`, which no name server knows. */
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';

/** Where the machine has it. */
export const systemHosts = process.platform === 'win32' ? 'C:\\Windows\\System32\\drivers\\etc\\hosts' : '/etc/hosts';

/** How long the file is assumed to be unchanged. */
const validForMs = 1_000;

/** Looks names up in a hosts file, which is read again as it changes. If it cannot be read, no name is in it. */
export const hostsFile = (path: string): ((hostname: string) => Promise<readonly string[] | undefined>) => {
  let readAtMs = -Infinity;
  let names: Promise<ReadonlyMap<string, readonly string[]>> = Promise.resolve(new Map());
  return async (hostname) => {
    if (performance.now() - readAtMs >= validForMs) {
      readAtMs = performance.now();
      names = readFile(path, 'utf8').then(parse, () => new Map());
    }
    return (await names).get(hostname.toLowerCase());
  };
};

/** The addresses of each name, IPv4 first. */
const parse = (text: string): ReadonlyMap<string, readonly string[]> => {
  const names = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...aliases] = line.replace(/#.*/, '').trim().split(/\s+/);
    if (isIP(address) === 0) continue;
    for (const alias of aliases) {
      const name = alias.toLowerCase().replace(/\.$/, '');
      names.set(
        name,
        [...(names.get(name) ?? []), address].sort((a, b) => isIP(a) - isIP(b)),
      );
    }
  }
  return names;
};
