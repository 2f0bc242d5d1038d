/** What it takes to render a page that is in no cache. */
import { openApi, problems } from '@bot-directory/contract';
import { page, type DirectoryView, type Frame, type View } from '@bot-directory/site';
import { median } from '../support/statistics.ts';
import { row } from '../support/table.ts';

const rounds = 200;

/** Prints the median of many, in milliseconds. */
export const measureRendering = ({ frame, view }: { frame: Frame; view: DirectoryView }): void => {
  const [bot] = view.bots;
  if (bot === undefined) throw new Error('The directory is empty.');
  const codes = Object.entries(problems).map(([code, problem]) => ({ code, ...problem }));
  const pages: [name: string, view: View, barMs: number][] = [
    ['home page', view, 2],
    [
      'bot',
      {
        page: 'bot',
        bot,
        posts: [],
        related: view.bots.slice(1, 4),
        namesakes: [],
        template: { checkedOn: '2026-11-21', found: 'found' },
        updatedAt: bot.created_at,
        templateUrl: 'https://templates.example.com/bot/3',
        others: [],
        forms: undefined,
      },
      1,
    ],
    ['API reference', { page: 'docs', document: openApi(frame.baseUrl), problems: codes }, 5],
  ];
  console.log(row('rendered', ['ms', 'bar']));
  for (const [name, shown, barMs] of pages) {
    const timesMs: number[] = [];
    for (let round = -rounds; round < rounds; round++) {
      const startedMs = performance.now();
      page(frame, shown);
      // The rounds before the first are for the compiler.
      if (round >= 0) timesMs.push(performance.now() - startedMs);
    }
    console.log(row(`  ${name}`, [median(timesMs).toFixed(2), String(barMs)]));
  }
};
