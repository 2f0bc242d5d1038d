/**
 * The way with Kubernetes: what the example says is started by a stub of `kubectl`. A balancer of ours stands for the
 * Service `web` and for the Ingress before it.
 */
import { startHttpBalancer } from '@bot-directory/testing/balancer';
import { addEngine, addService, addressesOf, imagesOwn } from './containers.ts';
import { backupJob, deployments, kubernetes } from './documents.ts';
import { ownSettings, startDebiansRedis, startProvider, type Layout, type Way } from './layout.ts';
import { needsMachine, startMachine, type Machine } from './machine.ts';
import { block } from './manual.ts';

/** The commands of the manual. `apply` replaces pods one by one: each when the next is ready. */
const kubectl = (replicas: Readonly<Record<string, number>>, backup: string): string => String.raw`
declare -A replicas=(${Object.entries(replicas)
  .map(([name, count]) => `[${name}]=${count}`)
  .join(' ')})
apply() {
  local name kind pod
  for kind in "${'${!replicas[@]}'}"; do
    local old=($(all $kind))
    for ((pod = 0; pod < replicas[$kind]; pod++)); do
      start $kind
      until_ready $(all $kind | tail -n 1)
      name=${'${old[pod]:-}'}
      [[ -z $name ]] || { mv $name/address $name/stopped && end $name && rm -r $name; }
    done
  done
}
in_pod() {
  mapfile -t settings </srv/services/web/environment
  "${'${as_image[@]}'}" "${'${settings[@]}'}" "$@"
}
case "$*" in
  'create secret generic bot-directory --from-literal='*)
    for kind in "${'${!replicas[@]}'}"; do echo "${'${5#--from-literal=}'}" >>/srv/services/$kind/environment; done ;;
  'apply -f deploy/kubernetes/') apply ;;
  'exec --stdin deploy/web -- '*) shift 4 && in_pod "$@" ;;
  'create job --from=cronjob/backup backup-now') in_pod ${backup} >/run/job 2>&1 || echo failed >>/run/job ;;
  'wait --for=condition=complete --timeout=10m job/backup-now') ! grep -x failed /run/job ;;
  'logs job/backup-now') cat /run/job ;;
  'delete job backup-now') rm /run/job ;;
  *) echo "kubectl: $*" >&2 && exit 1 ;;
esac
`;

/** The Service: it has the pods that are not being stopped. */
const startCluster = async (machine: Machine) => {
  const balancer = await startHttpBalancer();
  const timer = setInterval(() => {
    const now = new Set(addressesOf(machine, 'web').map((address) => `http://${address}:3000`));
    for (const url of balancer.backends) if (!now.has(url)) balancer.backends.delete(url);
    for (const url of now) balancer.backends.add(url);
  }, 50);
  return {
    url: balancer.url,
    stop: async (): Promise<void> => {
      clearInterval(timer);
      await balancer.stop();
    },
  };
};

const install = async (): Promise<Layout> => {
  const machine = await startMachine();
  const { template } = backupJob.spec.jobTemplate.spec;
  const [job] = template.spec.containers;
  const counts = Object.fromEntries(deployments.map(({ name, replicas }) => [name, replicas]));
  await addEngine(machine, 'kubectl', kubectl(counts, job.command.join(' ')));
  const data = kubernetes.find(({ kind }) => kind === 'ConfigMap')?.data;
  for (const { name, container } of deployments)
    addService(machine, name, {
      environment: {
        ...data,
        ...Object.fromEntries(container.env.map((one) => [one.name, one.value])),
        ...ownSettings,
        REDIS_KEY_PREFIX: 'directory-of-ours:',
      },
      command: `env METRICS_ADDRESS="$HOST:$METRICS_ADDRESS" ${imagesOwn}`,
    });
  // The volume, which is the pods' group's.
  const { mountPath } = job.volumeMounts[0] ?? {};
  await machine.succeed(`install -d -m 2775 -g 65532 ${mountPath}`);
  const cluster = await startCluster(machine);
  await Promise.all([startProvider(machine), startDebiansRedis(machine)]);
  const follow = (commands: string): Promise<string> => machine.succeed(block('layout: kubernetes') + commands);
  const [secret = '', apply = ''] = block('kubectl apply').split('\n');
  await follow(`${secret.replace('rediss://redis.example.com', 'redis://127.0.0.1')}\n${apply}`);
  return {
    machine,
    follow,
    url: cluster.url,
    backUp: () => follow(block('kubectl create job')),
    restore: () =>
      follow(`redis-cli flushall
        bot-directory-admin import - --resume --with-keys <"$(ls ${mountPath}/bot-directory-*.ndjson | tail -n 1)"`),
    upgrade: () => follow(apply),
    stop: async () => {
      await cluster.stop();
      await machine.stop();
    },
  };
};

export const kubernetesWay: Way = { name: 'Kubernetes, with a prefix', needs: needsMachine(), install };
