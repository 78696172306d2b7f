import type { Client } from '../../client';
import type { FlowOperator } from '../../model/flow/flow';
import { createModelServer, type ModelServer } from '../support/servers/model-server';
import { getHistories, getLogs, repliesFor, getTables } from '../support/system/evidence';
import { documentsIn, loggedIn, reading, runToEnd } from '../support/system/over-http';
import { createSystem, type System } from '../support/system/system';

/** Words of the annual report, which alice may read and bob may not. */
const canary = 'kestrel-seventeen-million';
let system: System;
let server: ModelServer;
let address: string;
let finance: string;
let alice: { token: string; client: Client };
let bob: typeof alice;

beforeAll(async () => {
  server = await createModelServer();
  system = createSystem({ DOCLOOM_INGEST_PRINCIPALS: 'user:alice', DOCLOOM_ALLOWED_HOSTS: '127.0.0.1' });
  finance = documentsIn(
    system,
    'finance',
    { 'annual-report.md': `# Report\n\nProfit: ${canary}.`, 'price-list.md': '# Prices\n\nA lamp costs 7.' },
    { allowed_users: ['alice'], files: { 'price-list.md': ['alice', 'bob'] } },
  );
  [address] = await Promise.all([system.startApi(), system.startWorker()]);
  [alice, bob] = await Promise.all([loggedIn(address, 'alice'), loggedIn(address, 'bob')]);
});
afterAll(async () => {
  await system.stop();
  await server.stop();
});

let count = 0;
const name = (kind: string) => `${kind}-${system.env['DOCLOOM_TASK_QUEUE']}-${(count += 1)}`;
const index = (after: string, more: object = {}): FlowOperator => ({
  type: 'vectordb',
  name: 'index',
  depends_on: [after],
  config: { provider: 'opensearch', index_name: `${system.env['SEARCH_DEFAULT_INDEX']}-${(count += 1)}`, ...more },
});
const keep = (after: string): FlowOperator => ({
  type: 'document_set',
  name: 'keep',
  depends_on: [after],
  config: { document_set_name: `set${(count += 1)}` },
});
const sql = (query: string): FlowOperator => ({
  type: 'sql_filter',
  name: 'fold',
  depends_on: ['extract'],
  config: { filter_criteria: query },
});

/** Data that bob's flow with these operators reveals to anyone. */
async function runAsBob(operators: FlowOperator[]) {
  const { flow_id } = await bob.client.flows.create({ flow_name: name('bobs'), flow: operators });
  const run = await runToEnd(bob.client, flow_id);
  const names = operators.map((operator) => operator.name);
  const evidence = [
    await repliesFor(address, bob.token, [run.job_run_id]),
    await getHistories(system, run.job_run_id),
    await getTables(system, run.job_run_id, names),
    JSON.stringify(server.asked),
    getLogs(system),
  ].join('\n');
  return { run, evidence };
}

describe('bob may not read the annual report, and none of his flows returns it to him', () => {
  const fold = `SELECT i.* REPLACE (list_aggregate((SELECT list(content) FROM input), 'string_agg', ' ') AS content) FROM input i`;
  const attacks: [string, () => FlowOperator[]][] = [
    [
      'by folding rows in SQL, into a set and an index',
      () => [...reading(finance), sql(fold), keep('fold'), index('fold')],
    ],
    ['by an error in SQL', () => [...reading(finance), sql('SELECT * REPLACE (error(content) AS content) FROM input')]],
    ['by naming the file', () => [...reading(`${finance}/annual-report.md`), keep('extract')]],
    [
      'by a list of his own',
      () => {
        const [ingest, extract] = reading(finance) as [FlowOperator, FlowOperator];
        const config = { connection_params: { paths: [finance], allowed_users: ['bob'] }, allowed_users: ['bob'] };
        return [{ ...ingest, config }, extract, keep('extract'), index('extract')];
      },
    ],
    [
      'by an embeddings host of his own',
      () => [
        ...reading(finance),
        {
          type: 'embeddings',
          name: 'embed',
          depends_on: ['extract'],
          config: { type: 'ollama', provider_config: { model_id: 'm', api_base: server.url } },
        },
        index('embed'),
      ],
    ],
    [
      'by files that are too large to read',
      () => {
        const [ingest, extract] = reading(finance) as [FlowOperator, FlowOperator];
        return [{ ...ingest, config: { ...ingest.config, max_file_size_mb: 0.000001 } }, extract, keep('extract')];
      },
    ],
  ];

  test.each(attacks)('%s', async (_name, operators) => {
    const { run, evidence } = await runAsBob(operators());
    expect(evidence).not.toContain(canary);
    expect(evidence.replaceAll(`${finance}/annual-report.md`, '')).not.toContain('annual-report');
    expect(run.totals.withheld).toBe(1);
  });

  const guesses = [
    (value: string) => ({ include_filter: [`${value}*`] }),
    (value: string) => ({ include_filter: `+(${value})*.md` }),
    (value: string) => ({ exclude_filter: [`!${value}*`] }),
    (value: string) => ({ exclude_patterns: [`[!${value.slice(0, 1)}]*`] }),
  ];
  test.each(guesses)('guesses at the name of the annual report learn nothing: %s', async (choose) => {
    const look = async (value: string) => {
      const config = { provider: 'filesystem', connection_params: { paths: [finance], ...choose(value) } };
      const ingest: FlowOperator = { type: 'ingest_source', name: 'ingest', config };
      const { run } = await runAsBob([ingest]);
      const check = await bob.client.sources.check({ config });
      const { status, message, totals, warnings } = run;
      return JSON.stringify([status, message, totals, warnings, check]);
    };
    expect(await look('annual')).toBe(await look('zebra'));
  });

  test('while alice, whom the administrator trusts with it, ingests both', async () => {
    const operators = [...reading(finance), index('extract')];
    const { flow_id } = await alice.client.flows.create({ flow_name: name('alices'), flow: operators });
    const run = await runToEnd(alice.client, flow_id);
    expect(run).toMatchObject({ status: 'COMPLETED', totals: { documents: 2, completed: 2, withheld: 0 } });
    expect(await repliesFor(address, alice.token, [run.job_run_id])).toContain(canary);
    expect(await repliesFor(address, bob.token, [run.job_run_id])).not.toContain(canary);
  });

  test('a document without a list gets only bob, whomever he names', async () => {
    const loose = documentsIn(system, name('loose'), { 'memo.md': '# Memo\n\nLoose words.' }, {});
    const [ingest, extract] = reading(loose) as [FlowOperator, FlowOperator];
    const named = { ...ingest, config: { ...ingest.config, allowed_users: ['alice', 'carol'] } };
    const { run } = await runAsBob([named, extract, index('extract')]);
    expect(run).toMatchObject({ totals: { documents: 1, completed: 1, withheld: 0 } });
    const found = async ({ client }: typeof bob) => (await client.documents.search({ query: 'memo' })).total;
    expect([await found(bob), await found(alice)]).toEqual([1, 0]);
  });
});

describe('a reader of a flow who runs it', () => {
  test('may not change what it does, nor schedule it', async () => {
    const flow = [...reading(finance), index('extract')];
    const { flow_id } = await alice.client.flows.create({ flow_name: name('read'), flow, readers: ['bob'] });
    const forms = [
      { flow_id, configuration: { force_ingest: true } },
      { job_id: flow_id, flow_config: { retain_deleted_docs: false } },
      { entity: { job: { asset_ref: flow_id, configuration: { micro_batch_size: '1' } } } },
      { entity: { job: { asset_ref: flow_id }, job_run: { job_parameters: [{ name: 'force_ingest', value: true }] } } },
    ];
    for (const form of forms)
      await expect(bob.client.jobRuns.create(form as never)).rejects.toMatchObject({ status: 403, code: 'FORBIDDEN' });
    await expect(bob.client.schedules.create(flow_id, { cron: '0 6 * * *' })).rejects.toMatchObject({ status: 403 });
    expect((await alice.client.jobRuns.list({ flow_id })).total).toBe(0);
  });

  test('has a separate job: documents ingested by the owner stay, with their lists', async () => {
    const folder = documentsIn(
      system,
      name('shared'),
      { 'secret.md': '# Secret\n\nHeron words for alice.', 'open.md': '# Open\n\nHeron words for both.' },
      { allowed_users: ['alice'], files: { 'open.md': ['alice', 'bob'] } },
    );
    const flow = [...reading(folder), index('extract')];
    const { flow_id } = await alice.client.flows.create({ flow_name: name('shared'), flow, readers: ['bob'] });
    const first = await runToEnd(alice.client, flow_id);
    expect(first).toMatchObject({ totals: { completed: 2, withheld: 0 } });
    const heron = async ({ client }: typeof bob) => (await client.documents.search({ query: 'heron' })).total;
    expect([await heron(alice), await heron(bob)]).toEqual([2, 1]);
    const own = await runToEnd(bob.client, flow_id);
    expect(own.job_id).not.toBe(first.job_id);
    // The index is alice's.
    expect(own).toMatchObject({ status: 'FAILED', totals: { documents: 0, deleted: 0 } });
    expect(own.message).toContain('INDEX_NOT_OWNED');
    expect([await heron(alice), await heron(bob)]).toEqual([2, 1]);
    const again = await runToEnd(alice.client, flow_id);
    expect(again).toMatchObject({ job_id: flow_id, totals: { documents: 2, skipped: 2, deleted: 0 } });
  });
});
