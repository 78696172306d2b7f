import { type Static, Type } from '@sinclair/typebox';
import { defaultEmbeddingsType, embeddingsTypes, findEmbeddingsType } from './embeddings';

const names = Object.entries(embeddingsTypes).flatMap(([type, { aliases }]) => [type, ...aliases]);

/** The embedder that a vector search may name; an address or a key cannot be named, so that no query is sent anywhere new. */
export const QueryEmbedding = Type.Object(
  {
    type: Type.Union(
      names.map((name) => Type.Literal(name)),
      { description: 'The type of the embeddings operator that made the vectors.' },
    ),
    model_id: Type.Optional(
      Type.String({ minLength: 1, maxLength: 512, description: 'The model, as its host names it.' }),
    ),
  },
  { $id: 'QueryEmbedding', additionalProperties: false },
);
export type QueryEmbedding = Static<typeof QueryEmbedding>;

/** Members of `provider_config` that say which vectors a text gets, none of them a secret. */
const kept = ['model_id', 'api_base', 'protocol', 'dimensions', 'pooling', 'container_id', 'container_kind'] as const;

/** How the vectors of an index were made; it is stored with the index, so that a query can be embedded alike. */
export const IndexEmbedding = Type.Object(
  {
    type: Type.String(),
    model_id: Type.Optional(Type.String()),
    api_base: Type.Optional(Type.String()),
    protocol: Type.Optional(Type.String()),
    dimensions: Type.Optional(Type.Integer()),
    pooling: Type.Optional(Type.String()),
    container_id: Type.Optional(Type.String()),
    container_kind: Type.Optional(Type.String()),
  },
  { additionalProperties: true },
);
export type IndexEmbedding = Static<typeof IndexEmbedding>;

/** What an embeddings configuration says of its vectors, secrets left out; undefined where its type is unknown. */
export function indexEmbeddingOf(config: Record<string, unknown>): IndexEmbedding | undefined {
  const given = config['type'] ?? config['provider'] ?? defaultEmbeddingsType;
  const type = typeof given === 'string' ? findEmbeddingsType(given) : undefined;
  if (!type) return undefined;
  const provider = (config['provider_config'] ?? {}) as Record<string, unknown>;
  const members = kept.flatMap((name) => {
    const value = provider[name];
    return value === undefined || value === null || (typeof value === 'string' && isSecret(value))
      ? []
      : [[name, value]];
  });
  // A model that a configuration for hashing still names has no part in its vectors.
  const own =
    type === 'builtin' ? [] : type === 'hashing' ? members.filter(([name]) => name === 'dimensions') : members;
  return { type, ...(Object.fromEntries(own) as Partial<IndexEmbedding>) };
}

/**
 * True when both give comparable vectors: the type and the model count, not the host that runs it. What `builtin` stands for is
 * known where the models are, so it is taken for the same here.
 */
export function isSameEmbedding(one: IndexEmbedding, other: IndexEmbedding): boolean {
  if (one.type === 'builtin' || other.type === 'builtin') return true;
  return one.type === other.type && one.model_id === other.model_id;
}

/** For messages: `local_api (nomic-embed-text)`. */
export function describeEmbedding({ type, model_id }: IndexEmbedding): string {
  return model_id === undefined ? type : `${type} (${model_id})`;
}

/** References to secrets, and addresses that hold a user name or a password. */
function isSecret(text: string): boolean {
  return (
    text.includes('${') || /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*@/i.test(text) || /[?&][^=]*(key|token|secret)/i.test(text)
  );
}
