/** Prometheus's own tool has nothing against our metrics, our alerts and our example of a configuration. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { needs } from '@bot-directory/testing/needs';
import { startService } from '@bot-directory/testing/service';
import { useStarted } from '@bot-directory/testing/use-started';
import { program } from '../../scripts/programs.mjs';

const service = useStarted(startService);
const file = (path: string): string => fileURLToPath(new URL(`../../deploy/${path}`, import.meta.url));
const alerts = file('prometheus/alerts.yaml');
const promtool = (words: string[], input = '') => {
  const { status, stdout, stderr } = spawnSync(program('promtool'), words, { input, encoding: 'utf8' });
  return { status, output: stdout + stderr };
};

describe('promtool', needs('promtool'), () => {
  it('takes the metrics', async () => {
    await service.publish('Counted');
    const shown = await (await fetch(`${service.url}/metrics`)).text();
    expect(promtool(['check', 'metrics'], shown)).toEqual({ status: 0, output: '' });
  });

  it('takes the alerts, which fire as they should', () => {
    const checked = promtool(['check', 'rules', alerts]);
    expect(checked).toEqual({ status: 0, output: expect.stringMatching(/[1-9]\d* rules found/) as string });
    const { status, output } = promtool([
      'test',
      'rules',
      file('test/alerts.yaml'),
      file('test/alerts-over-days.yaml'),
    ]);
    expect(status, output).toBe(0);
  });

  it('takes the configuration, with its example of a second directory', () => {
    const example = readFileSync(file('prometheus/prometheus.yml'), 'utf8');
    const second = example.replaceAll(/^ {2}# (- job_name: staging| {2}.*)$/gm, '  $1');
    expect(parse(second)).toHaveProperty('scrape_configs.2.static_configs.0.labels.directory', 'staging');
    const folder = mkdtempSync(join(tmpdir(), 'prometheus-'));
    const config = join(folder, 'prometheus.yml');
    writeFileSync(config, second.replace('alerts.yaml', alerts));
    const { status, output } = promtool(['check', 'config', config]);
    rmSync(folder, { recursive: true });
    expect(status, output).toBe(0);
  });
});
