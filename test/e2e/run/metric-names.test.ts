import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { freePort } from '../../support/servers/free-port';
import { documentsIn, loggedIn, reading, runToEnd } from '../../support/system/over-http';
import { createSystem } from '../../support/system/system';

const system = createSystem();
afterAll(() => system.stop());

/** The metrics that the expressions of alert rules and dashboards name, with the files that name them. */
function namedMetrics(): Map<string, string[]> {
  const deploy = path.join(__dirname, '..', '..', '..', 'deploy');
  const dashboards = readdirSync(path.join(deploy, 'grafana')).map((name) => path.join('grafana', name));
  const found = new Map<string, string[]>();
  for (const file of [path.join('prometheus', 'alerts.yml'), ...dashboards])
    for (const [name] of readFileSync(path.join(deploy, file), 'utf8').matchAll(/\bdocloom_\w+/g))
      found.set(name, [...new Set([...(found.get(name) ?? []), file])]);
  return found;
}

test('every metric that an alert or a dashboard names has a value after a run with a failed document', async () => {
  const metricsPort = String(await freePort());
  const [api] = await Promise.all([system.startApi(), system.startWorker({ DOCLOOM_METRICS_PORT: metricsPort })]);
  const { client } = await loggedIn(api, 'alice');
  const documents = { 'a.md': '# A\n\nText.', 'broken.docx': 'no zip' };
  const source = documentsIn(system, 'measured', documents, { allowed_users: ['alice'] });
  const { flow_id } = await client.flows.create({ flow_name: 'measured', flow: reading(source) });
  expect((await runToEnd(client, flow_id)).totals).toMatchObject({ completed: 1, failed: 1 });
  const pages = await Promise.all(
    [api, `http://127.0.0.1:${metricsPort}`].map(async (address) => (await fetch(`${address}/metrics`)).text()),
  );
  const measured = new Set(pages.flatMap((page) => [...page.matchAll(/^(docloom_\w+)[{ ]/gm)].map(([, name]) => name)));
  const named = namedMetrics();
  expect(named.size).toBeGreaterThan(10);
  expect([...named].filter(([name]) => !measured.has(name))).toEqual([]);
});
