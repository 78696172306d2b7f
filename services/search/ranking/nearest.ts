import type { PreparedSearch } from '../request';
import type { VectorGroup } from './vectors';

/** A search by a vector: the filters, access rule included, and the number of hits. */
interface Nearness {
  vector: number[];
  depth: number;
  filter: PreparedSearch['filter'];
}

/** The filter is inside the knn clause: next to it, it would only remove hits from the nearest of all documents. */
export function buildGraphQuery(_group: VectorGroup, { vector, depth, filter }: Nearness): Record<string, unknown> {
  return { query: { knn: { embedding: { vector, k: depth, filter: { bool: { filter } } } } } };
}

/** Compares the vectors of all records that the filters leave, and gives the same scores as the graph. */
export function buildComparison({ space }: VectorGroup, { vector, filter }: Nearness): Record<string, unknown> {
  const script = {
    lang: 'knn',
    source: 'knn_score',
    params: { field: 'embedding', query_value: vector, space_type: space },
  };
  // Records without a vector would get a score, too.
  const query = { bool: { filter: [...filter, { exists: { field: 'embedding' } }] } };
  return { query: { script_score: { query, script } } };
}
