import { type Static, Type } from '@sinclair/typebox';

/** The values of an embeddings operator's `type` (or `provider`), and the other names they are known by. */
export const embeddingsTypes = {
  hashing: { aliases: [], text: 'feature hashing inside the worker; needs no model and knows no meaning' },
  local_api: { aliases: ['ollama', 'openai'], text: 'a local or remote model behind an OpenAI-compatible /embeddings' },
  gateway: { aliases: ['litellm'], text: 'a multi-provider gateway; arrives with a later release' },
  hosted: { aliases: ['watsonx'], text: "a hosted vendor's own interface; arrives with a later release" },
} as const satisfies Record<string, { aliases: readonly string[]; text: string }>;
export type EmbeddingsType = keyof typeof embeddingsTypes;

/** The type where a flow names none. */
export const defaultEmbeddingsType: EmbeddingsType = 'hashing';

/** The type of that name or alias; undefined when there is none. */
export function findEmbeddingsType(name: string): EmbeddingsType | undefined {
  const entries = Object.entries(embeddingsTypes) as [EmbeddingsType, { aliases: readonly string[] }][];
  return entries.find(([type, { aliases }]) => type === name || aliases.includes(name))?.[0];
}

/** The dimension of the hashing embedder where a flow names none. */
export const hashingDimension = 384;

/** The connection settings of an embeddings operator. Other members are passed over. */
export const EmbeddingsProviderConfig = Type.Object(
  {
    model_id: Type.Optional(Type.String({ minLength: 1, description: 'The model, as its host names it.' })),
    api_base: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'Address in front of `/embeddings`. Default: the configured local model host and `/v1`.',
      }),
    ),
    api_key: Type.Optional(
      Type.String({ description: 'Sent as a bearer token. Use a reference such as `${DOCLOOM_SECRET_MODEL_KEY}`.' }),
    ),
    batch_size: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 2_048, default: 32, description: 'Texts of one request.' }),
    ),
    max_concurrent_requests: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 64, default: 4, description: 'Requests at a time.' }),
    ),
    dimensions: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 16_000,
        description: `Length of the vectors; asked of the model and checked. hashing: default ${hashingDimension}.`,
      }),
    ),
    timeout: Type.Optional(
      Type.Number({ exclusiveMinimum: 0, maximum: 3_600, default: 60, description: 'Seconds of one request.' }),
    ),
    max_retries: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 20,
        default: 4,
        description: 'Further attempts of a request that failed by overload or outage.',
      }),
    ),
  },
  { additionalProperties: true },
);
export type EmbeddingsProviderConfig = Static<typeof EmbeddingsProviderConfig>;
