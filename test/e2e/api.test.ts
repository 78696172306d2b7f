import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createClient } from '../../client';
import { createSystem, type System, until } from './system';

let system: System;
let address: string;
beforeAll(async () => {
  system = createSystem();
  [address] = await Promise.all([system.startApi(), system.startWorker()]);
});
afterAll(() => system.stop());

async function login(username: string) {
  const { access_token } = await createClient({ baseUrl: address }).login(username, `${username}-secret`);
  return createClient({ baseUrl: address, token: access_token });
}

test('over HTTP alone: log in, store a flow, run it, follow it, find the documents that one may read', async () => {
  const documents = path.join(system.folder, 'docs');
  mkdirSync(documents);
  writeFileSync(path.join(documents, 'lynx.md'), '# Lynx\n\nA lynx for alice.');
  writeFileSync(path.join(documents, 'shared.txt'), 'A lynx for everybody here.');
  writeFileSync(
    path.join(documents, '.acl.json'),
    JSON.stringify({ allowed_users: ['alice'], files: { 'shared.txt': ['alice', 'bob'] } }),
  );
  const alice = await login('alice');
  const flow = await alice.flows.create({
    flow_name: `http-${system.env['DOCLOOM_TASK_QUEUE']}`,
    flow: [
      {
        type: 'ingest_source',
        name: 'ingest',
        config: { provider: 'filesystem', connection_params: { paths: [documents] } },
      },
      { type: 'extract_operator', name: 'extract', depends_on: ['ingest'] },
      { type: 'chunker', name: 'chunk', depends_on: ['extract'] },
      { type: 'embeddings', name: 'embed', depends_on: ['chunk'], config: { type: 'hashing' } },
      {
        type: 'vectordb',
        name: 'index',
        depends_on: ['embed'],
        config: { index_name: `${system.env['SEARCH_DEFAULT_INDEX']}-http`, provider: 'opensearch' },
      },
    ],
  });
  const { job_run_id } = await alice.jobRuns.create({ flow_id: flow.flow_id });
  await until('the run has ended', async () => (await alice.jobRuns.get(job_run_id)).status.startsWith('COMPLETED'));
  const run = await alice.jobRuns.get(job_run_id);
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
