import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pino from 'pino';
import { parse } from 'yaml';
import { createAccessLog } from '../../api/http/middleware/access-log';
import { settings } from '../../model/config';
import { countBacklog, countTasks, createOperatorCounter, createRegistry } from '../../services/process/metrics';

const root = path.join(__dirname, '..', '..');
const read = (...names: string[]) => readFileSync(path.join(root, ...names), 'utf8');

interface Rule {
  alert: string;
  expr: string;
  annotations: { summary: string; runbook: string };
}
const { groups } = parse(read('deploy', 'prometheus', 'alerts.yml')) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);

interface Dashboard {
  title: string;
  panels: { title: string; targets: { expr: string }[] }[];
}
const dashboards = readdirSync(path.join(root, 'deploy', 'grafana')).map(
  (name) => JSON.parse(read('deploy', 'grafana', name)) as Dashboard,
);
const expressions = [
  ...rules.map(({ alert, expr }) => [alert, expr] as const),
  ...dashboards.flatMap(({ panels }) =>
    panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
  ),
];

/** The labels of every series that api and worker expose, by name. */
let exposed: Map<string, Set<string>>;
beforeAll(async () => {
  const registry = createRegistry();
  createOperatorCounter(registry, [])('chunker', { in: 2, out: 1, failed: 1, seconds: 0.2 });
  countTasks(registry, async () => ({ pending: 1 }));
  countBacklog(registry, async () => ({ cpu: 1 }));
  createAccessLog({ registry, logger: pino({ enabled: false }), trustedProxies: [] });
  exposed = new Map(
    (await registry.getMetricsAsJSON()).flatMap((metric) => {
      const { name, type } = metric;
      const own = (registry.getSingleMetric(name) as unknown as { labelNames: string[] }).labelNames;
      const names = String(type) === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => name + end) : [name];
      return names.map((name) => [name, new Set([...own, ...(name.endsWith('_bucket') ? ['le'] : [])])] as const);
    }),
  );
});

test('rules and dashboards exist', () => {
  expect(rules.length).toBeGreaterThan(5);
  expect(dashboards.map(({ title }) => title).toSorted()).toEqual(['Docloom: runs', 'Docloom: service']);
});

test.each(expressions)('%s uses existing metrics and labels', (_title, expr) => {
  const names = expr.match(/\bdocloom_[a-z0-9_]+/g) ?? [];
  for (const name of names) expect([...exposed.keys()]).toContain(name);
  const known = new Set(['job', 'instance', ...names.flatMap((name) => [...(exposed.get(name) ?? [])])]);
  const matches = [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = '']) =>
    list.split(',').map((part) => part.trim()),
  );
  const matched = [...expr.matchAll(/([a-z]+)(?:=~?|!=)"/g)].map(([, label = '']) => label);
  expect([...matches, ...matched].filter((label) => !known.has(label))).toEqual([]);
});

test('every alert has a section of the runbook, and every section an alert', () => {
  const sections = [...read('docs', 'runbook.md').matchAll(/^## (.*)$/gm)].map(([, title = '']) => title);
  expect(sections.toSorted()).toEqual(rules.map(({ alert }) => alert).toSorted());
  for (const { alert, annotations } of rules)
    expect(annotations.runbook).toBe(`docs/runbook.md#${alert.toLowerCase()}`);
});

const units = readdirSync(path.join(root, 'deploy', 'systemd')).filter((name) => /^docloom-(api|worker)/.test(name));

test.each(units)('%s starts a command that exists, with known settings', (name) => {
  const text = read('deploy', 'systemd', name);
  const [, program = '', command = ''] =
    /^ExecStart=.*\/usr\/bin\/node (?:--\S+ )*\/opt\/docloom\/(\S+) (\w+)'?$/m.exec(text) ?? [];
  expect(existsSync(path.join(root, program))).toBe(true);
  expect(name).toMatch(new RegExp(`^docloom-${command}[@.]`));
  const set = [...text.matchAll(/^Environment=([A-Z_]+)=/gm)].map(([, setting = '']) => setting);
  expect(set.filter((setting) => !(setting in settings))).toEqual([]);
  // Exit code 2 means invalid settings, which a restart cannot fix.
  expect(text).toMatch(/^RestartPreventExitStatus=2$/m);
});

test('each instance of the worker has a valid port of its own, which the health check asks', () => {
  const [, sum = ''] =
    /DOCLOOM_METRICS_PORT=\$(\$\(\(.*?\)\))/.exec(read('deploy', 'systemd', 'docloom-worker@.service')) ?? [];
  const { stdout } = spawnSync('/bin/sh', [
    '-c',
    [1, 2, 10, 40].map((i) => `echo ${sum.replace('%i', String(i))}`).join('\n'),
  ]);
  expect(String(stdout).trim().split('\n')).toEqual(['9461', '9462', '9470', '9500']);
});

test('the health check kills units that do not answer in time, and no others', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'docloom-health-'));
  const program = (name: string, script: string) =>
    writeFileSync(path.join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  program(
    'systemctl',
    'case $1 in list-units) printf "docloom-api.service loaded\\ndocloom-worker@1.service loaded\\ndocloom-worker@10.service loaded\\n" ;; *) echo "$*" ;; esac',
  );
  // The api answers, worker 1 is starting, worker 10 hangs.
  program(
    'curl',
    'case "$*" in *:8090/health) exit 0 ;; *:9461/health) exit 7 ;; *:9470/health) exit 28 ;; *) exit 3 ;; esac',
  );
  const env = { PATH: `${folder}:${process.env['PATH']}`, DOCLOOM_PORT: '8090' };
  const { stdout } = spawnSync('/bin/sh', [path.join(root, 'deploy', 'systemd', 'docloom-health.sh')], { env });
  rmSync(folder, { recursive: true });
  expect(String(stdout)).toBe(
    'docloom-worker@10.service has not answered at 127.0.0.1:9470 for a minute; it is started again\n' +
      'kill --signal=KILL docloom-worker@10.service\n',
  );
});

test('units and operations.md name the settings that every installation needs', () => {
  const text = /^## With systemd$(.*?)^## /ms.exec(read('docs', 'operations.md'))?.[1] ?? '';
  const needed = ['MONGODB_URL', 'TEMPORAL_ADDRESS', 'SEARCH_HOST', 'JWT_SECRET_KEY', 'DOCLOOM_STORAGE'];
  const compose = parse(read('docker-compose.yml'), { merge: true }) as {
    services: Record<string, { environment: Record<string, string> }>;
  };
  for (const name of needed) {
    expect(settings).toHaveProperty(name);
    expect(text).toContain(`\`${name}`);
    expect(compose.services['api']?.environment).toHaveProperty(name);
  }
});
