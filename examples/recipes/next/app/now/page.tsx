import { fresh } from '../../lib/directory';

export default async function Page() {
  const bots = await fresh.bots.list({ limit: 20 });
  return bots.map((bot) => <p key={bot.id}>{bot.name}</p>);
}
