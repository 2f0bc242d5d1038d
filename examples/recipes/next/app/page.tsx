import { kept } from '../lib/directory';

export default async function Page() {
  const bots = await kept.bots.list({ limit: 20 });
  return bots.map((bot) => <p key={bot.id}>{bot.name}</p>);
}
