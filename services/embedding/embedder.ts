import type { Config } from '../../model/config';
import { AppError } from '../../model/errors';
import {
  defaultEmbeddingsType,
  defaultOverlapRatio,
  defaultTokenLimit,
  EmbeddingsProviderConfig,
  EmbeddingsTextConfig,
  type EmbeddingsType,
  embeddingsTypes,
  findEmbeddingsType,
  hashingDimension,
} from '../../model/llm/embeddings';
import { createEmptyUsage } from '../../model/llm/model-host';
import type { ModelUsage } from '../../model/llm/model-host';
import { parse } from '../../model/validate';
import { buildModelHost } from '../llm/host';
import { createLlm, type LlmConfig } from '../llm/llm';
import type { AddressGuard } from '../net/address-guard';
import { getBuiltinEmbedding } from './builtin';
import type { EmbeddingCache } from './embedding-cache';
import { embedByHashing } from './hashing';
import { createOnnxEmbedder, type OnnxEmbedder } from './onnx';
import { listPieces, averageVectors } from './pieces';
import { embedWithCache } from './remembered';

/** Called while texts are embedded: after each part of the work, and for every request to a model host. */
export interface EmbeddingCallbacks {
  progress?: (done: number) => void;
  onUsage?: (usage: ModelUsage) => void;
}

/** Turns texts into vectors of equal length, in the same order. */
export interface Embedder {
  embed(
    texts: readonly string[],
    config: Record<string, unknown>,
    signal: AbortSignal,
    callbacks?: EmbeddingCallbacks,
  ): Promise<number[][]>;
}

/** Returns the embedder of a run that acts for these people. Its cache excludes embeddings for others. */
export type EmbedderFor = (people: readonly string[]) => Embedder;

/** Services that an embedder shares with others of its process. */
export interface EmbedderDeps {
  cache?: EmbeddingCache;
  guard?: AddressGuard;
  llm?: ReturnType<typeof createLlm>;
  onnx?: OnnxEmbedder;
}

/** Servers reject empty inputs, so a text without visible characters is sent as this text. */
const emptyText = '(empty)';

/**
 * Creates the embedder for all types. Each call names one in its configuration: `type` (or `provider`) and `provider_config`,
 * with secrets resolved. Texts longer than `token_limit` are split, and the vectors of the pieces averaged. With a cache, no text
 * is sent twice. `close` closes only what the embedder created itself.
 */
export function createEmbedder(
  config: LlmConfig & Partial<Pick<Config, 'DOCLOOM_MODELS_FOLDER' | 'DOCLOOM_EMBEDDING_THREADS'>>,
  { cache, guard, llm: shared, onnx: given }: EmbedderDeps = {},
): Embedder & { close(): void; forPeople: EmbedderFor } {
  const llm = shared ?? createLlm(config, guard);
  const onnx = given ?? createOnnxEmbedder(config.DOCLOOM_MODELS_FOLDER, config.DOCLOOM_EMBEDDING_THREADS);
  const forPeople: EmbedderFor = (people) => ({
    async embed(texts, request, signal, callbacks = {}) {
      signal.throwIfAborted();
      const settings = replaceBuiltin(request, config.DOCLOOM_MODELS_FOLDER);
      const provider = checkConfig(EmbeddingsProviderConfig, settings['provider_config'] ?? {}, 'provider_config');
      const type = readType(settings);
      if (type === 'hashing')
        return await embedByHashing(texts, provider.dimensions ?? hashingDimension, signal, callbacks.progress);
      const splitting = checkConfig(EmbeddingsTextConfig, settings, 'configuration');
      const overlapRatio = splitting.overlap_ratio ?? defaultOverlapRatio;
      if (type !== 'onnx') {
        const limits = { tokenLimit: splitting.token_limit ?? defaultTokenLimit, overlapRatio };
        const space = buildCacheSpace(settings, provider, people);
        return await embedOnHost(texts, { llm, cache, settings, provider, limits, space }, signal, callbacks);
      }
      const purpose = settings['purpose'] === 'query' ? 'query' : 'passage';
      const limits = { tokenLimit: splitting.token_limit, overlapRatio };
      const options = { ...provider, ...limits, purpose, fairnessKey: JSON.stringify(people) } as const;
      const vectors = await onnx.embed(texts, options, signal, callbacks.progress);
      checkDimensions(vectors, provider);
      return vectors;
    },
  });
  return { ...forPeople([]), forPeople, close: () => (llm === shared ? undefined : llm.close()) };

  /**
   * Cache namespace: the settings that determine a vector, and the people who may know that a text was embedded. Otherwise
   * response times or usage counts would reveal to anyone that somebody had embedded the same text.
   */
  function buildCacheSpace(
    settings: Record<string, unknown>,
    { dimensions }: EmbeddingsProviderConfig,
    people: readonly string[],
  ): string {
    const { host } = buildModelHost(settings, config);
    const determining = [host.type, host.protocol, host.base.href, host.modelId, dimensions ?? null];
    return JSON.stringify([...determining, [...new Set(people)].toSorted()]);
  }
}

/** The work of a model host. `space` is the namespace of its cache. */
interface HostWork {
  llm: ReturnType<typeof createLlm>;
  cache: EmbeddingCache | undefined;
  settings: Record<string, unknown>;
  provider: EmbeddingsProviderConfig;
  limits: { tokenLimit: number; overlapRatio: number };
  space: string;
}

async function embedOnHost(
  texts: readonly string[],
  { llm, cache, settings, provider, limits, space }: HostWork,
  signal: AbortSignal,
  { progress, onUsage }: EmbeddingCallbacks,
): Promise<number[][]> {
  const pieces = texts.map((text) =>
    listPieces(text.trim() === '' ? emptyText : text, limits.tokenLimit, limits.overlapRatio),
  );
  const pieceTexts = pieces.flat();
  const vectors = await embedWithCache(pieceTexts, {
    cache,
    space,
    onCached: (fromCache) => onUsage?.({ ...createEmptyUsage(), fromCache }),
    progress: (done) => progress?.(Math.floor((done / Math.max(1, pieceTexts.length)) * texts.length)),
    request: (missing, onBatch) =>
      llm.embed(missing, settings, {
        signal,
        ...(provider.dimensions === undefined ? {} : { dimensions: provider.dimensions }),
        batch: {
          ...(provider.batch_size === undefined ? {} : { maxTexts: provider.batch_size }),
          ...(provider.tokens_per_request === undefined ? {} : { maxTokens: provider.tokens_per_request }),
        },
        onBatch,
        onUsage,
      }),
  });
  checkDimensions(vectors, provider);
  progress?.(texts.length);
  let next = 0;
  return pieces.map((pieces) => averageVectors(pieces, vectors.slice(next, (next += pieces.length))));
}

/** Resolves settings of the type `builtin` to those of the actual embedder; other settings are unchanged. */
function replaceBuiltin(settings: Record<string, unknown>, modelsFolder: string | undefined): Record<string, unknown> {
  const setting = settings['type'] ?? settings['provider'] ?? defaultEmbeddingsType;
  if (typeof setting !== 'string' || findEmbeddingsType(setting) !== 'builtin') return settings;
  const { type, model_id } = getBuiltinEmbedding(modelsFolder);
  return { ...settings, type, ...(model_id === undefined ? {} : { provider_config: { model_id } }) };
}

function readType(settings: Record<string, unknown>): EmbeddingsType {
  const setting = settings['type'] ?? settings['provider'] ?? defaultEmbeddingsType;
  const type = typeof setting === 'string' ? findEmbeddingsType(setting) : undefined;
  if (type !== undefined) return type;
  throw new AppError(
    'OPERATOR_CONFIGURATION_INVALID',
    `The embeddings type is ${JSON.stringify(setting)}; it must be one of ${Object.keys(embeddingsTypes).join(', ')}.`,
  );
}

function checkConfig<S extends typeof EmbeddingsProviderConfig | typeof EmbeddingsTextConfig>(
  schema: S,
  value: unknown,
  what: string,
) {
  const copy = structuredClone(value);
  return parse(schema, copy, `The ${what} of the embeddings operator`, 'OPERATOR_CONFIGURATION_INVALID');
}

function checkDimensions(vectors: readonly number[][], { dimensions, model_id }: EmbeddingsProviderConfig): void {
  const expected = dimensions ?? vectors[0]?.length;
  const other = vectors.find(({ length }) => length !== expected);
  if (!other) return;
  const reason =
    dimensions === undefined ? 'other vectors of the same call have' : 'the configuration (dimensions) asks for';
  throw new AppError(
    'EMBEDDING_DIMENSION_MISMATCH',
    `The model '${model_id}' returned a vector of ${other.length} dimensions; ${reason} ${expected}.`,
  );
}
