/**
 * The dashboard and the alerts read nothing that `/metrics` does not have, the dashboard shows each of our metrics, and
 * each alert is explained.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parser } from '@prometheus-io/lezer-promql';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { startDelivery } from '@bot-directory/testing/delivery';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';

const root = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const { groups } = parse(readFileSync(root('deploy/prometheus/alerts.yaml'), 'utf8')) as {
  groups: {
    rules: { alert: string; expr: string; labels: { severity: string }; annotations: { summary: string } }[];
  }[];
};
const rules = groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(readFileSync(root('deploy/grafana/bot-directory.json'), 'utf8')) as {
  panels: { title: string; targets: { expr: string }[] }[];
};

let labelsOf: Map<string, Set<string>>;
let ours: string[];
const test = useStarted(startDelivery);
beforeAll(async () => {
  await test.register();
  await test.publish('Delivered');
  await until('it is delivered', () => test.slugs().length === 1);
  labelsOf = new Map();
  const text = await (await fetch(`${test.url}/metrics`)).text();
  for (const [, name = ''] of text.matchAll(/^# TYPE (\S+) /gm)) labelsOf.set(name, new Set());
  ours = [...labelsOf.keys()].filter((name) => !/^(process|nodejs)_/.test(name));
  for (const [, name = '', labels = ''] of text.matchAll(/^([a-z0-9_]+)(?:\{(.*)\})? /gm)) {
    const known = labelsOf.get(name) ?? new Set();
    for (const [, label = ''] of labels.matchAll(/([a-z_]+)="/g)) known.add(label);
    labelsOf.set(name, known);
  }
  // Reported by Prometheus itself, for every target.
  labelsOf.set('up', new Set());
  // Reported by HAProxy: deploy/test/haproxy.full.test.ts reads them from a real one.
  labelsOf.set('haproxy_frontend_denied_connections_total', new Set(['proxy']));
  for (const state of ['current', 'max']) labelsOf.set(`haproxy_process_${state}_connections`, new Set());
});

/** Returns what an expression reads: each metric with the labels that select series, and the labels to group by. */
const parts = (expr: string) => {
  const metrics: { name: string; labels: string[] }[] = [];
  const errorsAt: number[] = [];
  const grouped: string[] = [];
  parser.parse(expr).iterate({
    enter: ({ type, from, to, node }) => {
      const text = expr.slice(from, to);
      const parent = node.parent?.name;
      if (type.isError) errorsAt.push(from);
      if (type.name === 'Identifier' && parent === 'VectorSelector') metrics.push({ name: text, labels: [] });
      if (type.name === 'LabelName') (parent === 'GroupingLabels' ? grouped : metrics.at(-1)?.labels)?.push(text);
    },
  });
  return { errorsAt, metrics, grouped };
};

const expressions = [
  ...rules.map(({ alert, expr }) => [alert, expr] as const),
  ...dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
];

describe('the dashboards and alerts', () => {
  it.each(expressions)('%s: %s', (_name, expr) => {
    const { errorsAt, metrics, grouped } = parts(expr.replaceAll('$__rate_interval', '5m'));
    expect(errorsAt, 'is PromQL').toEqual([]);
    expect(metrics.length).toBeGreaterThan(0);
    for (const { name, labels } of metrics) {
      const known = labelsOf.get(name);
      expect(known, `/metrics has no ${name}`).toBeDefined();
      // A counter that has counted nothing yet shows no labels; job, instance and directory are the scrape's.
      for (const label of [...labels, ...grouped].filter((one) => !['job', 'instance', 'directory'].includes(one)))
        expect(known?.size === 0 || known?.has(label), `${name} has no label ${label}`).toBe(true);
    }
  });

  it('are about one directory each', () => {
    // Another directory in the same Prometheus would hide what is missing, and add to what is not.
    for (const { alert, expr } of rules) {
      const aggregations = expr.match(/\b(?:sum|max|min|count|group|avg)\b(?!_)/g)?.length ?? 0;
      expect([alert, expr.match(/ by \(directory\b/g)?.length ?? 0]).toEqual([alert, aggregations]);
    }
    for (const { title, targets } of dashboard.panels)
      for (const { expr } of targets)
        for (const { name, labels } of parts(expr).metrics)
          expect([title, name, labels[0]]).toEqual([title, name, 'directory']);
  });

  it('show each metric of ours', () => {
    const shown = dashboard.panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => parts(expr).metrics));
    const names = new Set(shown.map(({ name }) => name.replace(/_(bucket|count)$/, '')));
    // Those about Node and the process, which come from the client library, need no panel.
    expect(ours.filter((name) => !names.has(name))).toEqual([]);
    expect(ours.length).toBeGreaterThan(30);
  });

  it('are explained in OPERATIONS.md, alert by alert', () => {
    const manual = readFileSync(root('docs/OPERATIONS.md'), 'utf8');
    const [, chapter = ''] = /\n### Alerts\n([\s\S]*?)\n##? /.exec(manual) ?? [];
    const described = [...chapter.matchAll(/^#### (\w+)\n\n(.{80,})/gm)].map(([, name]) => name);
    expect(described).toEqual(rules.map(({ alert }) => alert));
  });

  it('say what callers notice, how long it may last and what to decide, if somebody is called for it', () => {
    const manual = readFileSync(root('docs/OPERATIONS.md'), 'utf8');
    const pages = rules.filter(({ labels }) => labels.severity === 'page').map(({ alert }) => alert);
    expect(pages).toContain('BotDirectoryDown');
    for (const alert of pages) {
      const [, text = ''] = new RegExp(`\\n#### ${alert}\\n([^]*?)\\n##`).exec(manual) ?? [];
      const said = text.replaceAll(/\s+/g, ' ');
      for (const part of [/\*\*Callers\*\*/i, /\b[Ii]t may (not )?last\b/, /- If /]) expect(said, alert).toMatch(part);
    }
  });
});
