import {
  accessColumns,
  getAccessKey,
  everybody,
  type StoredAccess,
  toStoredAccess,
  toUserPrincipal,
} from '../../model/access-list';
import type { AccessList } from '../../model/access-list';
import { AppError } from '../../model/errors';
import { type BulkAction, type BulkOptions, buildLanguageFields, sendBulk } from './bulk';
import { findEngineError, type SearchConnection } from './connection';
import { findAnalysis } from './mapping';
import type { IndexRecord, SearchTarget } from './ports';

/** New access lists of documents by id. `from` is the list with which they were indexed. */
export interface AccessChange {
  jobId: string;
  documents: ReadonlyMap<string, { from: AccessList; to: AccessList }>;
}

/** Changes who may read records, and nothing else about them. */
export interface IndexAccess {
  /**
   * Gives the records of these documents their new lists, visible to searches on return. A record whose list differs from that
   * of its document, because it was made from several, gets the new list in addition to its own, so it never gains readers.
   * Returns the documents with a record that is now narrower than their list, that was written at the same moment by another
   * process, or that lost its vector because the server runs no scripts. The next run of the flow must write these again.
   */
  changeAccess(index: string, change: AccessChange, target?: SearchTarget): Promise<{ narrowed: Set<string> }>;
}

/** Records read at a time, whole. Fewer where the response would be larger than the connection allows. */
const maxPageSize = 100;
/** Documents that one search names. */
const documentsTogether = 200;

interface Hit {
  _index: string;
  _id: string;
  _seq_no: number;
  _primary_term: number;
  sort: unknown[];
  _source: IndexRecord;
  fields?: { vector?: [number[] | null] };
  /** True if the index has vectors and the server refused to return them. */
  isVectorLost?: boolean;
}
type Mappings = Record<string, { mappings?: Parameters<typeof findAnalysis>[0] }>;

/** The vector of a record, which is not part of its source. */
const vectorScript = "doc.containsKey('embedding') && doc['embedding'].size() > 0 ? doc['embedding'].value : null";

/** Implements `changeAccess` on one server; `index` is the name that the server knows. */
export async function changeRecords(
  connection: SearchConnection,
  index: string,
  { jobId, documents }: AccessChange,
  options: BulkOptions,
): Promise<{ narrowed: Set<string> }> {
  const call = { timeoutMs: options.timeoutMs, accept: [404] };
  const path = `/${encodeURIComponent(index)}`;
  const refresh = () => connection.send({ method: 'POST', path: `${path}/_refresh` }, call);
  const narrowed = new Set<string>();
  const ids = [...documents.keys()];
  await refresh();
  const mappings = await readMappings(connection, path, call);
  for (let from = 0; from < ids.length; from += documentsTogether) {
    const filter = [{ term: { job_id: jobId } }, { terms: { document_id: ids.slice(from, from + documentsTogether) } }];
    let after: unknown[] | undefined;
    for (let isLast = false; !isLast;) {
      const body = {
        query: { bool: { filter } },
        _source: true,
        seq_no_primary_term: true,
        sort: [{ id: 'asc' }],
        ...(after ? { search_after: after } : {}),
      };
      const read = (size: number) => readRecords(connection, path, { body: { ...body, size }, mappings, call });
      const { hits, size } = await readFitting(read, maxPageSize);
      const actions = hits.flatMap((hit) => {
        const change = documents.get(hit._source.document_id);
        const next = change && computeAccess(hit._source, change, narrowed);
        if (!next) return [];
        if (hit.isVectorLost) narrowed.add(hit._source.document_id);
        return [rewriteRecord(hit, next, mappings[hit._index])];
      });
      const refused = new Set((await sendBulk(connection, index, actions, options)).map(({ id }) => id));
      for (const hit of hits) if (refused.has(hit._id)) narrowed.add(hit._source.document_id);
      isLast = hits.length < size;
      after = hits.at(-1)?.sort;
    }
  }
  await refresh();
  return { narrowed };
}

/** Reads a page of at most `size` records, or of fewer if these do not fit into one response. Returns the size that was asked for. */
async function readFitting(
  read: (size: number) => Promise<Hit[]>,
  size: number,
): Promise<{ hits: Hit[]; size: number }> {
  try {
    return { hits: await read(size), size };
  } catch (error) {
    const isTooLarge = error instanceof AppError && error.code === 'INVALID_RESPONSE';
    if (!isTooLarge || size === 1) throw error;
    return await readFitting(read, Math.ceil(size / 4));
  }
}

type Call = { timeoutMs: number; accept: number[] };

/** The version and the fields that decide what must be written again, of each index behind the name. */
async function readMappings(connection: SearchConnection, path: string, call: Call): Promise<Mappings> {
  const members = [
    '_meta.version',
    ...['embedding.type', 'language.type', 'words.dynamic'].map((field) => `properties.${field}`),
  ];
  const filter_path = members.map((member) => `*.mappings.${member}`).join(',');
  const reply = await connection.send({ method: 'GET', path: `${path}/_mapping`, query: { filter_path } }, call);
  return reply.status === 404 ? {} : (reply.body as Mappings);
}

/**
 * One page of records with their vectors. The engine returns a vector that is not part of the source only to a script; with scripts
 * turned off, the records come without it, because rights must not wait.
 */
async function readRecords(
  connection: SearchConnection,
  path: string,
  { body, mappings, call }: { body: Record<string, unknown>; mappings: Mappings; call: Call },
): Promise<Hit[]> {
  const hasVectors = (index: Mappings[string] | undefined) => index?.mappings?.properties?.['embedding'] !== undefined;
  const search = async (fields: Record<string, unknown>) => {
    const query = { allow_partial_search_results: false };
    const reply = await connection.send(
      { method: 'POST', path: `${path}/_search`, query, body: { ...body, ...fields } },
      call,
    );
    return reply.status === 404 ? [] : (reply.body as { hits: { hits: Hit[] } }).hits.hits;
  };
  if (!Object.values(mappings).some(hasVectors)) return search({});
  try {
    return await search({ script_fields: { vector: { script: { source: vectorScript } } } });
  } catch (error) {
    if (findEngineError(error)?.status !== 400) throw error;
    const hits = await search({});
    return hits.map((hit) => ({ ...hit, isVectorLost: hasVectors(mappings[hit._index]) }));
  }
}

/** The new list of a record; undefined if it already has it. */
function computeAccess(
  record: IndexRecord,
  { from, to }: { from: AccessList; to: AccessList },
  narrowed: Set<string>,
): StoredAccess | undefined {
  const held = buildRowForm(Object.fromEntries(accessColumns.map((column) => [column, record[column]])));
  if (getAccessKey(held) === getAccessKey(to)) return undefined;
  const isOwn = getAccessKey(held) === getAccessKey(from);
  if (!isOwn) narrowed.add(record.document_id);
  return toStoredAccess(isOwn ? to : narrow(held, to));
}

/**
 * Writes the whole record. The engine's own update would build it from its source, which lacks the vector and the fields of its
 * language, so that the record would no longer be found by them.
 */
function rewriteRecord(
  { _id, _index, _seq_no, _primary_term, _source, fields }: Hit,
  access: StoredAccess,
  index: Mappings[string] = {},
): BulkAction {
  const others = Object.fromEntries(
    Object.entries(_source).filter(([column]) => !(accessColumns as readonly string[]).includes(column)),
  );
  const vector = fields?.vector?.[0];
  const analysis = findAnalysis(index.mappings ?? {});
  const record = {
    ...others,
    ...access,
    ...(vector ? { embedding: vector } : {}),
    ...(analysis ? buildLanguageFields(_source, analysis) : {}),
  };
  const place = { _id, _index, if_seq_no: _seq_no, if_primary_term: _primary_term };
  return { id: _id, lines: [JSON.stringify({ index: place }), JSON.stringify(record)] };
}

/** The readers of `held` who are also in `to`. */
function narrow(held: AccessList, to: AccessList): AccessList {
  const allowed = [...(to.allowed_users ?? []).map(toUserPrincipal), ...(to.allowed_principals ?? [])].toSorted();
  const more = allowed.includes(everybody) ? [] : [JSON.stringify(allowed)];
  const dedupe = (lists: readonly (readonly string[] | null | undefined)[]) => [
    ...new Set(lists.flatMap((list) => list ?? [])),
  ];
  return {
    ...held,
    denied_principals: dedupe([held.denied_principals, to.denied_principals]),
    required_lists: dedupe([held.required_lists, to.required_lists, more]),
  };
}

function buildRowForm({ required_lists: required = [], ...list }: Partial<StoredAccess>): AccessList {
  return { ...list, required_lists: required.map(({ principals }) => JSON.stringify(principals)) };
}
