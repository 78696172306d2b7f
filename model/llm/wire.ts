import { type Static, Type } from '@sinclair/typebox';

const nullableText = Type.Union([Type.String(), Type.Null()]);

/** A model of a provider. */
export const ProviderModel = Type.Object(
  {
    model_id: Type.String(),
    description: nullableText,
    functions: Type.Array(Type.String(), { description: 'What it can do: embedding, text_generation, …' }),
    embedding_dimension: Type.Union([Type.Integer(), Type.Null()], {
      description: 'The length of its vectors. Null if it returns none, or if its host does not report it.',
    }),
  },
  { $id: 'ProviderModel', additionalProperties: false },
);
export type ProviderModel = Static<typeof ProviderModel>;

/** The models of a provider, sorted by name; `provider` is spelled as in the request. */
export const ProviderModels = Type.Object(
  { provider: Type.String(), models: Type.Array(ProviderModel) },
  { $id: 'ProviderModels', additionalProperties: false },
);
export type ProviderModels = Static<typeof ProviderModels>;
