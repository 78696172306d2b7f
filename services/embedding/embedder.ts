import type { Config } from '../../model/config';
import {
  defaultEmbeddingsType,
  defaultOverlapRatio,
  defaultTokenLimit,
  EmbeddingsProviderConfig,
  EmbeddingsTextConfig,
  embeddingsTypes,
  findEmbeddingsType,
  hashingDimension,
} from '../../model/llm/embeddings';
import { AppError } from '../../model/errors';
import { noUsage } from '../../model/llm/model-host';
import { parse } from '../../model/validate';
import { builtinEmbedding } from './builtin';
import { embedByHashing } from './hashing';
import { createOnnxEmbedder } from './onnx';
import { piecesOf, averageVectors } from './pieces';
import { embedWithCache } from './remembered';
import { createLlm, type LlmConfig } from '../llm/llm';
import { modelHostOf } from '../llm/host';
import type { AddressGuard } from '../net/address-guard';
import type { EmbeddingCache } from './embedding-cache';
import type { ModelUsage } from '../../model/llm/model-host';

/** Turns texts into vectors of equal length, in the same order. `onUsage` is called for every request to a model host. */
export interface Embedder {
  embed(
    texts: readonly string[],
    config: Record<string, unknown>,
    signal: AbortSignal,
    progress?: (done: number) => void,
    onUsage?: (usage: ModelUsage) => void,
  ): Promise<number[][]>;
}

/** Returns the embedder of a run that acts for these people. Its cache excludes what was embedded for others. */
export type EmbedderFor = (people: readonly string[]) => Embedder;

/** Services that an embedder shares with others of its process. */
export interface EmbedderDeps {
  cache?: EmbeddingCache;
  guard?: AddressGuard;
  llm?: ReturnType<typeof createLlm>;
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
  { cache, guard, llm: shared }: EmbedderDeps = {},
): Embedder & { close(): void; forPeople: EmbedderFor } {
  const llm = shared ?? createLlm(config, guard);
  const onnx = createOnnxEmbedder(config.DOCLOOM_MODELS_FOLDER, config.DOCLOOM_EMBEDDING_THREADS);
  const forPeople: EmbedderFor = (people) => ({
    async embed(texts, settings, signal, progress, onUsage) {
      signal.throwIfAborted();
      const given = settings['type'] ?? settings['provider'] ?? defaultEmbeddingsType;
      const named = typeof given === 'string' ? findEmbeddingsType(given) : undefined;
      if (named === 'builtin') {
        const { type: own, model_id } = builtinEmbedding(config.DOCLOOM_MODELS_FOLDER);
        const known = { ...settings, type: own, ...(model_id === undefined ? {} : { provider_config: { model_id } }) };
        return await this.embed(texts, known, signal, progress, onUsage);
      }
      const type = named;
      const provider = checkConfig(EmbeddingsProviderConfig, settings['provider_config'] ?? {}, 'provider_config');
      if (type === undefined) {
        throw new AppError(
          'OPERATOR_CONFIGURATION_INVALID',
          `The embeddings type is ${JSON.stringify(given)}; it must be one of ${Object.keys(embeddingsTypes).join(', ')}.`,
        );
      }
      if (type === 'hashing')
        return await embedByHashing(texts, provider.dimensions ?? hashingDimension, signal, progress);
      const { token_limit, overlap_ratio = defaultOverlapRatio } = checkConfig(
        EmbeddingsTextConfig,
        settings,
        'configuration',
      );
      if (type === 'onnx') {
        const limits = { tokenLimit: token_limit, overlapRatio: overlap_ratio };
        const purpose = settings['purpose'] === 'query' ? 'query' : 'passage';
        const found = await onnx.embed(texts, { ...provider, ...limits, purpose }, signal, progress);
        checkDimensions(found, provider);
        return found;
      }
      const limit = token_limit ?? defaultTokenLimit;
      const pieces = texts.map((text) => piecesOf(text.trim() === '' ? emptyText : text, limit, overlap_ratio));
      const all = pieces.flat();
      const reached = (done: number) => progress?.(Math.floor((done / Math.max(1, all.length)) * texts.length));
      const vectors = await embedWithCache(all, {
        cache,
        space: spaceOf(settings, provider, people),
        onCached: (fromCache) => onUsage?.({ ...noUsage(), fromCache }),
        progress: reached,
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
      return pieces.map((own) => averageVectors(own, vectors.slice(next, (next += own.length))));
    },
  });
  return { ...forPeople([]), forPeople, close: () => (llm === shared ? undefined : llm.close()) };

  /**
   * Cache namespace: the settings that determine a vector, and the people who may know that a text was embedded. Otherwise
   * response times or usage counts would reveal to anyone that somebody had embedded the same text.
   */
  function spaceOf(
    settings: Record<string, unknown>,
    { dimensions }: EmbeddingsProviderConfig,
    people: readonly string[],
  ): string {
    const { host } = modelHostOf(settings, config);
    const makes = [host.type, host.protocol, host.base.href, host.modelId, dimensions ?? null];
    return JSON.stringify([...makes, [...new Set(people)].toSorted()]);
  }
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
    `The model '${model_id}' gave a vector of ${other.length} dimensions; ${reason} ${expected}.`,
  );
}
