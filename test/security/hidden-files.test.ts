import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createClient } from '../../client';
import { createTokens } from '../../services/login/tokens';
import { reading, runToEnd } from '../support/system/over-http';
import { createSystem, type System } from '../support/system/system';

const canary = 'canary-of-the-hidden-folder';
const secret = 'signing key of the test of hidden files';
let system: System;
let address: string;

beforeAll(async () => {
  system = createSystem({ DOCLOOM_HIDDEN_FILES: 'true', DOCLOOM_ADMIN_GROUPS: 'admins' });
  mkdirSync(path.join(system.folder, '.git'));
  writeFileSync(path.join(system.folder, '.git', 'config'), canary);
  writeFileSync(path.join(system.folder, '.hidden.md'), canary);
  mkdirSync(path.join(system.folder, 'docs', '.inner'), { recursive: true });
  for (const name of ['open.md', '.closed.md', '.inner/deep.md'])
    writeFileSync(path.join(system.folder, 'docs', name), canary);
  [address] = await Promise.all([system.startApi({ JWT_SECRET_KEY: secret }), system.startWorker()]);
});
afterAll(() => system.stop());

const getClient = (username: string, ...groups: string[]) => {
  const user = { username, email: '', full_name: '', groups };
  return createClient({ baseUrl: address, token: createTokens({ secret, expireMinutes: 5 }).issue(user) });
};

let count = 0;
const flowOver = (place: string) => {
  const [ingest, extract] = reading(place);
  return {
    flow_name: `hidden-${(count += 1)}-${system.env['DOCLOOM_TASK_QUEUE']}`,
    flow: [{ ...ingest!, config: { ...ingest!.config, ignore_hidden_files: false } }, extract!],
  };
};

const places = ['.git', '.git/config', '.hidden.md', '.git/../.git/config'];

test.each(places)('%s needs an administrator as the owner of the run, not only the setting', async (name) => {
  const place = `${system.folder}/${name}`;
  const bob = getClient('bob');
  const { flow_id } = await bob.flows.create(flowOver(place));
  const refused = await runToEnd(bob, flow_id);
  expect(refused).toMatchObject({ status: 'FAILED', totals: { completed: 0 } });
  expect(refused.message).toContain('SOURCE_NOT_ALLOWED');

  const root = getClient('root', 'admins');
  const own = await root.flows.create(flowOver(place));
  expect(await runToEnd(root, own.flow_id)).toMatchObject({ totals: { completed: 1 } });

  // A run also acts for the last editor of its flow, so an administrator cannot be used as a bypass.
  expect(await runToEnd(root, flow_id)).toMatchObject({ status: 'FAILED', totals: { completed: 0 } });
});

test('hidden files of an open folder are ingested for administrators only', async () => {
  const completed = async (client: ReturnType<typeof getClient>) => {
    const { flow_id } = await client.flows.create(flowOver(path.join(system.folder, 'docs')));
    return (await runToEnd(client, flow_id)).totals.completed;
  };
  expect(await completed(getClient('bob'))).toBe(1);
  expect(await completed(getClient('root', 'admins'))).toBe(3);
});
