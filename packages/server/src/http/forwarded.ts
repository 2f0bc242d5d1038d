/** `X-Forwarded-For` as some proxies write it: with the port, which differs for every connection. */

const withPort = /^(?:(\d{1,3}(?:\.\d{1,3}){3})(?::\d+)?|\[([\da-f:.]+)\](?::\d+)?)$/i;

/** The same addresses without ports and brackets, so that a client always has the same address. */
export const withoutPorts = (header: string): string =>
  header
    .split(',')
    .map((entry) => {
      const [, four, six] = withPort.exec(entry.trim()) ?? [];
      return four ?? six ?? entry.trim();
    })
    .join(', ');
