import { AppError, type ErrorCode } from '../../../model/errors';
import {
  describeEmbedding,
  IndexEmbedding,
  findIndexEmbedding,
  isSameEmbedding,
  type QueryEmbedding,
} from '../../../model/llm/index-embedding';
import { listProblems } from '../../../model/validate';
import type { Embedder } from '../../embedding/embedder';
import { createFieldError } from '../fields';

/** Indexes with comparable vectors, and the embedder for queries. */
export interface VectorGroup {
  indexes: string[];
  embedding: IndexEmbedding;
  dimension: number;
  /** The engine's measure of similarity. */
  space?: string | undefined;
  /** True if comparing every vector gives the scores that the graph gives. */
  isComparable: boolean;
}

/** The mapping of an index as the engine returns it. */
export interface IndexMapping {
  mappings: {
    _meta?: { embedding?: unknown };
    properties?: { embedding?: { dimension?: number; method?: { engine?: string; space_type?: string } } };
  };
}

/** Whether queries may be sent to the model server at this address. */
export type MayFetch = (apiBase: string) => boolean;

const queryTimeoutSeconds = 5;
/** Failures caused by the index or the request, not by an outage. */
const unavailable: readonly ErrorCode[] = [
  'OPERATOR_CONFIGURATION_INVALID',
  'INVALID_CONFIGURATION',
  'ADDRESS_NOT_ALLOWED',
  'LOCALMODEL_MODEL_NOT_FOUND',
  'HOSTEDMODEL_MODEL_NOT_FOUND',
  'HOSTEDMODEL_AUTH_FAILED',
  'EMBEDDING_REFUSED',
  'EMBEDDING_DIMENSION_MISMATCH',
];

/** Indexes that can be searched by vectors, and why others cannot. */
export interface GroupedIndexes {
  groups: VectorGroup[];
  /** VALIDATION_ERRORs. */
  left: AppError[];
}

/**
 * The indexes with vectors, by embedder and dimension, across the hosts that ran the model: an approved host of a group is
 * used. `requested` excludes other embedders, and is assumed for indexes that do not record theirs.
 */
export function groupIndexes(
  mappings: Readonly<Record<string, IndexMapping>>,
  requested: QueryEmbedding | undefined,
  mayAsk: MayFetch,
): GroupedIndexes {
  const left = new Map<string, AppError>();
  const leave = (error: AppError) => left.set(error.message, error);
  const requestedEmbedding = requested && findIndexEmbedding({ type: requested.type, provider_config: requested });
  const groups = new Map<string, VectorGroup>();
  for (const [name, { mappings: mapping }] of Object.entries(mappings)) {
    const field = mapping.properties?.embedding;
    if (field?.dimension === undefined) continue;
    const stored = findEmbedding(mapping._meta?.embedding);
    if (stored && requestedEmbedding && !isSameEmbedding(stored, requestedEmbedding)) continue;
    const embedding = stored ?? requestedEmbedding;
    if (!embedding) {
      leave(
        createFieldError(
          'mode',
          'Documents that you may read are in an index that does not record the embedder of its vectors. Name the embedder in `embedding`, or use the mode text.',
        ),
      );
      continue;
    }
    if (field.method?.engine === 'nmslib') {
      leave(
        createFieldError(
          'mode',
          'Documents that you may read are in an index of the engine nmslib, which cannot apply access lists inside a vector search. Use the mode text.',
        ),
      );
      continue;
    }
    const space = field.method?.space_type;
    const key = JSON.stringify([embedding.type, embedding.model_id, field.dimension, space]);
    const group = groups.get(key) ?? { indexes: [], embedding, dimension: field.dimension, space, isComparable: true };
    if (!isApproved(group.embedding, mayAsk)) group.embedding = embedding;
    // Other engines scale scores in a way of their own.
    if (field.method?.engine !== 'lucene') group.isComparable = false;
    group.indexes.push(name);
    groups.set(key, group);
  }
  return { groups: [...groups.values()], left: [...left.values()] };
}

const isApproved = ({ api_base: address }: IndexEmbedding, mayAsk: MayFetch) =>
  address === undefined || mayAsk(address);

function findEmbedding(stored: unknown): IndexEmbedding | undefined {
  return stored !== undefined && listProblems(IndexEmbedding, stored).length === 0
    ? (stored as IndexEmbedding)
    : undefined;
}

/** Indexes, and the query as their vector. */
export interface EmbeddedGroup {
  group: VectorGroup;
  vector: number[];
}

interface EmbedTools {
  embedder: Embedder;
  mayAsk: MayFetch;
  signal: AbortSignal;
}

/**
 * Starts embedding the query with the default embedder, which most indexes need. Returns its dimension; undefined if there
 * is none.
 */
export async function embedAhead(
  { builtin, embedder, mayAsk, signal }: EmbedTools & { builtin: IndexEmbedding },
  query: string,
): Promise<number | undefined> {
  if (builtin.type === 'hashing') return undefined;
  // A failure is reported by the group that needs the vector.
  const vector = await readVector(query, { embedding: builtin }, embedder, { mayAsk, signal }).catch(() => undefined);
  return vector?.length;
}

/** The query as a vector of each group, and why that did not work for others. */
export async function embedForAll(
  tools: EmbedTools,
  query: string,
  groups: readonly VectorGroup[],
): Promise<{ embedded: EmbeddedGroup[]; failed: AppError[] }> {
  const outcomes = await Promise.allSettled(groups.map((group) => embedQuery(query, group, tools.embedder, tools)));
  tools.signal.throwIfAborted();
  const embedded: EmbeddedGroup[] = [];
  const failed: AppError[] = [];
  for (const [position, group] of groups.entries()) {
    const outcome = outcomes[position];
    if (outcome?.status === 'fulfilled') embedded.push({ group, vector: outcome.value });
    else if (outcome?.reason instanceof AppError) failed.push(outcome.reason);
    else throw outcome?.reason;
  }
  return { embedded, failed };
}

/**
 * The query as a vector of the group. Throws VALIDATION_ERROR if its embedder is not available here; errors of outages are
 * passed on.
 */
export async function embedQuery(
  query: string,
  group: VectorGroup,
  embedder: Embedder,
  asking: { mayAsk: MayFetch; signal: AbortSignal },
): Promise<number[]> {
  const vector = await readVector(query, group, embedder, asking);
  if (vector?.length === group.dimension) return vector;
  throw createFieldError(
    'embedding',
    `The embedder ${describeEmbedding(group.embedding)} returns vectors of ${vector?.length ?? 0} dimensions; the index holds vectors of ${group.dimension}.`,
  );
}

/** As `embedQuery`, of any dimension; `dimension` is needed for hashing only. */
export async function readVector(
  query: string,
  { embedding, dimension }: Pick<VectorGroup, 'embedding'> & { dimension?: number },
  embedder: Embedder,
  { mayAsk, signal }: { mayAsk: MayFetch; signal: AbortSignal },
): Promise<number[] | undefined> {
  const { type, ...provider } = embedding;
  const who = describeEmbedding(embedding);
  if (!isApproved(embedding, mayAsk)) {
    throw createFieldError(
      'mode',
      `The embedder ${who} is not available to searches: its host is not a model server that the operator approved for searches (DOCLOOM_SEARCH_EMBEDDERS). Use the mode text.`,
    );
  }
  const config = {
    type,
    purpose: 'query',
    provider_config: {
      ...provider,
      ...(type === 'hashing' ? { dimensions: dimension } : {}),
      timeout: queryTimeoutSeconds,
      max_retries: 0,
    },
  };
  const [vector] = await embedder.embed([query], config, signal).catch((error: unknown) => {
    if (!(error instanceof AppError) || !unavailable.includes(error.code)) throw error;
    throw new AppError(
      'VALIDATION_ERROR',
      `The embedder ${who} is not available to searches: ${error.message} Use the mode text.`,
      { target: { type: 'field', name: 'mode' } },
      error,
    );
  });
  return vector;
}
