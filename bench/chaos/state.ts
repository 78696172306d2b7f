import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { connectMongo } from '../../services/storage/mongo';
import { openTemporal } from '../../services/temporal/client';
import { type Outcome, retryWhileAway } from './persist';
import type { ChaosStack } from './stack';

interface Hit {
  _id: string;
  _source: Record<string, unknown>;
}

/**
 * Everything that a run leaves behind: its record, totals and failures, the records of its index, its ledger, its document set,
 * and the keys of its tables. Ids of the run and of the job are left out, so that two runs of the same work compare equal.
 */
export async function readRunState(
  { client, direct, dataDir }: ChaosStack,
  { runId, name }: { runId: string; name: string },
): Promise<Outcome> {
  const run = await retryWhileAway(() => client.jobRuns.get(runId));
  const failures = await retryWhileAway(() => client.jobRuns.documents(runId, { limit: 100 }));
  const sets = (await retryWhileAway(() => client.documentSets.list({ name, limit: 10 }))).items;
  return {
    status: run.status,
    totals: run.totals,
    operators: omitTimes(run.operators),
    failures: failures.documents
      .map((document) => JSON.stringify([document.name, document.outcome, document.code]))
      .toSorted(),
    index: await readRecords(direct.search, name),
    ledger: await readLedger(direct.mongo, run.job_id),
    sets: sets.map(({ total_documents, total_rows }) => ({ total_documents, total_rows })),
    tables: listKeys(path.join(dataDir, 'store', 'run', runId)),
  };
}

/** Plain JSON without values that depend on the clock. */
export function omitTimes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(omitTimes);
  if (typeof value !== 'object' || value === null) return value;
  const own = /^(processing_time|timings|task_id|.*seconds.*|.*_at|started|finished|created)$/;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) => (own.test(key) ? [] : [[key, omitTimes(inner)]])),
  );
}

/** Running workflows, except the sweep. Waits for those that are about to end. */
export async function findOrphans({ direct }: ChaosStack): Promise<string[]> {
  const { connection, client } = openTemporal({ address: direct.temporal, namespace: 'default' });
  try {
    for (const deadline = Date.now() + 20_000; ; await delay(500)) {
      const left: string[] = [];
      for await (const { workflowId, type } of client.workflow.list({ query: "ExecutionStatus = 'Running'" }))
        if (type !== 'sweep') left.push(`${type} ${workflowId}`);
      if (left.length === 0 || Date.now() > deadline) return left;
    }
  } finally {
    await connection.close();
  }
}

async function readRecords(search: string, index: string): Promise<unknown> {
  await fetch(`${search}/${index}/_refresh`, { method: 'POST' });
  const lines: string[] = [];
  for (let after: unknown[] | undefined; ;) {
    const query = { size: 2_000, sort: [{ _id: 'asc' }], ...(after ? { search_after: after } : {}) };
    const { hits } = await searchIndex(`${search}/${index}/_search`, query);
    for (const { _source } of hits.hits) lines.push(formatLine(_source));
    after = hits.hits.at(-1)?.sort;
    if (hits.hits.length < 2_000) break;
  }
  return { count: lines.length, digest: computeDigest(lines.toSorted()), different: new Set(lines).size };
}

interface Page {
  hits: { hits: (Hit & { sort: unknown[] })[] };
}

/** Repeats the search while the server says that it has too much to do. */
async function searchIndex(address: string, query: unknown, attempts = 30): Promise<Page> {
  const response = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(query),
  });
  if (response.ok) return (await response.json()) as Page;
  const reason = await response.text();
  if (attempts <= 1 || (response.status !== 429 && response.status < 500))
    throw new Error(`The index answered ${response.status}: ${reason.slice(0, 500)}`);
  await delay(1_000);
  return searchIndex(address, query, attempts - 1);
}

/** A record without values that differ between two runs: ids derived from the job, and times. */
function formatLine(source: Record<string, unknown>): string {
  const { content, name, path: place, relative_path, chunk_index, vector, embedding } = source;
  return JSON.stringify([
    relative_path ?? place ?? name,
    chunk_index,
    content,
    computeDigest(vector ?? embedding ?? null),
  ]);
}

async function readLedger(url: string, jobId: string): Promise<unknown> {
  const mongo = connectMongo(url);
  try {
    const entries = await mongo
      .collection('ledger')
      .find({ job_id: jobId } as never)
      .toArray();
    const lines = entries.map((entry) => JSON.stringify([entry['name'], entry['status'], entry['content_hash']]));
    return { count: lines.length, digest: computeDigest(lines.toSorted()) };
  } finally {
    await mongo.close();
  }
}

function listKeys(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .toSorted();
}

/** A short hash of plain JSON. */
export function computeDigest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16);
}
