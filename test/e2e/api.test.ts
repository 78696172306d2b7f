import { documentsIn, indexing, loggedIn, reading, runToEnd } from '../support/system/over-http';
import { createSystem, type System } from '../support/system/system';

let system: System;
let address: string;
beforeAll(async () => {
  system = createSystem();
  [address] = await Promise.all([system.startApi(), system.startWorker()]);
});
afterAll(() => system.stop());

const login = async (username: string) => (await loggedIn(address, username)).client;

test('over HTTP only: log in, store a flow, run it, follow it, find the readable documents', async () => {
  const documents = documentsIn(
    system,
    'docs',
    { 'lynx.md': '# Lynx\n\nA lynx for alice.', 'shared.txt': 'A lynx for everybody here.' },
    { allowed_users: ['alice'], files: { 'shared.txt': ['alice', 'bob'] } },
  );
  const alice = await login('alice');
  const flow = await alice.flows.create({
    flow_name: `http-${system.env['DOCLOOM_TASK_QUEUE']}`,
    flow: [...reading(documents), ...indexing(system, 'http')],
  });
  const run = await runToEnd(alice, flow.flow_id);
  const { job_run_id } = run;
  expect(run).toMatchObject({ status: 'COMPLETED', totals: { documents: 2, completed: 2, failed: 0 } });
  expect(run.operators.map(({ name }) => name)).toEqual(['ingest', 'extract', 'chunk', 'embed', 'index']);

  const log: string[] = [];
  for await (const { event, operator, document_name, outcome } of alice.jobRuns.followLog(job_run_id))
    log.push([event, operator ?? document_name, outcome].filter(Boolean).join(' '));
  expect(log).toEqual(
    expect.arrayContaining(['operator_finished embed', 'document_finished lynx.md completed', 'run_ended']),
  );
  const { entries } = await alice.jobRuns.log(job_run_id, { limit: 1_000 });
  expect(entries).toHaveLength(log.length);
  const item = entries.find(({ document_name }) => document_name === 'shared.txt')?.document_id ?? '';
  const steps = (await alice.jobRuns.log(job_run_id, { document_id: item })).entries;
  expect(steps.map(({ operator, event }) => operator ?? event)).toEqual([
    'extract',
    'chunk',
    'embed',
    'index',
    'document_finished',
  ]);

  const bob = await login('bob');
  await expect(bob.jobRuns.log(job_run_id)).rejects.toMatchObject({ status: 404, code: 'JOB_RUN_NOT_FOUND' });
  const names = async (client: typeof alice) =>
    (await client.documents.search({ query: 'lynx' })).documents
      .map(({ metadata }) => String(metadata['name']))
      .toSorted();
  expect(await names(alice)).toEqual(['lynx.md', 'shared.txt']);
  expect(await names(bob)).toEqual(['shared.txt']);
  const [hidden] = (await alice.documents.search({ query: 'alice' })).documents;
  await expect(bob.documents.get(hidden?.id ?? '')).rejects.toMatchObject({ status: 404, code: 'DOCUMENT_NOT_FOUND' });
  await expect(bob.jobRuns.get(job_run_id)).rejects.toMatchObject({ status: 404 });
  await expect(bob.flows.get(flow.flow_id)).rejects.toMatchObject({ status: 404 });
  expect((await alice.jobRuns.flowDefinition(job_run_id)).flow.flow_name).toBe(flow.flow_name);
});

test('an invalid flow is rejected with every problem and leaves no run', async () => {
  const alice = await login('alice');
  const flow = await alice.flows.create({
    flow_name: `invalid-${system.env['DOCLOOM_TASK_QUEUE']}`,
    flow: [{ type: 'chunker', name: 'chunk', config: { chunk_type: 'odd' } }],
  });
  await expect(alice.jobRuns.create({ flow_id: flow.flow_id })).rejects.toMatchObject({
    status: 400,
    code: 'FLOW_VALIDATION_FAILED',
  });
  expect((await alice.jobRuns.list({ flow_id: flow.flow_id })).total).toBe(0);
});
