import { existsSync, readdirSync, readFileSync } from 'node:fs';
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

test.each(readdirSync(path.join(root, 'deploy', 'systemd')))(
  '%s starts a command that exists, with known settings',
  (name) => {
    const text = read('deploy', 'systemd', name);
    const [, program = '', command = ''] = /^ExecStart=\/usr\/bin\/node \/opt\/docloom\/(\S+) (\S+)$/m.exec(text) ?? [];
    expect(existsSync(path.join(root, program))).toBe(true);
    expect(name).toMatch(new RegExp(`^docloom-${command}[@.]`));
    const set = [...text.matchAll(/^Environment=([A-Z_]+)=/gm)].map(([, setting = '']) => setting);
    expect(set.filter((setting) => !(setting in settings))).toEqual([]);
    // Exit code 2 means invalid settings, which a restart cannot fix.
    expect(text).toMatch(/^RestartPreventExitStatus=2$/m);
  },
);
