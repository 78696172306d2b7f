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

test('over HTTP alone: log in, store a flow, run it, follow it, find the documents that one may read', async () => {
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

  const bob = await login('bob');
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

test('an invalid flow is refused with every problem and leaves no run', async () => {
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
