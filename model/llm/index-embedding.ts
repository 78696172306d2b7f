import { type Static, Type } from '@sinclair/typebox';
import { closedObject } from '../closed-object';
import { literals } from '../literals';
import { defaultEmbeddingsType, embeddingsTypes, findEmbeddingsType } from './embeddings';

const names = Object.entries(embeddingsTypes).flatMap(([type, { aliases }]) => [type, ...aliases]);

/** The embedder that a vector search may name. It has no address or key, so that a query is never sent to a new destination. */
export const QueryEmbedding = closedObject('QueryEmbedding', {
  type: literals(names, { description: 'The type of the embeddings operator that made the vectors.' }),
  model_id: Type.Optional(
    Type.String({ minLength: 1, maxLength: 512, description: 'The model, as its host names it.' }),
  ),
});
export type QueryEmbedding = Static<typeof QueryEmbedding>;

/** Members of `provider_config` that affect the vectors of a text. None of them is a secret. */
const identityMembers = [
  'model_id',
  'api_base',
  'protocol',
  'dimensions',
  'pooling',
  'container_id',
  'container_kind',
] as const;

/** How the vectors of an index were created. Stored with the index, so that queries are embedded the same way. */
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

/** Extracts the embedding from a configuration, without secrets; undefined for an unknown type. */
export function findIndexEmbedding(config: Record<string, unknown>): IndexEmbedding | undefined {
  const input = config['type'] ?? config['provider'] ?? defaultEmbeddingsType;
  const type = typeof input === 'string' ? findEmbeddingsType(input) : undefined;
  if (!type) return undefined;
  const provider = (config['provider_config'] ?? {}) as Record<string, unknown>;
  const members = identityMembers.flatMap((name) => {
    const value = provider[name];
    return value === undefined || value === null || (typeof value === 'string' && isSecret(value))
      ? []
      : [[name, value]];
  });
  if (type === 'builtin') return { type };
  // The hashing embedder ignores a model named in the configuration.
  const typeMembers = type === 'hashing' ? members.filter(([name]) => name === 'dimensions') : members;
  return { type, ...(Object.fromEntries(typeMembers) as Partial<IndexEmbedding>) };
}

/**
 * True when both produce comparable vectors. Compares type and model, not the host. The model of `builtin` is known only where
 * the models are installed, so `builtin` matches everything here.
 */
export function isSameEmbedding(item: IndexEmbedding, other: IndexEmbedding): boolean {
  if (item.type === 'builtin' || other.type === 'builtin') return true;
  return item.type === other.type && item.model_id === other.model_id;
}

/** For messages, for example `local_api (nomic-embed-text)`. */
export function describeEmbedding({ type, model_id }: IndexEmbedding): string {
  return model_id === undefined ? type : `${type} (${model_id})`;
}

/** True for references to secrets, and for addresses with a user name, a password or a key. */
function isSecret(text: string): boolean {
  return (
    text.includes('${') || /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*@/i.test(text) || /[?&][^=]*(key|token|secret)/i.test(text)
  );
}
