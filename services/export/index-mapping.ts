import { buildMappings } from '../search/mapping';

/** How Elasticsearch compares vectors. */
export type Similarity = 'cosine' | 'dot_product' | 'l2_norm' | 'max_inner_product';

/** An index as the server describes it. */
export interface MappedIndex {
  mappings: {
    _meta?: { made_by?: string; purpose?: string };
    properties?: Record<string, { type?: string; dims?: number }>;
  };
  settings: { index: { uuid: string } };
}

/** The `_meta` in the mapping of an index of exports. */
const mark = { made_by: 'docloom', purpose: 'export' } as const;

/** True for an index that an export created, in this or another installation. */
export function isExportIndex({ mappings: { _meta } }: Pick<MappedIndex, 'mappings'>): boolean {
  return _meta?.made_by === mark.made_by && _meta.purpose === mark.purpose;
}

/** The settings of indexes of exports. Elasticsearch has no setting for vectors. */
export const exportSettings = {
  index: { auto_expand_replicas: '0-1', 'mapping.total_fields.limit': 5_000 },
} as const;

/** The fields are those of the search index, without languages; vectors are `dense_vector`, the type of Elasticsearch. */
export function buildExportMappings(
  similarity: Similarity,
  dimension: number | undefined,
): Record<string, unknown> & { properties: Record<string, unknown> } {
  const spec = { name: '', engine: 'lucene', spaceType: '', m: 0, efConstruction: 0 } as const;
  const common = buildMappings(spec, { isAnalysed: false });
  const vector = { type: 'dense_vector', dims: dimension, index: true, similarity };
  return {
    ...common,
    _meta: { ...mark, version: 1 },
    properties: {
      ...(common['properties'] as Record<string, unknown>),
      ...(dimension === undefined ? {} : { embedding: vector }),
    },
  };
}
