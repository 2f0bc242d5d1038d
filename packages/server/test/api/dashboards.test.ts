/** The dashboard and the alerts ask for nothing that `/metrics` does not tell, and each alert is explained. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parser } from '@prometheus-io/lezer-promql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { startDelivery, type DeliveryTest } from '../support/delivery.ts';
import { until } from '../support/until.ts';

const root = (path: string): string => fileURLToPath(new URL(`../../../../${path}`, import.meta.url));
const alertsFile = root('deploy/prometheus/alerts.yaml');
const { groups } = parse(readFileSync(alertsFile, 'utf8')) as {
  groups: { rules: { alert: string; expr: string; annotations: { summary: string } }[] }[];
};
const rules = groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(readFileSync(root('deploy/grafana/bot-directory.json'), 'utf8')) as {
  panels: { title: string; targets: { expr: string }[] }[];
};

let test: DeliveryTest;
let labelsOf: Map<string, Set<string>>;
beforeAll(async () => {
  test = await startDelivery();
  await test.register();
  await test.publish('Delivered');
  await until('it is delivered', () => test.slugs().length === 1);
  labelsOf = new Map();
  const text = await (await fetch(`${test.url}/metrics`)).text();
  for (const [, name = ''] of text.matchAll(/^# TYPE (\S+) /gm)) labelsOf.set(name, new Set());
  for (const [, name = '', labels = ''] of text.matchAll(/^([a-z0-9_]+)(?:\{(.*)\})? /gm)) {
    const known = labelsOf.get(name) ?? new Set();
    for (const [, label = ''] of labels.matchAll(/([a-z_]+)="/g)) known.add(label);
    labelsOf.set(name, known);
  }
  // Told by Prometheus itself, of every target.
  labelsOf.set('up', new Set());
});
afterAll(() => test.stop());

const words = /\b(sum|rate|increase|max|count|by|le|histogram_quantile)\b|\$__rate_interval/g;
const expressions = [
  ...rules.map(({ alert, expr }) => [alert, expr] as const),
  ...dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
];

describe('the dashboards and alerts', () => {
  it.each(expressions)('%s: %s', (_name, expr) => {
    const errorsAt: number[] = [];
    parser.parse(expr.replaceAll('$__rate_interval', '5m')).iterate({
      enter: ({ type, from }) => {
        if (type.isError) errorsAt.push(from);
      },
    });
    expect(errorsAt, 'is PromQL').toEqual([]);
    const selectors = [
      ...expr
        .replace(/by \([^)]*\)/g, '')
        .replace(words, '')
        .matchAll(/([a-z][a-z0-9_]+)(?:\{([^}]*)\})?/g),
    ];
    const named = selectors.filter(([, name = '']) => !/^\d*[smh]$/.test(name));
    expect(named.length).toBeGreaterThan(0);
    const grouped = [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/,\s*/));
    for (const [, name = '', matchers = ''] of named) {
      const labels = labelsOf.get(name);
      expect(labels, `/metrics has no ${name}`).toBeDefined();
      const used = [...[...matchers.matchAll(/([a-z_]+)(?:=~|!=|=)/g)].map(([, label = '']) => label), ...grouped];
      // A counter that has counted nothing yet shows no labels; job and instance are the scrape's.
      for (const label of used.filter((one) => !['job', 'instance'].includes(one)))
        expect(labels?.size === 0 || labels?.has(label), `${name} has no label ${label}`).toBe(true);
    }
  });

  it('are explained in OPERATIONS.md, alert by alert', () => {
    const manual = readFileSync(root('docs/OPERATIONS.md'), 'utf8');
    const [, chapter = ''] = /\n### Alerts\n([\s\S]*?)\n##? /.exec(manual) ?? [];
    const described = [...chapter.matchAll(/^#### (\w+)\n\n(.{80,})/gm)].map(([, name]) => name);
    expect(described).toEqual(rules.map(({ alert }) => alert));
  });

  it('are accepted by promtool, if it is at hand', () => {
    const checked = spawnSync('promtool', ['check', 'rules', alertsFile], { encoding: 'utf8' });
    if (checked.error === undefined) expect(checked.stdout).toContain(`${rules.length} rules found`);
    expect(checked.error === undefined ? checked.status : 0).toBe(0);
  });
});
