import { AppError } from '../../model/errors';
import { isFinal } from '../../model/run/run';
import { type LogLevel, logLevels, type RunLogEntry, type RunLogPage } from '../../model/run/wire-log';
import type { RunPart, SettledResult } from '../../services/run/facts';
import type { RunRecord } from '../../services/run/run-record';
import { may, type RequestContext, runPolicy } from '../http/policies';
import {
  iterateDocumentSteps,
  type KeyedEntry,
  iteratePartEntries,
  createResultEntry,
  iterateRunEntries,
} from './log-entries';
import { anonymizePart, anonymizeResult, mayNameDocuments, omitNames } from './names';
import { createRightsCheck, type StreamContext, watchRun } from './watch';

/** Which entries of a log are wanted. */
export interface LogQuery {
  /** This level and those above. */
  level?: LogLevel;
  operator?: string;
  document_id?: string;
  /** Entries after this place: the `next` of a page. */
  after?: string;
}

/** Entries that are in memory at once. A longer log is read in several passes. */
const maxAtOnce = 5_000;
/** How far back to look for entries that another process wrote late or with a deviating clock. */
const lateMs = 60_000;
/** A log is followed for 15 minutes at most. */
const watchLimits = { everyMs: 1_000, looksPerProbe: 5, forMs: 15 * 60 * 1_000 };
/** Number of polls between two blank lines, which keep the connection open. */
const looksPerBlankLine = 15;

/** The sort key of an entry: its time and what it is about. */
const placePattern = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z [!-~]/;

/** One page of the log, oldest entries first. */
export async function readLogPage(
  run: RunRecord,
  query: LogQuery,
  limit: number,
  context: RequestContext,
): Promise<RunLogPage> {
  const entries = await listEntriesAfter(selectEntries(run, query, context), decodePlace(query.after), {
    limit: limit + 1,
  });
  const page = entries.slice(0, limit);
  const last = page.at(-1);
  return {
    entries: page.map(({ entry }) => entry),
    next: entries.length > limit && last ? Buffer.from(last.key).toString('base64url') : null,
  };
}

/**
 * The log as lines of JSON. With `follow`, it continues until the run has ended, for 15 minutes at most, while the user is logged
 * in and may see the run. Throws VALIDATION_ERROR at once for a place that no page has named.
 */
export function streamLogLines(
  first: RunRecord,
  query: LogQuery,
  follow: boolean,
  context: StreamContext,
): AsyncGenerator<string, void, void> {
  return iterateLines(first, { ...query, start: decodePlace(query.after) }, follow, context);
}

async function* iterateLines(
  first: RunRecord,
  { start, ...query }: LogQuery & { start: string },
  follow: boolean,
  context: StreamContext,
): AsyncGenerator<string, void, void> {
  // The keys of what was sent, by place: an operator that is tried again reports another time for the same place.
  const sent = new Map<string, string>();
  let after = start;
  let from = start;
  let looks = 0;
  const mayContinue = createRightsCheck(first.job_run_id, context);
  const limits = { ...watchLimits, signal: context.options.closing, mayContinue };
  const runs = follow ? watchRun(first.job_run_id, context, limits) : [first];
  for await (const run of runs) {
    if (!run) return;
    let isMore: boolean;
    do {
      const entries = await listEntriesAfter(selectEntries(run, query, context), from, { limit: maxAtOnce, sent });
      for (const { key, entry } of entries) {
        sent.set(getPlace(key), key);
        if (key > after) after = key;
        yield `${JSON.stringify(entry)}\n`;
      }
      // Entries of a run in progress may arrive late; entries that were already sent are skipped.
      const earlier = getEarlierPlace(after);
      from = earlier > start ? earlier : start;
      // However late an operator is tried again, its beginning was sent: of these, there are as many as operators and batches.
      for (const [place, key] of sent) if (key < from && !place.startsWith('#')) sent.delete(place);
      isMore = entries.length === maxAtOnce;
    } while (isMore);
    if (follow && !isFinal(run.status) && looks % looksPerBlankLine === 0) yield '\n';
    looks += 1;
  }
}

/** The first unsent entries after a position, in order. Never buffers more than twice `limit`. */
async function listEntriesAfter(
  entries: AsyncIterable<KeyedEntry>,
  after: string,
  { limit, sent }: { limit: number; sent?: ReadonlyMap<string, string> },
): Promise<KeyedEntry[]> {
  const keptEntries: KeyedEntry[] = [];
  const trim = () => {
    keptEntries.sort((entry, other) => (entry.key < other.key ? -1 : Number(entry.key > other.key)));
    keptEntries.length = Math.min(keptEntries.length, limit);
  };
  for await (const entry of entries) {
    if (entry.key <= after || sent?.has(getPlace(entry.key))) continue;
    keptEntries.push(entry);
    if (keptEntries.length >= 2 * limit) trim();
  }
  trim();
  return keptEntries;
}

/** Every wanted entry, in no order, as the user may see it. */
async function* selectEntries(
  run: RunRecord,
  query: LogQuery,
  context: RequestContext,
): AsyncGenerator<KeyedEntry, void, void> {
  const minLevel = logLevels.indexOf(query.level ?? 'info');
  const isWanted = ({ entry }: KeyedEntry) =>
    logLevels.indexOf(entry.level) >= minLevel &&
    (query.operator === undefined || entry.operator === query.operator) &&
    (query.document_id === undefined || entry.document_id === query.document_id);
  const isNamed = mayNameDocuments(run, context.user);
  // Ids are hashes of paths, which a user who knows the source could guess.
  const mayReadDocuments = await may(runPolicy, 'readDocuments', run, context);
  for await (const entry of readAllEntries(run, query.document_id, context))
    if (isWanted(entry) && (mayReadDocuments || entry.entry.document_id === undefined))
      yield isNamed ? entry : omitName(entry);
}

async function* readAllEntries(
  run: RunRecord,
  documentId: string | undefined,
  { user, services }: RequestContext,
): AsyncGenerator<KeyedEntry, void, void> {
  const isNamed = mayNameDocuments(run, user);
  const { runsStore } = services;
  let ownResult: SettledResult | undefined;
  for await (const result of runsStore.iterateResults(run.job_run_id)) {
    if (result.id === documentId) ownResult = result;
    yield createResultEntry(isNamed ? result : { ...anonymizeResult(result), part: result.part });
  }
  const documentParts: RunPart[] = [];
  const operatorWarnings = new Set<string>();
  for await (const part of runsStore.iterateParts(run.job_run_id)) {
    yield* iteratePartEntries(isNamed ? part : anonymizePart(part));
    if (part.part === ownResult?.part) documentParts.push(part);
    for (const warning of part.report?.warnings ?? [])
      if (run.warnings.includes(warning)) operatorWarnings.add(warning);
  }
  // The record of the run repeats the warnings of its operators.
  yield* iterateRunEntries(
    omitNames({ ...run, warnings: run.warnings.filter((warning) => !operatorWarnings.has(warning)) }, user),
  );
  if (!ownResult) return;
  const stopped = (await runsStore.findOutcomes(run.job_run_id, [ownResult.id])).get(ownResult.id);
  yield* iterateDocumentSteps(run.snapshot.plan, documentParts, ownResult, stopped);
}

function omitName({ key, entry }: KeyedEntry): KeyedEntry {
  const { document_name: _name, ...anonymous } = entry;
  return { key, entry: anonymous satisfies RunLogEntry };
}

/** Empty for the beginning. Throws VALIDATION_ERROR for what no page of a log has as its `next`. */
function decodePlace(cursor = ''): string {
  const place = Buffer.from(cursor, 'base64url').toString();
  if (place === '' && cursor === '') return place;
  if (placePattern.test(place)) return place;
  const message = "Parameter 'after' must be the `next` of a page of this log.";
  throw new AppError('VALIDATION_ERROR', message, {
    problems: [{ message, target: { type: 'parameter', name: 'after' } }],
  });
}

/** What an entry is about: its key without the time. */
function getPlace(key: string): string {
  return key.slice(key.indexOf(' ') + 1);
}

function getEarlierPlace(place: string): string {
  const time = Date.parse(place.split(' ')[0] ?? '');
  return Number.isNaN(time) ? '' : new Date(time - lateMs).toISOString();
}
