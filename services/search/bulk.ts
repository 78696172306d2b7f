import { AppError } from '../../model/errors';
import { pause } from '../pacing/pause';
import { findRootCause, isBusyStatus, type SearchConnection } from './connection';
import type { EnsuredIndex } from './index';
import { buildAnalysedFields } from './languages';
import { type Analysis, sortedLength } from './mapping';
import type { IndexRecord } from './ports';

/** Bounds of one bulk request. */
const maxBytes = 5 * 1024 * 1024;
const maxRecords = 1_000;

/** One line of work: an action, with the document it writes. */
export interface BulkAction {
  id: string;
  /** The action line and, for writes, the document line. */
  lines: readonly string[];
}
export interface BulkOptions {
  timeoutMs: number;
  /** Further attempts for items that the server was too busy for. */
  maxRetries: number;
  signal?: AbortSignal;
}
interface BulkItem {
  status: number;
  error?: { type: string; reason?: string; caused_by?: { reason?: string } };
}

/**
 * The action that writes a record under its id, replacing an existing one, with the fields for sorting and language that the
 * index has.
 */
export function buildWriteAction(record: IndexRecord, index?: Pick<EnsuredIndex, 'analysis'>): BulkAction {
  const extra = index?.analysis ? buildLanguageFields(record, index.analysis) : {};
  const sorted = index ? { content_start: cutSortedStart(record.content) } : {};
  return {
    id: record.id,
    lines: [JSON.stringify({ index: { _id: record.id } }), JSON.stringify({ ...record, ...sorted, ...extra })],
  };
}

/** The fields of a record's language: its text, and its title and headings. */
export function buildLanguageFields(
  record: Pick<IndexRecord, 'content' | 'title' | 'metadata'>,
  analysis: Analysis,
): Record<string, unknown> {
  const { headings, language } = record.metadata;
  const { content, title } = record;
  const texts = { content, title, headings: Array.isArray(headings) ? headings.map(String) : [] };
  return buildAnalysedFields(language, texts, analysis);
}

/** The part of a content by which records are sorted. Half of a surrogate pair, which the engine refuses, becomes U+FFFD. */
function cutSortedStart(content: string): string {
  return Buffer.from(content.trimStart().slice(0, sortedLength)).toString();
}

/**
 * Sends actions in requests of bounded size. A bulk request answers 200 even when items failed: items that the server was too
 * busy for are retried, rejected ones are returned with the reason. Throws SEARCH_CONNECTION_FAILED if the server stays
 * unavailable or busy; the next attempt writes the same ids again.
 */
export async function sendBulk(
  connection: SearchConnection,
  index: string,
  actions: readonly BulkAction[],
  options: BulkOptions,
): Promise<{ id: string; status: number; reason: string }[]> {
  const refused: { id: string; status: number; reason: string }[] = [];
  for (const request of listRequests(actions)) {
    let pending: readonly BulkAction[] = request;
    for (let attempt = 0; pending.length > 0; attempt++) {
      if (attempt > 0) await pause(Math.min(5_000, 200 * 2 ** (attempt - 1)), options.signal);
      const outcome = await attemptBulkOnce(connection, index, pending, options);
      refused.push(...outcome.refused);
      pending = outcome.again;
      if (outcome.failure && attempt >= options.maxRetries) throw outcome.failure;
    }
  }
  return refused;
}

interface Outcome {
  refused: { id: string; status: number; reason: string }[];
  again: readonly BulkAction[];
  /** Why `again` is not empty. */
  failure?: AppError;
}

async function attemptBulkOnce(
  connection: SearchConnection,
  index: string,
  actions: readonly BulkAction[],
  options: BulkOptions,
): Promise<Outcome> {
  try {
    const { status, body } = await connection.send(
      { method: 'POST', path: `/${encodeURIComponent(index)}/_bulk`, bulk: actions.flatMap(({ lines }) => lines) },
      { timeoutMs: options.timeoutMs, accept: [413], ...(options.signal ? { signal: options.signal } : {}) },
    );
    if (status === 413) return await sendHalves(connection, index, actions, options);
    const { errors, items } = body as { errors: boolean; items: Record<string, BulkItem>[] };
    return errors ? separateRejected(connection, actions, items) : { refused: [], again: [] };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'SEARCH_CONNECTION_FAILED') throw error;
    return { refused: [], again: actions, failure: error };
  }
}

/** The server has a lower size limit than ours: halve until a single record is too large. */
async function sendHalves(
  connection: SearchConnection,
  index: string,
  actions: readonly BulkAction[],
  options: BulkOptions,
): Promise<Outcome> {
  const [only] = actions;
  if (actions.length === 1 && only)
    return {
      refused: [{ id: only.id, status: 413, reason: 'the record is larger than the search server accepts' }],
      again: [],
    };
  const middle = Math.ceil(actions.length / 2);
  const outcomes = [
    await attemptBulkOnce(connection, index, actions.slice(0, middle), options),
    await attemptBulkOnce(connection, index, actions.slice(middle), options),
  ];
  const failure = outcomes.find((outcome) => outcome.failure)?.failure;
  return {
    refused: outcomes.flatMap(({ refused }) => refused),
    again: outcomes.flatMap(({ again }) => again),
    ...(failure ? { failure } : {}),
  };
}

function separateRejected(
  connection: SearchConnection,
  actions: readonly BulkAction[],
  items: readonly Record<string, BulkItem>[],
): Outcome {
  const refused: Outcome['refused'] = [];
  const again: BulkAction[] = [];
  let last = '';
  for (const [position, action] of actions.entries()) {
    const item = Object.values(items[position] ?? {})[0];
    if (!item?.error) continue;
    const { type, reason = '' } = item.error;
    const text = `${type}: ${omitValues(reason, findRootCause(item.error).reason)}`;
    if (isBusyStatus(item.status) || /rejected_execution|unavailable_shards|process_cluster_event_timeout/.test(type)) {
      again.push(action);
      last = text;
    } else refused.push({ id: action.id, status: item.status, reason: text });
  }
  if (again.length === 0) return { refused, again };
  const failure = new AppError(
    'SEARCH_CONNECTION_FAILED',
    `The search server at ${connection.address} is too busy for ${again.length} of ${actions.length} records: ${last}.`,
  );
  return { refused, again, failure };
}

/** The server's message about a record without the quoted values, because messages appear in logs and histories. */
function omitValues(reason: string, cause: string | undefined): string {
  const [message = ''] = reason.split(/\s*(?:Preview of|The prefix of|original message)/i);
  // Messages about vectors quote numbers and settings only.
  const isPlain = cause !== undefined && (/\[embedding\]/.test(reason) || !/["'[\]]/.test(cause));
  return isPlain && cause !== reason ? `${message}: ${cause}` : message;
}

/** Groups the actions into requests within the limits; an action larger than the limit is sent alone. */
export function listRequests(actions: readonly BulkAction[]): BulkAction[][] {
  const requests: BulkAction[][] = [];
  let bytes = Infinity;
  for (const action of actions) {
    const size = action.lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
    const current = requests.at(-1);
    if (!current || bytes + size > maxBytes || current.length >= maxRecords) {
      requests.push([action]);
      bytes = size;
    } else {
      current.push(action);
      bytes += size;
    }
  }
  return requests;
}
