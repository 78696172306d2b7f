import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { documentsIn, loggedIn, reading, runToEnd } from '../support/system/over-http';
import { createSystem, type System } from '../support/system/system';

let system: System;
let address: string;
beforeAll(async () => {
  // Alice ingests for everybody.
  system = createSystem({ DOCLOOM_INGEST_PRINCIPALS: 'user:alice' });
  [address] = await Promise.all([system.startApi(), system.startWorker()]);
});
afterAll(() => system.stop());

async function login(username: string) {
  const { token, client } = await loggedIn(address, username);
  const ask = async (route: string, method = 'GET') => {
    const response = await fetch(`${address}/api/v1/document-sets${route}`, {
      method,
      headers: { Authorization: `Bearer ${token}` },
    });
    const text = await response.text();
    return {
      status: response.status,
      text,
      body: text.startsWith('{"') && !text.includes('\n') ? JSON.parse(text) : {},
    };
  };
  return { client, ask };
}

test('a flow fills a set whose preview follows access lists; later runs apply changes and removals, and refill a deleted set', async () => {
  const documents = documentsIn(
    system,
    'docs',
    { 'lynx.md': '# Lynx\n\nFor alice.', 'shared.txt': 'For both.', 'bob.txt': 'For bob.' },
    { allowed_users: ['alice'], files: { 'shared.txt': ['alice', 'bob'], 'bob.txt': ['bob'] } },
  );
  const alice = await login('alice');
  const bob = await login('bob');
  const { flow_id } = await alice.client.flows.create({
    flow_name: `set-${system.env['DOCLOOM_TASK_QUEUE']}`,
    flow: [
      ...reading(documents),
      {
        type: 'document_set',
        name: 'keep',
        depends_on: ['extract'],
        config: { document_set_name: 'animals', readers: ['bob'] },
      },
    ],
  });
  const run = () => runToEnd(alice.client, flow_id);
  const set = async () => (await alice.ask('?name=animals')).body.items[0];
  const names = async (who: typeof alice, id: string) => {
    const { body } = await who.ask(`/${id}/preview?columns=name`);
    expect(body.total_rows).toBe(body.data.length);
    return body.data.map(({ name }: { name: string }) => name).toSorted();
  };

  expect(await run()).toMatchObject({ status: 'COMPLETED', totals: { completed: 3 } });
  const first = await set();
  // Each of the two users may read two of the three documents.
  expect(first).toMatchObject({ total_documents: 2, total_rows: 2, readers: ['bob'] });
  expect(await names(alice, first.id)).toEqual(['lynx.md', 'shared.txt']);
  expect(await names(bob, first.id)).toEqual(['bob.txt', 'shared.txt']);
  const exported = await bob.ask(`/${first.id}/export?format=csv&columns=name,content`);
  expect(exported.text.split('\r\n').toSorted()).toEqual([
    '',
    'bob.txt,For bob.',
    'name,content',
    'shared.txt,For both.',
  ]);

  writeFileSync(path.join(documents, 'lynx.md'), '# Lynx\n\nRewritten at length.');
  rmSync(path.join(documents, 'bob.txt'));
  expect(await run()).toMatchObject({ totals: { completed: 1, deleted: 1 } });
  expect(await set()).toMatchObject({ id: first.id, total_documents: 2 });
  expect(await names(bob, first.id)).toEqual(['shared.txt']);
  expect((await alice.ask(`/${first.id}/preview?columns=content`)).text).toContain('Rewritten');

  expect((await bob.ask(`/${first.id}`, 'DELETE')).status).toBe(403);
  expect((await alice.ask(`/${first.id}`, 'DELETE')).status).toBe(204);
  expect(await run()).toMatchObject({ totals: { completed: 2 } });
  const second = await set();
  expect(second.id).not.toBe(first.id);
  expect(await names(alice, second.id)).toEqual(['lynx.md', 'shared.txt']);
  expect(await run()).toMatchObject({ totals: { completed: 0, skipped: 2 } });
});
