import type { Client } from '../../client';
import type { FlowOperator } from '../../model/flow/flow';
import { documentsIn, loggedIn, reading, runToEnd } from '../support/system/over-http';
import { createSystem, type System } from '../support/system/system';

let system: System;
let address: string;
let alice: Client;
let bob: Client;
let documents: string;

beforeAll(async () => {
  system = createSystem();
  documents = documentsIn(
    system,
    'docs',
    { 'plover.md': '# Plover\n\nA plover.' },
    { allowed_users: ['alice', 'bob'] },
  );
  [address] = await Promise.all([system.startApi(), system.startWorker()]);
  [alice, bob] = await Promise.all(['alice', 'bob'].map(async (user) => (await loggedIn(address, user)).client)) as [Client, Client]; // prettier-ignore
});
afterAll(() => system.stop());

let count = 0;
const getName = (name: string) => `${system.env['SEARCH_DEFAULT_INDEX']}-${name}`;
/** A run of a new flow that writes into this index. */
async function write(client: Client, config: Record<string, unknown>, more: object = {}) {
  const index: FlowOperator = { type: 'vectordb', name: 'index', depends_on: ['extract'], config };
  const flow_name = `writes-${system.env['DOCLOOM_TASK_QUEUE']}-${(count += 1)}`;
  const { flow_id } = await client.flows.create({ flow_name, flow: [...reading(documents), index], ...more });
  return { flow_id, run: await runToEnd(client, flow_id) };
}
const refused = { status: 'FAILED', message: expect.stringContaining('INDEX_NOT_OWNED') as string };
const found = async (client: Client) =>
  (await client.documents.search({ query: 'plover', limit: 100 })).documents.map(({ id }) => id).toSorted();

describe.each([
  ['an index', { provider: 'opensearch' }, refused],
  // There, aliases are names for searches only: writing creates a collection of that name.
  ['a collection', { provider: 'lancedb' }, { status: 'COMPLETED' }],
])('%s belongs to its first writer', (_name, provider, viaAlias) => {
  const mine = (name: string) => getName(`${name}-${provider.provider}`).replaceAll('-', '_');

  test('another user neither writes into it nor takes its alias', async () => {
    const { run } = await write(alice, { ...provider, index_name: mine('first'), alias: mine('current') });
    expect(run.status).toBe('COMPLETED');
    const before = await found(bob);
    const { run: early } = await write(bob, { ...provider, index_name: mine('first') });
    // Before any document is listed or converted.
    expect(early).toMatchObject({ ...refused, totals: { documents: 0 } });
    // By the name of the alias, and by pointing the alias at an index of his own.
    const byAlias = await write(bob, { ...provider, index_name: mine('current') });
    expect(byAlias.run).toMatchObject(viaAlias);
    const taken = await write(bob, { ...provider, index_name: mine('bobs'), alias: mine('current') });
    expect(taken.run).toMatchObject(refused);
    expect(await found(bob)).toEqual(before);
  });

  test('its owner writes into it with another flow, moves the alias, and grants access', async () => {
    const own = { ...provider, index_name: mine('second'), alias: mine('current') };
    expect((await write(alice, own)).run.status).toBe('COMPLETED');
    const shared = { ...provider, index_name: mine('shared') };
    expect((await write(alice, { ...shared, writers: ['bob'] })).run.status).toBe('COMPLETED');
    expect((await write(bob, shared)).run.status).toBe('COMPLETED');
    // Grantees cannot grant the right further or revoke it.
    expect((await write(bob, { ...shared, writers: [] })).run.status).toBe('COMPLETED');
    expect((await write(alice, { ...shared, writers: [] })).run.status).toBe('COMPLETED');
    expect((await write(bob, shared)).run).toMatchObject(refused);
  });
});

test('a reader who runs a flow does not write into the index of its owner, a member of its project does', async () => {
  const { project_id } = await alice.projects.create({
    name: `p-${system.env['DOCLOOM_TASK_QUEUE']}`,
    members: ['bob'],
  });
  const config = { provider: 'opensearch', index_name: getName('project') };
  const { flow_id, run } = await write(alice, config, { project_id });
  expect(run.status).toBe('COMPLETED');
  expect(await runToEnd(bob, flow_id)).toMatchObject({ status: 'COMPLETED', job_id: flow_id });
  // In a flow of his own the same index is not his.
  expect((await write(bob, config)).run).toMatchObject(refused);
});
