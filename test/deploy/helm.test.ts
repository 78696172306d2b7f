import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { settings } from '../../model/config';
import { queueKinds } from '../../model/run/queue-kinds';
import { readHowTo, splitCommands } from '../support/code/how-to';
import { helm, kubernetesValidate, run } from './tools';

const source = path.join(__dirname, '..', '..', 'deploy', 'helm', 'docloom');
const folder = mkdtempSync(path.join(os.tmpdir(), 'docloom-helm-'));
const chart = path.join(folder, 'docloom');

interface Resource {
  kind: string;
  apiVersion: string;
  metadata: { name: string };
  spec: {
    replicas?: number;
    template?: { spec: PodSpec };
    podSelector?: { matchLabels: Record<string, string> };
    ingress?: { ports: unknown[]; from?: unknown[] }[];
    triggers?: { metadata: Record<string, string> }[];
  };
  data?: Record<string, string>;
}
interface PodSpec {
  automountServiceAccountToken: boolean;
  securityContext: Record<string, unknown>;
  containers: {
    args: string[];
    image: string;
    env: { name: string; value: string }[];
    envFrom: { secretRef?: { name: string } }[];
    securityContext: Record<string, unknown>;
    resources: { limits?: Record<string, string> };
  }[];
}

/** Values that every installation must set. */
const minimal = {
  servers: {
    temporal: { address: 'temporal.example:7233' },
    search: { host: 'search.example' },
    store: { bucket: 'docloom' },
  },
  secret: { existing: 'docloom-shared', existingApi: 'docloom-api' },
};

beforeAll(() => {
  // The charts of the dependencies are not fetched: only the conditions of `enabled` are tested here.
  cpSync(source, chart, { recursive: true });
  const { dependencies: _left, ...facts } = parse(readFileSync(path.join(source, 'Chart.yaml'), 'utf8')) as Record<
    string,
    unknown
  >;
  writeFileSync(path.join(chart, 'Chart.yaml'), stringify(facts));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function render(values: object): string {
  const file = path.join(folder, 'values.yaml');
  writeFileSync(file, stringify(values));
  return run(helm(), ['template', 'mine', chart, '--namespace', 'docs', '--kube-version', '1.33.0', '--values', file]);
}
const getResources = (text: string) =>
  parseAllDocuments(text).flatMap((item) => (item.toJS() === null ? [] : [item.toJS() as Resource]));

/** The error message of a failed rendering. */
function getRefusal(values: object): string {
  try {
    render(values);
  } catch (error) {
    return String((error as { stderr?: unknown }).stderr);
  }
  return '';
}

const everything = {
  ...minimal,
  settings: { DS_LOG_LEVEL: 'DEBUG', DOCLOOM_CONVERSION_THREADS: 4 },
  api: {
    autoscaling: { enabled: true },
    ingress: { enabled: true, host: 'docloom.example', tlsSecret: 'tls', className: 'nginx' },
    nodeSelector: { pool: 'web' },
    tolerations: [{ key: 'web', operator: 'Exists' }],
  },
  workers: {
    flow: { autoscaling: { enabled: true } },
    cpu: { autoscaling: { enabled: true }, nodeSelector: { pool: 'cpu' } },
    convert: { autoscaling: { enabled: true } },
    graph: { autoscaling: { enabled: true } },
  },
  networkPolicy: {
    apiFrom: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress' } } }],
    metricsFrom: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } }],
  },
  serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
  image: { pullSecrets: ['registry'] },
};

test.each([
  ['minimal values', minimal],
  ['everything enabled', everything],
  [
    'secrets from values',
    { ...minimal, secret: { values: { MONGODB_URL: 'mongodb://m' }, apiValues: { JWT_SECRET_KEY: 'x' } } },
  ],
  [
    'servers from dependent charts',
    { ...minimal, servers: { store: { bucket: 'b' } }, temporal: { enabled: true }, opensearch: { enabled: true } },
  ],
])('with %s, every resource matches the schemas of Kubernetes', (_name, values) => {
  const file = path.join(folder, 'rendered.yaml');
  writeFileSync(file, render(values));
  for (const version of ['1.29', '1.33', '1.37']) {
    const output = run(kubernetesValidate(), ['--strict', '-k', version, file]);
    expect(output).not.toMatch(/ERROR|FATAL/);
  }
});

test('each worker polls the queues of its entry, all queues are polled, and no worker has the secrets of the api', () => {
  const resources = getResources(render(minimal));
  const workers = resources.filter(({ kind, metadata }) => kind === 'Deployment' && metadata.name.includes('worker'));
  const queues = workers.flatMap(({ spec }) => {
    const [container] = spec.template?.spec.containers ?? [];
    expect(container?.args).toEqual(['worker']);
    expect(container?.envFrom.flatMap(({ secretRef }) => secretRef?.name ?? [])).toEqual(['docloom-shared']);
    return container?.env.find(({ name }) => name === 'DOCLOOM_WORKER_QUEUES')?.value.split(',') ?? [];
  });
  expect(queues.toSorted()).toEqual([...queueKinds].toSorted());
});

test('every setting of the chart exists in the product', () => {
  const resources = getResources(render(everything));
  const names = resources.flatMap(({ kind, data, spec }) => [
    ...(kind === 'ConfigMap' ? Object.keys(data ?? {}) : []),
    ...(spec?.template?.spec.containers ?? []).flatMap(({ env }) => env.map(({ name }) => name)),
  ]);
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name) => !(name in settings))).toEqual([]);
});

test('pods have minimal rights, a memory limit, and no token of the cluster', () => {
  const pods = getResources(render(everything)).flatMap(({ spec }) => (spec?.template ? [spec.template.spec] : []));
  expect(pods).toHaveLength(5);
  for (const { automountServiceAccountToken, securityContext, containers } of pods) {
    expect(automountServiceAccountToken).toBe(false);
    expect(securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    for (const container of containers) {
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(container.resources.limits?.['memory']).toBeDefined();
    }
  }
});

test('workers scale by the backlog of their own queues, in their own namespace', () => {
  const scaled = getResources(render(everything)).filter(({ kind }) => kind === 'ScaledObject');
  const queries = scaled.map(({ spec }) => spec.triggers?.[0]?.metadata['query']);
  expect(queries).toContain(
    'sum(max by (queue) (docloom_task_queue_backlog{namespace="docs",queue=~"flow|io|webhook"}))',
  );
  expect(queries).toHaveLength(4);
  // An upgrade must not reset the replicas of an autoscaled deployment.
  const deployments = getResources(render(everything)).filter(({ kind }) => kind === 'Deployment');
  expect(deployments.filter(({ spec }) => spec.replicas !== undefined)).toEqual([]);
});

test('only listed clients reach the api, and only monitoring reaches a worker', () => {
  const policies = getResources(render(everything)).filter(({ kind }) => kind === 'NetworkPolicy');
  const [api, workers] = ['mine-api', 'mine-workers'].map((name) =>
    policies.find((policy) => policy.metadata.name === name),
  );
  expect(api?.spec.ingress?.[0]?.from).toHaveLength(3);
  expect(workers?.spec.ingress).toEqual([{ ports: [{ port: 'metrics' }], from: everything.networkPolicy.metricsFrom }]);
});

test.each([
  ['a queue without a worker', { workers: { cpu: { queues: ['io'] } } }, /polls the queue cpu/],
  ['no bucket', { servers: { store: { bucket: '' } } }, /servers\.store\.bucket is needed/],
  ['no secrets', { secret: { existing: '' } }, /secret\.existing is needed/],
  ['no Temporal', { servers: { temporal: { address: '' } } }, /servers\.temporal\.address/],
  ['an unknown value', { apii: {} }, /apii/],
  ['an unknown queue', { workers: { cpu: { queues: ['gpu'] } } }, /queues/],
  ['an invalid setting name', { settings: { 'a-b': 'x' } }, /'a-b' does not match pattern/],
])('%s is rejected with the reason', (_name, change, reason) => {
  const merged = merge(structuredClone(minimal), change);
  expect(getRefusal(merged)).toMatch(reason);
});

function merge(into: Record<string, unknown>, from: Record<string, unknown>): Record<string, unknown> {
  for (const [name, value] of Object.entries(from)) {
    const own = into[name];
    const isNested = [own, value].every(
      (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    );
    into[name] = isNested ? merge(own as Record<string, unknown>, value as Record<string, unknown>) : value;
  }
  return into;
}

test('the flags of docs/kubernetes.md render what the schemas accept, and its other commands are known', () => {
  const page = path.join(__dirname, '..', '..', 'docs', 'kubernetes.md');
  const commands = readHowTo(page).flatMap((step) => (step.kind === 'commands' ? splitCommands(step.commands) : []));
  const [install = '', ...more] = commands.filter((command) => command.startsWith('helm install '));
  expect(more).toEqual([]);
  const words = install.replaceAll('\\\n', ' ').split(/\s+/).slice(2);
  // The copy has no dependencies, which the cluster of a reader would fetch.
  const args = words.map((word) => (word === 'deploy/helm/docloom' ? chart : word));
  const text = run(helm(), ['template', ...args, '--kube-version', '1.33.0']);
  expect(getResources(text).map(({ kind }) => kind)).toEqual(expect.arrayContaining(['Deployment', 'Service']));
  expect(text).toContain('REGISTRY/docloom');
  const file = path.join(folder, 'documented.yaml');
  writeFileSync(file, text);
  expect(() => run(kubernetesValidate(), ['--kubernetes-version', '1.33', '--strict', file])).not.toThrow();
  // The chart uses the Secrets that the page creates.
  const created = commands.flatMap((command) => /create secret generic (\S+)/.exec(command)?.[1] ?? []);
  const used = [...install.matchAll(/secret\.existing\w*=(\S+)/g)].map(([, name]) => name);
  expect(created).toEqual(used);
});
