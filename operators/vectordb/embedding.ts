import { buildEffectiveConfig } from '../../model/flow/config';
import type { FlowDefinition } from '../../model/flow/flow';
import { findAncestors, readGraph } from '../../model/flow/graph';
import { type IndexEmbedding, findIndexEmbedding } from '../../model/llm/index-embedding';
import { defaultColumn } from './schema';

/** The embedder that creates the vectors of `column` before the operator `name`; undefined unless there is exactly one. */
export function findEmbeddingBefore(flow: FlowDefinition, name: string, column: string): IndexEmbedding | undefined {
  const before = findAncestors(readGraph(flow), name);
  const embeddings = flow.flow
    .filter((operator) => operator.type === 'embeddings' && before.has(operator.name))
    .map((operator) => buildEffectiveConfig(flow, operator))
    .filter((config) => (config['embeddings_column'] ?? defaultColumn) === column)
    .map(findIndexEmbedding);
  const distinct = new Set(embeddings.map((item) => JSON.stringify(item)));
  return distinct.size === 1 ? embeddings[0] : undefined;
}
