/**
 * Prometheus and Alertmanager with the files for one machine, before the processes that its units start: nothing fires
 * while all run, and an alert reaches Alertmanager, whose page goes to another receiver than a ticket.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { needs } from '@bot-directory/testing/needs';
import { spawnProcess } from '@bot-directory/testing/process';
import { startTestRedis } from '@bot-directory/testing/redis';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';
import { startChild, stopChild } from '../../scripts/child.mjs';
import { freePort } from '../../scripts/port.mjs';
import { program } from '../../scripts/programs.mjs';
import { read, root } from './support/files.ts';

const redis = useStarted(startTestRedis);
const alertmanagerFile = join(root, 'deploy/prometheus/alertmanager.yml');

it.each(['page', 'ticket'])('a %s has its receiver', needs('amtool'), (severity) => {
  const args = ['config', 'routes', 'test', `--config.file=${alertmanagerFile}`, `severity=${severity}`];
  expect(spawnSync(program('amtool'), args, { encoding: 'utf8' }).stdout.trim()).toBe(severity);
});

const json = async (port: number, path: string): Promise<unknown> =>
  (await fetch(`http://127.0.0.1:${port}${path}`)).json();

/** Starts the three processes of the units, Prometheus and Alertmanager, whose ports differ from those of the files. */
const startMachine = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'prometheus-'));
  const ended: (() => Promise<unknown>)[] = [];
  const ports = { 9464: await freePort(), 9465: await freePort(), 9466: await freePort(), 9093: await freePort() };
  const prometheus = await freePort();
  const service = { REDIS_URL: redis.url, TEMPLATE_HOST: 'templates.example.com', SHUTDOWN_DELAY: '0s' };
  const startService = (ROLE: string, metrics: number) => {
    const own = { HOST: '127.0.0.1', PORT: '0', METRICS_ADDRESS: `127.0.0.1:${metrics}`, LOG_LEVEL: 'silent' };
    const started = spawnProcess({ ...service, ...own, ROLE });
    ended.push(() => started.kill());
    return started;
  };
  const start = (name: 'prometheus' | 'prometheus-alertmanager', args: string[]) => {
    const child = startChild(program(name), args, { cwd: folder, stdio: 'ignore' });
    ended.push(() => stopChild(child));
  };
  const worker = startService('worker', ports[9464]);
  for (const port of [ports[9465], ports[9466]]) startService('web', port);
  start('prometheus-alertmanager', [
    `--config.file=${alertmanagerFile}`,
    `--web.listen-address=127.0.0.1:${ports[9093]}`,
    `--cluster.listen-address=127.0.0.1:${await freePort()}`,
    `--storage.path=${join(folder, 'alertmanager')}`,
  ]);
  // The shipped rules wait for minutes.
  writeFileSync(join(folder, 'alerts.yaml'), read('deploy/prometheus/alerts.yaml').replaceAll(/for: \d+m/g, 'for: 0s'));
  const configuration = read('deploy/prometheus/machine.yml')
    .replaceAll(/(?<=127\.0\.0\.1:)\d+/g, (port) => String(new Map(Object.entries(ports)).get(port) ?? port))
    .replaceAll('interval: 15s', 'interval: 1s');
  writeFileSync(join(folder, 'prometheus.yml'), configuration);
  await until('all processes can be scraped', async () => {
    const found = [9464, 9465, 9466] as const;
    const asked = found.map((port) => fetch(`http://127.0.0.1:${ports[port]}/metrics`));
    return (await Promise.allSettled(asked)).every(({ status }) => status === 'fulfilled');
  });
  start('prometheus', [
    `--config.file=${join(folder, 'prometheus.yml')}`,
    `--web.listen-address=127.0.0.1:${prometheus}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
  ]);
  return {
    worker,
    prometheus,
    alertmanager: ports[9093],
    stop: async () => {
      for (const end of ended.reverse()) await end();
      rmSync(folder, { recursive: true });
    },
  };
};

/** The processes that this Prometheus reaches. */
const reached = async (prometheus: number): Promise<number> => {
  const { data } = (await json(prometheus, '/api/v1/query?query=up{job="bot-directory"}==1')) as {
    data: { result: unknown[] };
  };
  return data.result.length;
};
const firing = async (prometheus: number): Promise<string[]> => {
  const { data } = (await json(prometheus, '/api/v1/alerts')) as {
    data: { alerts: { labels: { alertname: string } }[] };
  };
  return data.alerts.map(({ labels }) => labels.alertname);
};
/** Whether the people of a receiver know that a process of production is down. */
const isNotified = async (alertmanager: number, receiver: string): Promise<boolean> => {
  const alerts = (await json(alertmanager, '/api/v2/alerts')) as {
    labels: Record<string, string>;
    receivers: { name: string }[];
  }[];
  return alerts.some(
    ({ labels, receivers }) =>
      labels.alertname === 'BotDirectoryDown' &&
      labels.directory === 'production' &&
      receivers.some(({ name }) => name === receiver),
  );
};

const programs = needs('prometheus', 'prometheus-alertmanager');

it('nothing fires while all run, and what does reaches Alertmanager', programs, async () => {
  const { worker, prometheus, alertmanager, stop } = await startMachine();
  try {
    await until('Prometheus reaches them', () =>
      reached(prometheus).then(
        (count) => count === 3,
        () => false,
      ),
    );
    await until('no process is missed', async () =>
      (await firing(prometheus)).every((name) => !/Down|NoW|NoFigures/.test(name)),
    );
    await worker.kill();
    await until('a page is on its way', () => isNotified(alertmanager, 'page'));
  } finally {
    await stop();
  }
});
