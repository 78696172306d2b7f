import type { Config } from '../model/config';
import {
  defaultEmbeddingsType,
  EmbeddingsProviderConfig,
  embeddingsTypes,
  findEmbeddingsType,
  hashingDimension,
} from '../model/embeddings';
import { AppError } from '../model/errors';
import { parse } from '../model/validate';
import { createAddressGuard } from './address-guard';
import { embedByHashing } from './embedder-hashing';
import { embedByOpenAi, type OpenAiSettings } from './embedder-openai';
import { createHttpJson } from './http-json';
import type { Embedder } from './ports';

/**
 * The embedder of all types. Per call the configuration says which: `type` (or `provider`) and `provider_config`, secrets
 * resolved. Hosts named there pass the address guard; the configured LOCALMODEL_HOST is the operator's own and does not.
 */
export function createEmbedder(
  config: Pick<Config, 'DOCLOOM_ALLOWED_HOSTS' | 'LOCALMODEL_HOST'>,
): Embedder & { close(): void } {
  const guarded = createHttpJson(createAddressGuard(config.DOCLOOM_ALLOWED_HOSTS));
  const localHost = URL.canParse(config.LOCALMODEL_HOST)
    ? new URL(config.LOCALMODEL_HOST).hostname
    : config.LOCALMODEL_HOST;
  const local = createHttpJson(createAddressGuard([...config.DOCLOOM_ALLOWED_HOSTS, localHost]));
  return {
    async embed(texts, settings, signal, progress) {
      signal.throwIfAborted();
      const given = settings['type'] ?? settings['provider'] ?? defaultEmbeddingsType;
      const type = typeof given === 'string' ? findEmbeddingsType(given) : undefined;
      const provider = parse(
        EmbeddingsProviderConfig,
        structuredClone(settings['provider_config'] ?? {}),
        'The provider_config of the embeddings operator',
        'OPERATOR_CONFIGURATION_INVALID',
      );
      switch (type) {
        case 'hashing':
          return await embedByHashing(texts, provider.dimensions ?? hashingDimension, signal, progress);
        case 'local_api': {
          const http = provider.api_base === undefined ? local : guarded;
          return await embedByOpenAi(texts, openAiSettings(provider, config.LOCALMODEL_HOST), http, {
            signal,
            progress,
          });
        }
        case 'gateway':
        case 'hosted':
          throw new AppError(
            'OPERATOR_CONFIGURATION_INVALID',
            `The embeddings type '${type}' arrives with a later release; now there are hashing and local_api.`,
          );
        case undefined:
          throw new AppError(
            'OPERATOR_CONFIGURATION_INVALID',
            `The embeddings type is ${JSON.stringify(given)}; it must be one of ${Object.keys(embeddingsTypes).join(', ')}.`,
          );
      }
    },
    close() {
      guarded.close();
      local.close();
    },
  };
}

function openAiSettings(provider: EmbeddingsProviderConfig, localHost: string): OpenAiSettings {
  if (provider.model_id === undefined) {
    throw new AppError(
      'OPERATOR_CONFIGURATION_INVALID',
      'The embeddings type local_api needs provider_config.model_id, the name of the model.',
    );
  }
  return {
    apiBase: provider.api_base ?? `${localHost.replace(/\/+$/, '')}/v1`,
    ...(provider.api_key ? { apiKey: provider.api_key } : {}),
    modelId: provider.model_id,
    ...(provider.dimensions === undefined ? {} : { dimensions: provider.dimensions }),
    batchSize: provider.batch_size ?? 32,
    maxConcurrentRequests: provider.max_concurrent_requests ?? 4,
    timeoutMs: (provider.timeout ?? 60) * 1_000,
    maxRetries: provider.max_retries ?? 4,
    maxWaitMs: 60_000,
  };
}
