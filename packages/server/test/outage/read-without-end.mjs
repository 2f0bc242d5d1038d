/** Reads a URL without end, over as many connections as its second argument says. */
import { Agent, get } from 'node:http';

const [, , url = '', connections = '1'] = process.argv;
const agent = new Agent({ keepAlive: true, maxSockets: Number(connections) });

const read = () => {
  get(url, { agent }, (res) => res.resume().once('end', read)).once('error', () => process.exit());
};
for (let i = 0; i < Number(connections); i += 1) read();
