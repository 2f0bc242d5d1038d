/** The picture that previews of a bot's link show, drawn when it is first wanted. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';
import { Pictures } from '../../src/site/pictures.ts';
import { startSite } from '@bot-directory/testing/site';

const site = useStarted(startSite);

/** Waits until a bot's picture has been drawn, and returns it: a busy machine shows the plain one first. */
const drawnOf = async (slug: string) => {
  let picture = await pictureOf(slug);
  await until(`the picture of ${slug} is drawn`, async () => {
    picture = await pictureOf(slug);
    return picture.tag?.includes('.plain') === false;
  });
  return picture;
};

const pictureOf = async (slug: string) => {
  const answer = await fetch(`${site.url}/bots/${slug}/og.png`);
  const bytes = Buffer.from(await answer.arrayBuffer());
  const size = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  const hash = createHash('sha256').update(bytes).digest('hex');
  return { type: answer.headers.get('content-type'), tag: answer.headers.get('etag'), size, hash };
};

it('is a bot’s own, in scripts of many, and changes with its name, not with its installs', async () => {
  const template = site.provider.template({ name: 'Weekly Report' });
  await site.post('/api/bots/submit', { link: site.link(template), integrations: ['notion'], author: '@ada' });
  const page = await (await site.html('/bots/weekly-report')).text();
  expect(page).toContain(`<meta property="og:image" content="${site.url}/bots/weekly-report/og.png"`);
  const first = await drawnOf('weekly-report');
  expect(first).toMatchObject({ type: 'image/png', size: [1_200, 630] });
  await site.send('/bots/weekly-report/install', []);
  await site.publish('Makes the count fresh');
  expect(await drawnOf('weekly-report')).toEqual(first);
  site.provider.template({ name: 'Daily Report' }, template);
  await site.post('/api/bots/weekly-report/refresh', {});
  const others = [await drawnOf('weekly-report')];
  for (const name of ['Еженедельный отчёт', 'Εβδομαδιαία', '毎週の報告 😀', '周报机器人', '주간 보고서', '!!!'])
    others.push(await drawnOf(await site.publish(name)));
  const plain = createHash('sha256').update(Buffer.from(await (await fetch(`${site.url}/og.png`)).arrayBuffer()));
  expect(new Set([first, ...others].map(({ hash }) => hash)).add(plain.digest('hex')).size).toBe(9);
});

it('is the plain one for a script that no font has, and none where no bot is', async () => {
  const plain = Buffer.from(await (await fetch(`${site.url}/og.png`)).arrayBuffer());
  const { hash } = await pictureOf(await site.publish('مرحبا بالعالم'));
  expect(hash).toBe(createHash('sha256').update(plain).digest('hex'));
  expect((await fetch(`${site.url}/bots/none/og.png`)).status).toBe(404);
});

describe('drawing', () => {
  /** Limits that even a busy machine keeps. */
  const patient = { drawMs: 60_000, waitMs: 60_000 };
  const square = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>';

  it('gives up what takes too long, or is not SVG, and draws the next', async () => {
    const late = new Pictures({ ...patient, drawMs: 0 });
    await late.draw(square);
    expect(late.drawn(square)).toBeUndefined();
    const pictures = new Pictures(patient);
    await pictures.draw('<svg');
    expect(pictures.drawn('<svg')).toBeUndefined();
    await pictures.draw(square);
    expect(pictures.drawn(square)?.subarray(1, 4).toString()).toBe('PNG');
  });

  it('lets only a limited number wait, and begins again after its thread has ended', async () => {
    const pictures = new Pictures({ ...patient, waiting: 1, idleMs: 0 });
    const three = [1, 2, 3].map((n) => `${square}<!--${n}-->`);
    await Promise.all(three.map((one) => pictures.draw(one)));
    expect(three.map((one) => pictures.drawn(one) !== undefined)).toEqual([true, true, false]);
    await pictures.draw(three[2] ?? '');
    expect(pictures.drawn(three[2] ?? '')).toBeDefined();
  });

  it('keeps a limited number of bytes of pictures', async () => {
    const pictures = new Pictures({ ...patient, heldBytes: 2_500 });
    const many = [1, 2, 3, 4].map((n) => `${square}<!--${n}-->`);
    for (const one of many) await pictures.draw(one);
    expect(many.filter((one) => pictures.drawn(one) !== undefined).length).toBeLessThan(4);
  });
});
