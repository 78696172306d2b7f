import { removeTask } from '../../services/conversion/files';
import { getTaskWorkflowId } from '../../services/conversion/task-ids';
import { failOrphanedTask, mayStartLater } from '../../services/conversion/tasks';
import { pause } from '../../services/pacing/pause';
import type { Runs } from '../../services/run/runs';
import type { ConvertDeps } from './deps';

/** Tasks per query. */
const pageSize = 100;
/** A task younger than this may not have its workflow yet. */
const graceMs = 60_000;
/** Uploads without a task come from interrupted requests. No request lasts this long. */
const uploadGraceMs = 24 * 3_600_000;
const queueGraceMs = 2_000;
/** Keys of uploads begin with `uploads/` and the hour: `2026-01-01T00`. */
const hourLength = '2026-01-01T00'.length;

type Deps = Pick<ConvertDeps, 'store' | 'files' | 'settings' | 'keysBelow'>;

/**
 * Ends tasks whose workflow ended without recording it. Deletes one page of tasks that outlived the retention, whether fetched or
 * not, and uploads that belong to no open task. `more` is true when expired tasks are left.
 */
export async function sweepConversions(
  deps: Deps,
  runs: Pick<Runs, 'readStatus'>,
  now = new Date(),
): Promise<{ settled: number; removed: number; more: boolean }> {
  const settled = await settleOpen(deps, runs, now);
  const expired = await deps.store.listEnded(new Date(now.getTime() - deps.settings.retentionMs), pageSize);
  for (const { _id } of expired) await removeTask(deps, _id);
  await tidyQueues(deps);
  await removeUploads(deps, now);
  return { settled, removed: expired.length, more: expired.length === pageSize };
}

async function settleOpen({ store }: Deps, runs: Pick<Runs, 'readStatus'>, now: Date): Promise<number> {
  const before = new Date(now.getTime() - graceMs);
  let settled = 0;
  for (let after: string | undefined; ;) {
    const open = await store.listOpen(before, pageSize, after);
    for (const task of open) {
      const status = await runs.readStatus(getTaskWorkflowId(task));
      if (status === 'RUNNING' || (status === undefined && mayStartLater(task, now.getTime()))) continue;
      await failOrphanedTask({ store }, task._id);
      settled += 1;
    }
    const last = open.at(-1);
    if (!last || open.length < pageSize) return settled;
    after = last.created_at.toISOString();
  }
}

/** Removes tasks that are not pending from the queues; an interrupted submission leaves its entry behind. */
async function tidyQueues({ store }: Deps): Promise<void> {
  const listStrays = async () => {
    const strays: { tenant: string; id: string }[] = [];
    for (const tenant of await store.queues.listTenants()) {
      const ids = await store.queues.listWaiting(tenant);
      if (ids.length === 0) continue;
      const pending = new Set(
        (await store.getMany(ids)).filter(({ state }) => state === 'pending').map(({ _id }) => _id),
      );
      strays.push(...ids.filter((id) => !pending.has(id)).map((id) => ({ tenant, id })));
    }
    return strays;
  };
  const before = new Set((await listStrays()).map(({ id }) => id));
  if (before.size === 0) return;
  // A task gets its queue entry shortly before its record.
  await pause(queueGraceMs);
  for (const { tenant, id } of await listStrays()) if (before.has(id)) await store.queues.leave(tenant, id);
}

async function removeUploads({ store, files, keysBelow }: Deps, now: Date): Promise<void> {
  const oldest = new Date(now.getTime() - uploadGraceMs).toISOString().slice(0, hourLength);
  const prefixes = new Set<string>();
  for await (const key of keysBelow('uploads/')) {
    const [, hour = '', task = ''] = key.split('/');
    if (hour < oldest) prefixes.add(`uploads/${hour}/${task}/`);
  }
  for (const prefix of prefixes) {
    const task = await store.get(prefix.split('/')[2] ?? '');
    if (!task || task.ended_at) await files.removePrefix(prefix);
  }
}
