import { buildEffectiveConfig } from '../../model/flow/config';
import type { FlowOperator } from '../../model/flow/flow';
import { findAncestors, readGraph } from '../../model/flow/graph';
import { describeEmbedding, findIndexEmbedding, isSameEmbedding } from '../../model/llm/index-embedding';
import type { IndexFacts } from '../../services/search/index';
import { defaultColumn, embeddings } from '../embeddings/schema';
import type { Finding, Inspection, InspectionContext } from '../inspection';
import { findSearchTarget } from './provider-config';

const pointer = '/index_name';

/** Compares the index, if it exists, with the vectors that the flow produces. */
export const inspection: Inspection = {
  pointer,
  async inspect(context) {
    const { config, services, signal } = context;
    const embedder = findEmbedder(context);
    const dimension = embedder && (await context.resultOf(embedder.name))?.vectorDimension;
    const declared = config['vector_dimension'];
    const errors: Finding[] = [];
    if (typeof declared === 'number' && dimension !== undefined && dimension !== declared)
      errors.push({
        code: 'EMBEDDING_DIMENSION_MISMATCH',
        message: `vector_dimension is ${declared}; the model of '${embedder?.name}' produces vectors of ${dimension} dimensions.`,
        pointer: '/vector_dimension',
      });
    const target = findSearchTarget(config);
    const facts = await services.search.describeIndex(String(config['index_name']), target, signal);
    if (facts) {
      const problem = compareIndex(context, facts, dimension ?? (typeof declared === 'number' ? declared : undefined));
      return { errors: problem ? [...errors, problem] : errors };
    }
    const { engine } = (config['provider_config'] ?? {}) as { engine?: unknown };
    // An existing index already has its engine.
    if (typeof engine === 'string') await services.search.checkEngine(engine, target, signal);
    return { errors };
  },
};

function compareIndex(
  context: InspectionContext,
  facts: IndexFacts,
  expected: number | undefined,
): Finding | undefined {
  const name = String(context.config['index_name']);
  const createFinding = (message: string, code = 'SEARCH_INDEX_ERROR') => ({ code, message, pointer });
  if (facts.lacks.length > 0)
    return createFinding(`The index '${name}' was not created by Docloom: it lacks ${facts.lacks.join(', ')}.`);
  if (expected === undefined) return undefined;
  if (facts.dimension === undefined)
    return createFinding(`The index '${name}' was created without vectors; choose another index_name.`);
  if (facts.dimension !== expected)
    return createFinding(
      `The index '${name}' holds vectors of ${facts.dimension} dimensions; those of the flow have ${expected}.`,
      'EMBEDDING_DIMENSION_MISMATCH',
    );
  const embedder = findEmbedder(context);
  const embedding = embedder && findIndexEmbedding(buildEffectiveConfig(context.flow, embedder));
  if (!embedding || !facts.embedding || isSameEmbedding(embedding, facts.embedding)) return undefined;
  return createFinding(
    `The index '${name}' holds vectors of the embedder ${describeEmbedding(facts.embedding)}; the flow has ${describeEmbedding(embedding)}.`,
  );
}

/** The only embeddings operator whose vectors reach the operator; undefined if there is none or more than one. */
function findEmbedder({ flow, operator, config }: InspectionContext): FlowOperator | undefined {
  const before = findAncestors(readGraph(flow), operator.name);
  const column = config['embeddings_column'] ?? defaultColumn;
  const matches = flow.flow.filter(
    (other) =>
      other.type === embeddings.name &&
      before.has(other.name) &&
      (buildEffectiveConfig(flow, other)['embeddings_column'] ?? defaultColumn) === column,
  );
  return matches.length === 1 ? matches[0] : undefined;
}
