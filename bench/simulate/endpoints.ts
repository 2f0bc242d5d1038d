/**
 * The endpoints of the simulated day: which share of them behaves in which way. Nobody publishes such shares for the
 * endpoints of strangers, so the shares are our own; each behaviour names its source. Change them to see the effect.
 */
import type { Outcome, SendWebhook } from '../../packages/server/src/outbound/send-webhook.ts';

/** How an endpoint behaves. Latencies are upper bounds with their share; it fails while `isDown`, or by chance. */
export type Behaviour = {
  readonly name: string;
  /** The share of all endpoints. */
  readonly share: number;
  readonly latency: readonly (readonly [share: number, uptoMs: number])[];
  readonly failing: number;
  readonly status: number | 'hangs';
  /** Minutes of each six hours in which it answers nothing but failures. */
  readonly downMinutes: number;
  readonly source: string;
};

/** deliverant.co/docs/analytics, the distribution in its example: 50, 30, 15, 4 and 1 of 100. */
const usual = [
  [0.5, 100],
  [0.3, 300],
  [0.15, 1_000],
  [0.04, 5_000],
  [0.01, 9_000],
] as const;

export const behaviours: readonly Behaviour[] = [
  {
    name: 'healthy',
    share: 0.9,
    latency: usual,
    failing: 0.005,
    status: 503,
    downMinutes: 0,
    source:
      'latency: deliverant.co/docs/analytics (example); a healthy system has 99 % in the end: webhookstream.com/blog',
  },
  {
    name: 'slow',
    share: 0.03,
    latency: [[1, 5_000]],
    failing: 0.01,
    status: 503,
    downMinutes: 0,
    source: 'senders allow 3 to 15 s: docs.bird.com/pusher, developer.clickup.com (7 s), developer.close.com (15 s)',
  },
  {
    name: 'flaky',
    share: 0.03,
    latency: usual,
    failing: 0.2,
    status: 500,
    downMinutes: 0,
    source: 'below 90 % at first is called an incident: webhookstream.com/blog; this is twice as bad',
  },
  {
    name: 'deploys',
    share: 0.02,
    latency: usual,
    failing: 0.002,
    status: 502,
    downMinutes: 10,
    source: 'an assumption: ten minutes of 502 every six hours',
  },
  {
    name: 'hangs',
    share: 0.01,
    latency: [[1, 0]],
    failing: 1,
    status: 'hangs',
    downMinutes: 0,
    source: 'slow receivers hold the tasks of senders: svix and convoy#1926 in our research',
  },
  {
    name: 'gone',
    share: 0.01,
    latency: [[1, 100]],
    failing: 1,
    status: 404,
    downMinutes: 0,
    source: 'stopped by senders after 5 (docs.methodfi.com) to 100 (developer.clickup.com) failures',
  },
];

/** Responds to requests, and counts them. */
export type Endpoints = {
  readonly send: SendWebhook;
  /** What came so far. */
  readonly counts: { attempts: number; failed: number; duplicates: number; delivered: number };
};

const sixHoursMs = 6 * 3_600_000;
/** As fine as the simulation's clock goes. */
const grainMs = 5;

/** Makes endpoints, found by their URLs. `timeoutMs`: when the sender gives up. `random`: 0 … 1. */
export const createEndpoints = (timeoutMs: number, startedAtMs: number, random: () => number): Endpoints => {
  const counts = { attempts: 0, failed: 0, duplicates: 0, delivered: 0 };
  const received = new Map<string, Set<string>>();
  const after = (ms: number, outcome: Outcome): Promise<Outcome> =>
    new Promise((resolve) => setTimeout(resolve, Math.ceil(ms / grainMs) * grainMs, outcome));

  const send: SendWebhook = async ({ url, eventId }) => {
    counts.attempts += 1;
    const number = Number(/h(\d+)\./.exec(url)?.[1]);
    const behaviour = behaviourOf(number);
    const sinceMs = (Date.now() - startedAtMs + number * 60_000) % sixHoursMs;
    const fails = sinceMs < behaviour.downMinutes * 60_000 || random() < behaviour.failing;
    if (fails) {
      counts.failed += 1;
      if (behaviour.status === 'hangs') return after(timeoutMs, { kind: 'failed', failure: 'timeout', isOurs: false });
      const failed = { kind: 'failed', failure: 'status', isOurs: false, status: behaviour.status } as const;
      return after(latencyOf(behaviour, random), failed);
    }
    const events = received.get(url) ?? new Set();
    if (events.has(eventId)) counts.duplicates += 1;
    else counts.delivered += 1;
    received.set(url, events.add(eventId));
    return after(latencyOf(behaviour, random), { kind: 'delivered', status: 204 });
  };
  return { send, counts };
};

/** Spreads behaviours over all numbers, so that any count of endpoints has the same mix. */
const behaviourOf = (number: number): Behaviour => {
  let rest = ((number * 61) % 100) / 100;
  for (const behaviour of behaviours) {
    if (rest < behaviour.share - 1e-9) return behaviour;
    rest -= behaviour.share;
  }
  throw new Error('The shares are less than 1.');
};

const latencyOf = ({ latency }: Behaviour, random: () => number): number => {
  let rest = random();
  let fromMs = 10;
  for (const [share, uptoMs] of latency) {
    if (rest < share) return fromMs + random() * Math.max(0, uptoMs - fromMs);
    rest -= share;
    fromMs = uptoMs;
  }
  return fromMs;
};
