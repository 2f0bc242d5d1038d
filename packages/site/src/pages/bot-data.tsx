/** A bot's page as structured data. */
import type { Bot } from '@bot-directory/contract';
import { to } from '../parts/href.ts';
import { JsonLd } from '../parts/json-ld.tsx';
import type { Frame } from '../views.ts';

/** Structured data for the head. It has no ratings or prices, because bots have none. */
export const BotData = ({ frame, bot }: { frame: Frame; bot: Bot }) => {
  const [category] = bot.categories;
  const crumbs = [
    { name: 'Directory', item: `${frame.baseUrl}/` },
    ...(category === undefined || !frame.categories.includes(category)
      ? []
      : [{ name: category, item: to.absolute(frame.baseUrl, to.directory({ categories: [category] })) }]),
    { name: bot.name, item: bot.url },
  ];
  return (
    <>
      <link rel="alternate" type="application/json" title="This bot as JSON" href={to.apiBot(bot.slug)} />
      <JsonLd
        data={{
          '@type': 'SoftwareApplication',
          name: bot.name,
          description: bot.description,
          url: bot.url,
          image: to.absolute(frame.baseUrl, to.picture(bot.slug)),
          datePublished: bot.created_at,
          ...(category === undefined ? {} : { applicationCategory: category }),
          ...(bot.author === null ? {} : { author: { '@type': 'Person', name: bot.author } }),
          interactionStatistic: {
            '@type': 'InteractionCounter',
            interactionType: { '@type': 'InstallAction' },
            userInteractionCount: bot.install_count,
          },
        }}
      />
      <JsonLd
        data={{
          '@type': 'BreadcrumbList',
          itemListElement: crumbs.map((crumb, i) => ({ '@type': 'ListItem', position: i + 1, ...crumb })),
        }}
      />
    </>
  );
};
