import {
  accessColumns,
  getAccessKey,
  everybody,
  type StoredAccess,
  toStoredAccess,
  toUserPrincipal,
} from '../../model/access-list';
import type { AccessList } from '../../model/access-list';
import { type BulkAction, type BulkOptions, sendBulk } from './bulk';
import type { SearchConnection } from './connection';
import type { SearchTarget } from './ports';

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
   * Returns the documents with a record that is now narrower than their list, or that was written at the same moment by another
   * process.
   */
  changeAccess(index: string, change: AccessChange, target?: SearchTarget): Promise<{ narrowed: Set<string> }>;
}

const page = 1_000;
const documentsTogether = 200;

interface Hit {
  _index: string;
  _id: string;
  _seq_no: number;
  _primary_term: number;
  sort: unknown[];
  _source: Partial<StoredAccess> & { document_id: string };
}

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
  for (let from = 0; from < ids.length; from += documentsTogether) {
    const filter = [{ term: { job_id: jobId } }, { terms: { document_id: ids.slice(from, from + documentsTogether) } }];
    let after: unknown[] | undefined;
    for (;;) {
      const body = {
        query: { bool: { filter } },
        size: page,
        _source: ['document_id', ...accessColumns],
        seq_no_primary_term: true,
        sort: [{ id: 'asc' }],
        ...(after ? { search_after: after } : {}),
      };
      const reply = await connection.send(
        { method: 'POST', path: `${path}/_search`, query: { allow_partial_search_results: false }, body },
        call,
      );
      const hits = reply.status === 404 ? [] : (reply.body as { hits: { hits: Hit[] } }).hits.hits;
      const actions = hits.flatMap((hit) => getAction(hit, documents.get(hit._source.document_id)!, narrowed));
      const refused = new Set((await sendBulk(connection, index, actions, options)).map(({ id }) => id));
      for (const hit of hits) if (refused.has(hit._id)) narrowed.add(hit._source.document_id);
      if (hits.length < page) break;
      after = hits.at(-1)?.sort;
    }
  }
  await refresh();
  return { narrowed };
}

function getAction(hit: Hit, { from, to }: { from: AccessList; to: AccessList }, narrowed: Set<string>): BulkAction[] {
  const { document_id: documentId, ...own } = hit._source;
  const held = buildRowForm(own);
  if (getAccessKey(held) === getAccessKey(to)) return [];
  const isOwn = getAccessKey(held) === getAccessKey(from);
  if (!isOwn) narrowed.add(documentId);
  const next = toStoredAccess(isOwn ? to : narrow(held, to));
  // An update merges, so what is no longer in the list must be emptied.
  const doc = Object.fromEntries(
    accessColumns.filter((column) => column in own || column in next).map((column) => [column, next[column] ?? []]),
  );
  const place = { _id: hit._id, _index: hit._index, if_seq_no: hit._seq_no, if_primary_term: hit._primary_term };
  return [{ id: hit._id, lines: [JSON.stringify({ update: place }), JSON.stringify({ doc })] }];
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
