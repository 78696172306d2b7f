import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { buildChunkFlow } from '../support/chunk-flow';
import { sizeOfFolder } from '../support/files';
import { measureRun } from '../support/measure';
import { benchFolder } from '../support/stack';
import type { Target } from '../support/targets';
import { type ScaleBench, writeSmallFile, writeSmallFiles } from './scale-bench';

/** Before the second run, one in this many files changes. */
const changedOf = 100;

/** Time of a run over many files of which few have changed since the run before. */
export async function measureListing(bench: ScaleBench): Promise<Target[]> {
  const { stack, dataDir, say } = bench;
  const count = bench.size('files');
  const folder = await writeSmallFiles(bench, 'scale-listing', count);
  const file = path.join(benchFolder(dataDir), 'scale-listing.json');
  await writeFile(file, JSON.stringify(buildChunkFlow(`scale-listing-${Date.now()}`, folder)));
  const env = { ...process.env, ...stack.info.env };
  const before = await sizeOfFolder(path.join(dataDir, 'mongo'));
  const first = await measureRun(file, stack.workerPid, env, []);
  const bytes = (await sizeOfFolder(path.join(dataDir, 'mongo'))) - before;
  say('');
  say(
    `listing: ${count} files, first run ${first.report.seconds.toFixed(0)} s (${((1_000 * first.report.seconds) / count).toFixed(2)} ms each), worker up to ${first.workerPeakMb.toFixed(0)} MB, database ${(bytes / count).toFixed(0)} bytes each`,
  );
  const changed = Array.from({ length: Math.ceil(count / changedOf) }, (_, index) => index * changedOf);
  for (const index of changed) await writeSmallFile(folder, index, 1);
  const again = await measureRun(file, stack.workerPid, env, []);
  const { completed, skipped } = again.report.totals;
  if (completed !== changed.length)
    throw new Error(`${completed} documents were converted again instead of ${changed.length}.`);
  say(
    `listing: ${changed.length} of ${count} changed: ${again.report.seconds.toFixed(1)} s (${skipped} skipped), worker up to ${again.workerPeakMb.toFixed(0)} MB`,
  );
  return [
    {
      name: `seconds of a run over ${count} files, 1 % changed`,
      value: again.report.seconds,
      // Ten minutes for a million.
      atMost: Math.max(10, 600 * (count / 1e6)),
      unit: ' s',
    },
  ];
}
