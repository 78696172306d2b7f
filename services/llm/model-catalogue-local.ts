import { Type } from '@sinclair/typebox';
import { AppError } from '../../model/errors';
import type { ProviderModel } from '../../model/llm/wire';
import { mapInParallel } from '../pacing/map-in-parallel';
import { askHost, parseBody, createEndpoint, type HostTools } from './model-catalogue-http';

const nullableText = Type.Union([Type.String(), Type.Null()]);
const Tags = Type.Object({
  models: Type.Array(
    Type.Object({
      name: Type.String(),
      digest: Type.Optional(nullableText),
      details: Type.Optional(
        Type.Union([
          Type.Object({
            family: Type.Optional(nullableText),
            parameter_size: Type.Optional(nullableText),
            quantization_level: Type.Optional(nullableText),
          }),
          Type.Null(),
        ]),
      ),
    }),
  ),
});
const Shown = Type.Object({
  capabilities: Type.Optional(Type.Array(Type.String())),
  model_info: Type.Optional(Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()])),
});
const Embedded = Type.Object({ embeddings: Type.Array(Type.Array(Type.Number(), { minItems: 1 }), { minItems: 1 }) });

const maxConcurrentModels = 8;
const unreachableCode = 'LOCALMODEL_CONNECTION_FAILED';
/** The host's names of model capabilities, where ours differ. */
const functionNames: Record<string, string> = { completion: 'text_generation' };

/**
 * The models of the local host. Capabilities and vector length come from the model's description, or from embedding one word when
 * the description lacks them. `known` caches them by name and digest. A model that cannot be described is listed by name only.
 */
export async function listLocal(tools: HostTools & { known: Map<string, ProviderModel> }): Promise<ProviderModel[]> {
  const url = createEndpoint(tools.base, '/api/tags');
  const { models } = parseBody(await askHost(tools, { url, away: unreachableCode }), Tags, url);
  const providerModels = await mapInParallel(models, maxConcurrentModels, async ({ name, digest, details }) => {
    const key = JSON.stringify([tools.base.href, name, digest]);
    const described = tools.known.get(key) ?? (await describe(tools, name, joinDetails(details)));
    // Without a digest, a different model under the same name would go unnoticed.
    if (digest && described.functions.length > 0) tools.known.set(key, described);
    return described;
  });
  return providerModels.toSorted((item, other) => (item.model_id < other.model_id ? -1 : 1));
}

async function describe(tools: HostTools, name: string, description: string | null): Promise<ProviderModel> {
  const bare = { model_id: name, description, functions: [], embedding_dimension: null };
  const url = createEndpoint(tools.base, '/api/show');
  const answer = await askHost(tools, { url, away: unreachableCode, body: { model: name } });
  if (answer.status !== 200) return bare;
  const { capabilities, model_info } = parseBody(answer, Shown, url);
  const isEmbedder = capabilities?.includes('embedding') ?? /bert/i.test(String(model_info?.['general.architecture']));
  const assumedCapability = isEmbedder ? 'embedding' : 'completion';
  const functions = (capabilities ?? [assumedCapability]).map((capability) => functionNames[capability] ?? capability);
  if (!isEmbedder) return { ...bare, functions };
  return {
    ...bare,
    functions,
    embedding_dimension: findVectorLength(model_info) ?? (await measureVector(tools, name)),
  };
}

/** `<architecture>.embedding_length` of the description. */
function findVectorLength(info: Record<string, unknown> | null | undefined): number | undefined {
  const architecture = info?.['general.architecture'];
  const value = typeof architecture === 'string' ? info?.[`${architecture}.embedding_length`] : undefined;
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : undefined;
}

/** The length of the vector of one word; null if the host cannot embed it. */
async function measureVector(tools: HostTools, model: string): Promise<number | null> {
  const url = createEndpoint(tools.base, '/api/embed');
  try {
    const answer = await askHost(tools, { url, away: unreachableCode, body: { model, input: 'probe' } });
    return parseBody(answer, Embedded, url).embeddings[0]?.length ?? null;
  } catch (error) {
    // The model exists but its dimension is unknown: null.
    if (error instanceof AppError && error.code === 'INVALID_RESPONSE') return null;
    throw error;
  }
}

function joinDetails(
  details: { family?: string | null; parameter_size?: string | null; quantization_level?: string | null } | null = {},
): string | null {
  const parts = [details?.family, details?.parameter_size, details?.quantization_level].filter(Boolean);
  return parts.length > 0 ? parts.join(', ') : null;
}
