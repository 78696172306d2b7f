import { hash } from 'node:crypto';
import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readConfig } from '../../model/config';
import { computeDocumentId } from '../../operators/ingest_source/take';
import { createLedger } from '../../services/run/ledger';
import { connectMongo } from '../../services/storage/mongo';
import { buildChunkFlow } from '../support/chunk-flow';
import { sizeOfFolder } from '../support/files';
import { measureMs, measureRun } from '../support/measure';
import { benchFolder } from '../support/stack';
import type { Target } from '../support/targets';
import { getSmallFile, type ScaleBench, writeSmallFile, writeSmallFiles, writeSubfolder } from './scale-bench';

/** Before the second run, one in this many files changes. */
const changedOf = 100;

/** Which files are entered in the ledger without a run: those from `from` on, of `count` in all. */
interface Others {
  folder: string;
  jobId: string;
  from: number;
  count: number;
}

/** Writes the other files, and enters each in the ledger as the first run entered the first file. */
async function enterOthers({ stack }: ScaleBench, { folder, jobId, from, count }: Others): Promise<void> {
  const mongo = connectMongo(stack.info.env['MONGODB_URL'] ?? readConfig(process.env).MONGODB_URL);
  try {
    const ledger = createLedger(mongo);
    const identify = (index: number) =>
      computeDocumentId(
        { source: `file:${folder}`, relativePath: path.relative(folder, getSmallFile(folder, index)) },
        { run: { jobId } },
      );
    const first = (await ledger.lookup(jobId, [identify(0)])).get(identify(0));
    if (!first) throw new Error(`The ledger of job ${jobId} does not have the first file.`);
    for (let index = from; index < count;) {
      const indexes = await writeSubfolder(folder, index, count);
      const entries = indexes.map(async (other) => {
        const file = getSmallFile(folder, other);
        const { size, mtime } = await stat(file);
        const content_hash = hash('sha256', await readFile(file));
        return {
          ...first,
          id: identify(other),
          name: path.basename(file),
          size,
          modified_time: mtime.toISOString(),
          content_hash,
        };
      });
      await ledger.record(jobId, await Promise.all(entries));
      index += indexes.length;
    }
  } finally {
    await mongo.close();
  }
}

/** Time of a run over many files of which few have changed since the run before. */
export async function measureListing(bench: ScaleBench): Promise<Target[]> {
  const { stack, dataDir, say } = bench;
  const count = bench.size('files');
  const converted = Math.min(count, bench.size('converted'));
  const folder = await writeSmallFiles(bench, 'scale-listing', converted);
  const file = path.join(benchFolder(dataDir), 'scale-listing.json');
  await writeFile(file, JSON.stringify(buildChunkFlow(`scale-listing-${Date.now()}`, folder)));
  const env = { ...process.env, ...stack.info.env };
  const before = await sizeOfFolder(path.join(dataDir, 'mongo'));
  const first = await measureRun(file, stack.workerPid, env, []);
  const bytes = (await sizeOfFolder(path.join(dataDir, 'mongo'))) - before;
  say('');
  say(
    `listing: ${converted} files, first run ${first.report.seconds.toFixed(0)} s (${((1_000 * first.report.seconds) / converted).toFixed(2)} ms each), worker up to ${first.workerPeakMb.toFixed(0)} MB, database ${(bytes / converted).toFixed(0)} bytes each`,
  );
  if (converted < count) {
    const ms = await measureMs(() =>
      enterOthers(bench, { folder, jobId: first.report.job_id, from: converted, count }),
    );
    say(`listing: ${count - converted} more files written and entered in the ledger in ${(ms / 1_000).toFixed(0)} s`);
  }
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
