/** Bots as they are published, for as long as the component is shown. */
import { type Bot, createClient } from '@bot-directory/sdk';
import { useEffect, useState } from 'react';

const directory = createClient({ baseUrl: 'https://directory.example.com' });

export const NewBots = () => {
  const [bots, setBots] = useState<Bot[]>([]);

  useEffect(() => {
    const stop = new AbortController();
    const follow = async () => {
      for await (const { type, data } of directory.events.stream({}, { signal: stop.signal }))
        if (type === 'bot.created') setBots((before) => [data, ...before]);
    };
    // The stream reconnects by itself; what ends it is the abort, or a directory without events.
    follow().catch(() => {});
    return () => stop.abort();
  }, []);

  return (
    <ul aria-label="New">
      {bots.map((bot) => (
        <li key={bot.id}>{bot.name}</li>
      ))}
    </ul>
  );
};
