import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parse, stringify } from 'yaml';
import { freePort } from '../support/servers/free-port';
import { documentsIn, indexing, loggedIn, reading, runToEnd } from '../support/system/over-http';
import { createSystem, type System, until } from '../support/system/system';
import { prometheus, run } from './tools';

const deploy = path.join(__dirname, '..', '..', 'deploy');
const rules = path.join(deploy, 'prometheus');
const expressions = readdirSync(path.join(deploy, 'grafana')).flatMap((name) => {
  const { panels } = JSON.parse(readFileSync(path.join(deploy, 'grafana', name), 'utf8')) as {
    panels: { title: string; targets: { expr: string }[] }[];
  };
  return panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const));
});

test('promtool accepts the rules and the configuration, and each alert begins when it should', () => {
  const { promtool } = prometheus();
  expect(run(promtool, ['check', 'rules', 'alerts.yml'], { cwd: rules })).toContain('SUCCESS');
  expect(run(promtool, ['check', 'config', 'prometheus.yml'], { cwd: rules })).toContain('SUCCESS');
  expect(run(promtool, ['test', 'rules', 'alerts.test.yml'], { cwd: rules })).toContain('SUCCESS');
});

test('every alert is tested, both silent and firing', () => {
  const { groups } = parse(readFileSync(path.join(rules, 'alerts.yml'), 'utf8')) as {
    groups: { rules: { alert: string }[] }[];
  };
  const { tests } = parse(readFileSync(path.join(rules, 'alerts.test.yml'), 'utf8')) as {
    tests: { alert_rule_test: { alertname: string; exp_alerts: unknown[] }[] }[];
  };
  const tested = tests.flatMap((item) => item.alert_rule_test);
  for (const { alert } of groups.flatMap((group) => group.rules)) {
    const lengths = tested.filter(({ alertname }) => alertname === alert).map(({ exp_alerts }) => exp_alerts.length);
    expect([alert, lengths.toSorted((a, b) => a - b)]).toEqual([alert, [0, 1]]);
  }
});

describe('with a Prometheus that scrapes an api and a worker at work', () => {
  let system: System;
  let server: ChildProcess;
  let address: string;
  const folder = mkdtempSync(path.join(os.tmpdir(), 'docloom-prometheus-'));

  beforeAll(async () => {
    system = createSystem();
    const metricsPort = String(await freePort());
    const [api] = await Promise.all([system.startApi(), system.startWorker({ DOCLOOM_METRICS_PORT: metricsPort })]);
    const config = parse(readFileSync(path.join(rules, 'prometheus.yml'), 'utf8')) as {
      global: { scrape_interval: string; evaluation_interval?: string };
      rule_files: string[];
      scrape_configs: { job_name: string; static_configs: { targets: string[] }[] }[];
    };
    config.global = { scrape_interval: '1s', evaluation_interval: '1s' };
    config.rule_files = [path.join(rules, 'alerts.yml')];
    for (const job of config.scrape_configs)
      job.static_configs = [
        { targets: [job.job_name === 'docloom-api' ? new URL(api).host : `127.0.0.1:${metricsPort}`] },
      ];
    writeFileSync(path.join(folder, 'prometheus.yml'), stringify(config));
    const port = await freePort();
    address = `http://127.0.0.1:${port}`;
    server = spawn(
      prometheus().server,
      [
        `--config.file=${path.join(folder, 'prometheus.yml')}`,
        `--storage.tsdb.path=${path.join(folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      { stdio: 'ignore' },
    );
    const { client } = await loggedIn(api, 'alice');
    const documents = { 'a.md': '# A\n\nText.', 'broken.docx': 'no zip' };
    const source = documentsIn(system, 'monitored', documents, { allowed_users: ['alice'] });
    const flow = [...reading(source), ...indexing(system, 'monitored')];
    await until('Prometheus scrapes both', async () => (await query('sum(up)'))[0]?.value === 2, 60_000);
    const { flow_id } = await client.flows.create({ flow_name: `monitored-${metricsPort}`, flow });
    await runToEnd(client, flow_id);
    const seen = async () => (await query('rate(docloom_operator_failed_documents_total[1m]) > 0')).length > 0;
    await until('the failed document was scraped', seen, 60_000);
  });
  afterAll(async () => {
    const ended = once(server, 'exit');
    server.kill('SIGTERM');
    await ended;
    await system.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function query(expr: string): Promise<{ value: number }[]> {
    const response = await fetch(`${address}/api/v1/query?query=${encodeURIComponent(expr)}`).catch(() => undefined);
    if (!response) return [];
    const { status, data, error } = (await response.json()) as {
      status: string;
      error?: string;
      data?: { result: { value: [number, string] }[] };
    };
    if (status !== 'success') throw new Error(`${expr}: ${error}`);
    return (data?.result ?? []).map(({ value: [, text] }) => ({ value: Number(text) }));
  }

  test.each(expressions)('the panel "%s" shows something', async (_title, expr) => {
    await until(expr, async () => (await query(expr)).length > 0, 30_000);
    expect((await query(expr)).length).toBeGreaterThan(0);
  });

  test('all rules are evaluated without an error', async () => {
    const response = await fetch(`${address}/api/v1/rules`);
    const { data } = (await response.json()) as { data: { groups: { rules: { name: string; health: string }[] }[] } };
    const health = data.groups.flatMap((group) => group.rules.map((rule) => `${rule.name} ${rule.health}`));
    expect(health.length).toBeGreaterThan(8);
    expect(health.filter((line) => !line.endsWith(' ok'))).toEqual([]);
  });
});
