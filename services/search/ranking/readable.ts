import type { Send } from '../connection';
import type { Hits } from '../hits';
import type { PreparedSearch } from '../request';

interface Tools {
  send: Send;
  /** The read alias. */
  alias: string;
}

/**
 * Of up to this many readable records, every vector is compared. The graph of each segment costs as much as comparing about 3,000
 * vectors, and more where rights or filters leave few of its records.
 */
const maxCompared = 30_000;

/** The indexes in which the filters, access rule included, leave records. */
export async function listReadableIndexes(
  { send, alias }: Tools,
  filter: PreparedSearch['filter'],
): Promise<ReadonlySet<string>> {
  const reply = (await send({
    method: 'POST',
    path: `/${encodeURIComponent(alias)}/_search`,
    query: { ignore_unavailable: true, allow_no_indices: true, allow_partial_search_results: false },
    body: {
      size: 0,
      track_total_hits: false,
      query: { bool: { filter } },
      aggs: { indexes: { terms: { field: '_index', size: 10_000 } } },
    },
  })) as { aggregations?: { indexes: { buckets: { key: string }[] } } } | undefined;
  return new Set(reply?.aggregations?.indexes.buckets.map(({ key }) => key));
}

/** Whether the filters, access rule included, leave so few records that all vectors can be compared. */
export async function hasFewRecords({ send, alias }: Tools, filter: PreparedSearch['filter']): Promise<boolean> {
  const reply = (await send({
    method: 'POST',
    path: `/${encodeURIComponent(alias)}/_search`,
    query: { ignore_unavailable: true, allow_no_indices: true, allow_partial_search_results: false },
    body: { size: 0, track_total_hits: maxCompared + 1, query: { bool: { filter } } },
  })) as Hits | undefined;
  return reply !== undefined && reply.hits.total.value <= maxCompared;
}
