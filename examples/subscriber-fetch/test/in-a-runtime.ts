/** What runs in each runtime: the subscriber, and one real delivery posted to it twice. */
import { createSubscriber, path } from '../src/subscriber.ts';

/** A delivery as the directory sent it. */
export interface Input {
  directoryUrl: string;
  headers: Record<string, string>;
  body: string;
}

/** Returns the responses, and what the subscriber reported. */
export const run = async ({ directoryUrl, headers, body }: Input): Promise<{ answers: string[]; lines: string[] }> => {
  const lines: string[] = [];
  const subscriber = createSubscriber(directoryUrl, (line) => lines.push(line));
  const answers: string[] = [];
  for (const sent of [body, body, body.replace('Meeting', 'Forged')]) {
    const request = new Request(`https://subscriber.example.com${path}`, { method: 'POST', headers, body: sent });
    const response = await subscriber(request);
    answers.push(`${response.status} ${await response.text()}`);
  }
  return { answers, lines };
};
