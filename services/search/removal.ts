import { type BulkOptions, sendBulk } from './bulk';
import type { SearchConnection } from './connection';
import type { RemovalScope } from './ports';

const pageSize = 1_000;

interface Found {
  hits: {
    hits: {
      _index: string;
      _id: string;
      _seq_no: number;
      _primary_term: number;
      sort: unknown[];
      _source?: { content?: string };
    }[];
  };
}

/**
 * Removes the records and returns their number. Not every distribution can delete by query, so they are searched and deleted
 * by id; a record that is rewritten in between is not removed. With `isFresh` false the index is refreshed first, so that
 * recent writes are visible.
 */
export async function removeRecords(
  connection: SearchConnection,
  index: string,
  scope: RemovalScope,
  options: BulkOptions & { isFresh: boolean },
): Promise<number> {
  if (scope.documentIds.length === 0) return 0;
  const call = { timeoutMs: options.timeoutMs, accept: [404] };
  const path = `/${encodeURIComponent(index)}`;
  if (!options.isFresh) await connection.send({ method: 'POST', path: `${path}/_refresh` }, call);
  let removed = 0;
  for (let from = 0; from < scope.documentIds.length; from += pageSize) {
    const query = buildRemovalQuery(scope, scope.documentIds.slice(from, from + pageSize));
    let after: unknown[] | undefined;
    for (;;) {
      const body = {
        query,
        size: pageSize,
        _source: scope.onTexts ? ['content'] : false,
        seq_no_primary_term: true,
        sort: [{ id: 'asc' }],
        ...(after ? { search_after: after } : {}),
      };
      const reply = await connection.send(
        { method: 'POST', path: `${path}/_search`, query: { allow_partial_search_results: false }, body },
        call,
      );
      const hits = reply.status === 404 ? [] : (reply.body as Found).hits.hits;
      await scope.onTexts?.(hits.flatMap(({ _source }) => _source?.content ?? []));
      removed += await deleteHits(connection, index, hits, options);
      if (hits.length < pageSize) break;
      after = hits.at(-1)?.sort;
    }
  }
  return removed;
}

function buildRemovalQuery(
  { jobId, keepRunId }: RemovalScope,
  documentIds: readonly string[],
): Record<string, unknown> {
  return {
    bool: {
      filter: [{ term: { job_id: jobId } }, { terms: { document_id: documentIds } }],
      must_not: keepRunId === undefined ? [] : [{ term: { run_id: keepRunId } }],
    },
  };
}

async function deleteHits(
  connection: SearchConnection,
  index: string,
  hits: Found['hits']['hits'],
  options: BulkOptions,
): Promise<number> {
  const actions = hits.map((hit) => ({
    id: hit._id,
    lines: [
      JSON.stringify({
        delete: { _id: hit._id, _index: hit._index, if_seq_no: hit._seq_no, if_primary_term: hit._primary_term },
      }),
    ],
  }));
  if (actions.length === 0) return 0;
  // Not counted: 409 means rewritten since the search, 404 already removed. `refused` contains only the 409s, because 404
  // is not an error.
  const refused = await sendBulk(connection, index, actions, options);
  return actions.length - refused.length;
}
