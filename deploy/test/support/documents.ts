/** What the files that run the service say, as far as the tests check it. */
import { parse, parseAllDocuments } from 'yaml';
import { read } from './files.ts';

/** A service of compose.yaml. */
export interface ComposeService {
  image: string;
  build?: string;
  command?: string[];
  entrypoint?: string[];
  environment?: Record<string, string>;
  ports?: string[];
  volumes?: string[];
  user?: string;
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
  stop_grace_period?: string;
  healthcheck?: { test: string[] };
  deploy?: { replicas: number };
  logging?: { driver: string; options: Record<string, string> };
}

/** compose.yaml, with its anchors resolved. */
export const compose = parse(read('compose.yaml'), { merge: true }) as {
  name?: string;
  services: Record<string, ComposeService>;
};

/** A container that runs to its end. */
export interface JobContainer {
  name: string;
  image: string;
  command: string[];
  volumeMounts: { name: string; mountPath: string }[];
  securityContext: object;
}

interface Probe {
  httpGet: { path: string; port: string };
}

/** A container of a pod. */
export interface Container {
  name: string;
  image: string;
  env: { name: string; value: string }[];
  ports: { name: string; containerPort: number }[];
  startupProbe: Probe;
  readinessProbe: Probe;
  livenessProbe: Probe;
  resources: { requests: object; limits: object };
  securityContext: object;
}

/** An object of deploy/kubernetes. */
export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  data?: Record<string, string>;
  spec?: {
    replicas?: number;
    selector: { matchLabels?: Record<string, string> };
    ports?: { port: number; targetPort: string }[];
    template?: {
      metadata: { labels: Record<string, string>; annotations: Record<string, string> };
      spec: { terminationGracePeriodSeconds: number; securityContext: object; containers: Container[] };
    };
  };
}

/** Every object of deploy/kubernetes. */
export const kubernetes = parseAllDocuments(read('deploy/kubernetes/bot-directory.yaml')).map(
  (document) => document.toJS() as KubernetesObject,
);

/** The nightly backup. */
export const backupJob = kubernetes.find(({ kind }) => kind === 'CronJob') as unknown as {
  spec: {
    schedule: string;
    concurrencyPolicy: string;
    jobTemplate: {
      spec: { template: { spec: { restartPolicy: string; securityContext: object; containers: [JobContainer] } } };
    };
  };
};

/** The Deployments among them, with their one container. */
export const deployments = kubernetes.flatMap(({ kind, metadata, spec }) => {
  const [container] = spec?.template?.spec.containers ?? [];
  return kind === 'Deployment' && spec?.template !== undefined && container !== undefined
    ? [
        {
          name: metadata.name,
          replicas: spec.replicas ?? 1,
          selector: spec.selector,
          template: spec.template,
          container,
        },
      ]
    : [];
});

/** The units of deploy/systemd for processes that keep running. */
export const units = ['bot-directory-web@.service', 'bot-directory-worker.service'] as const;

/** What a unit says, line by line: section and name → values. */
export const unit = (name: string): ReadonlyMap<string, readonly string[]> => {
  const values = new Map<string, string[]>();
  let section = '';
  for (const line of read(`deploy/systemd/${name}`).split('\n')) {
    section = /^\[(\w+)\]$/.exec(line)?.[1] ?? section;
    const [, key, value = ''] = /^(\w+)=(.*)$/.exec(line) ?? [];
    if (key !== undefined) values.set(`${section}.${key}`, [...(values.get(`${section}.${key}`) ?? []), value]);
  }
  return values;
};

/** `A=1 B=2`, or a line each. */
export const assignments = (text: string): Record<string, string> =>
  Object.fromEntries([...text.matchAll(/^(?!#)(\w+)=(\S*)|\s(\w+)=(\S*)/gm)].map(([, a, b, c, d]) => [a ?? c, b ?? d]));
