import type { IndexSpec } from '../ports';
import type { ServerFacts } from './server-facts';

/**
 * Records of a segment whose graph takes less than half of the embedded server's heap of 512 MB while it is merged: about 470 bytes
 * a record with the default number of links. Without a bound, the server ends with an OutOfMemoryError at about a million records.
 */
const maxSegmentRecords = 400_000;
const defaultLinks = 16;
/** Bytes of the shortest records besides the vector. */
const leastTextBytes = 500;
const bytesOfNumber = 4;
/** The bound of the engine. */
const largestSegmentMb = 5 * 1024;

/** Settings for an index on the embedded server, whose memory is small. */
export function boundSegments({ vectorDimension = 0, m }: IndexSpec): Record<string, unknown> {
  const bytes =
    ((maxSegmentRecords * defaultLinks) / Math.max(m, defaultLinks)) *
    (vectorDimension * bytesOfNumber + leastTextBytes);
  return { 'merge.policy.max_merged_segment': `${Math.min(largestSegmentMb, Math.ceil(bytes / 2 ** 20))}mb` };
}

/** The mapping of the vector of a record. */
export function buildVectorField(spec: IndexSpec, dimension: number, server: ServerFacts): Record<string, unknown> {
  return {
    type: 'knn_vector',
    dimension,
    // A second copy of each vector, which only scripts of servers that cannot read the first one need.
    ...(server.readsVectors && spec.engine === 'lucene' ? { doc_values: false } : {}),
    method: {
      name: 'hnsw',
      engine: spec.engine,
      space_type: spec.spaceType,
      parameters: { m: spec.m, ef_construction: spec.efConstruction },
    },
  };
}
