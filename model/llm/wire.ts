import { type Static, Type } from '@sinclair/typebox';
import { closedObject } from '../closed-object';
import { nullableText } from '../wire-parts';

/** A model of a provider. */
export const ProviderModel = closedObject('ProviderModel', {
  model_id: Type.String(),
  description: nullableText,
  functions: Type.Array(Type.String(), { description: 'What it can do: embedding, text_generation, …' }),
  embedding_dimension: Type.Union([Type.Integer(), Type.Null()], {
    description: 'The length of its vectors. Null if it returns none, or if its host does not report it.',
  }),
});
export type ProviderModel = Static<typeof ProviderModel>;

/** The models of a provider, sorted by name; `provider` is spelled as in the request. */
export const ProviderModels = closedObject('ProviderModels', {
  provider: Type.String(),
  models: Type.Array(ProviderModel),
});
export type ProviderModels = Static<typeof ProviderModels>;
