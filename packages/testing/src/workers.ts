/** Worker processes next to a service that only serves the web: for faults of a process. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deliverySettings, startDelivery, type DeliveryTest } from './delivery.ts';
import { startProcess, type ProcessOptions, type ServerProcess } from './process.ts';
import { templateHost } from './provider.ts';

export type WorkersTest = DeliveryTest & {
  /** Starts a worker on its store, with the same settings but for these. */
  startWorker: (settings?: Record<string, string>, options?: ProcessOptions) => Promise<ServerProcess>;
};

/** The service, a receiver, and no worker yet. Stop workers before it. */
export const startWithoutWorkers = async (settings: Record<string, string> = {}): Promise<WorkersTest> => {
  const test = await startDelivery({ settings: { ...settings, ROLE: 'web' } });
  const home = mkdtempSync(join(tmpdir(), 'bot-directory-ca-'));
  const caFile = join(home, 'ca.pem');
  writeFileSync(caFile, test.receiver.ca);
  const own = {
    ...deliverySettings,
    ...settings,
    REDIS_URL: test.redis?.url ?? '',
    TEMPLATE_HOST: templateHost,
    ROLE: 'worker',
    NODE_EXTRA_CA_CERTS: caFile,
  };
  return {
    ...test,
    startWorker: (changed = {}, options = {}) => startProcess({ ...own, ...changed }, options),
    stop: async () => {
      await test.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
};
