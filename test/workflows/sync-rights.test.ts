import { randomUUID } from 'node:crypto';
import { type RightsActivities, rightsRequest, type SyncRightsInput } from '../../model/identity/sync';
import type { RunActivities } from '../../model/run/activities';
import type { syncRights } from '../../workflows/sync-rights';
import { type Harness, partReport, startHarness } from '../support/workflow/harness';

let harness: Harness;
const calls: string[] = [];
let hold: Promise<void> = Promise.resolve();

const activities: RightsActivities = {
  list_due_syncs: async () => ({ maps: ['share', 'broken'], jobs: ['due', 'named'] }),
  async sync_identities({ map, by }) {
    calls.push(`map ${map} by ${by}`);
    await hold;
    if (map === 'broken') throw new Error('the directory does not answer');
    return { changed: 1, jobs: ['named', 'other'] };
  },
  async sync_access({ jobId, by }) {
    calls.push(`job ${jobId} by ${by}`);
    return { listed: 0, changed: 0, left_to_run: 0, unknown: 0 };
  },
};

beforeAll(async () => {
  const all = { ...activities, open_run: async () => undefined };
  harness = await startHarness({ noop: async () => partReport(0) }, all as unknown as RunActivities);
});
afterAll(() => harness.close());
beforeEach(() => {
  calls.length = 0;
  hold = Promise.resolve();
});

test('what is due is synchronized, groups first; a map that fails keeps nothing else from it', async () => {
  const workflowId = `rights-${randomUUID()}`;
  const result = await harness.client.workflow.execute<typeof syncRights>('syncRights', {
    workflowId,
    taskQueue: harness.taskQueue,
    args: [{}],
  });
  await harness.record('sync-rights', workflowId);
  expect(result).toEqual({ synced: 4, failed: 1 });
  expect([...new Set(calls)]).toEqual([
    'map share by schedule',
    'map broken by schedule',
    'job due by schedule',
    'job named by schedule',
    'job other by schedule',
  ]);
});

test('requests that arrive during a sync are processed after it', async () => {
  let release = () => {};
  hold = new Promise((resolve) => (release = resolve));
  const ask = (request: SyncRightsInput) =>
    harness.client.workflow.signalWithStart<typeof syncRights, [SyncRightsInput]>('syncRights', {
      workflowId: `rights-${harness.taskQueue}`,
      taskQueue: harness.taskQueue,
      args: [{ isAsked: true }],
      signal: rightsRequest,
      signalArgs: [request],
    });
  const handle = await ask({ identities: [{ map: 'share', by: 'root' }] });
  await ask({ access: [{ jobId: 'later', by: 'alice' }] });
  release();
  await handle.result();
  await harness.record('sync-rights-asked', `rights-${harness.taskQueue}`);
  expect(calls).toEqual(['map share by root', 'job named by root', 'job other by root', 'job later by alice']);
});
