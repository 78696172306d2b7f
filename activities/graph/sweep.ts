import { getGraphWorkflowId } from '../../services/graph/engine';
import { failOrphanedGraph, buildGraphPrefix } from '../../services/graph/files';
import type { Runs } from '../../services/run/runs';
import type { GraphDeps } from './deps';

/** Graphs per query. */
const pageSize = 100;
/** A graph younger than this may not have its workflow yet. */
const graceMs = 60_000;
const dayMs = 24 * 60 * 60 * 1_000;

/**
 * Ends graphs whose workflow ended without recording it, and deletes one page of graphs that outlived the retention. `more` is
 * true when some are left.
 */
export async function sweepGraphs(
  { store, files }: Pick<GraphDeps, 'store' | 'files'>,
  runs: Pick<Runs, 'readStatus'>,
  { retentionDays, now = new Date() }: { retentionDays: number; now?: Date },
): Promise<{ settled: number; removed: number; more: boolean }> {
  const before = (ms: number) => new Date(now.getTime() - ms).toISOString();
  let settled = 0;
  for (let after: string | undefined; ;) {
    const open = await store.listOpen(before(graceMs), pageSize, after);
    for (const graph of open) {
      const { id, corpus } = graph;
      if (corpus && corpus.queued_at >= before(graceMs)) continue;
      if ((await runs.readStatus(getGraphWorkflowId(graph))) === 'RUNNING') continue;
      await failOrphanedGraph({ store, files }, id);
      settled += 1;
    }
    const last = open.at(-1);
    if (!last || open.length < pageSize) break;
    after = last.created_at;
  }
  const expired = await store.listEnded(before(retentionDays * dayMs), pageSize);
  for (const { id } of expired) {
    await files.removePrefix(buildGraphPrefix(id));
    await store.remove(id);
  }
  return { settled, removed: expired.length, more: expired.length === pageSize };
}
