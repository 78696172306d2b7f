import { type Static, Type } from '@sinclair/typebox';
import { closedObject } from '../closed-object';

const property = closedObject('OperatorProperty', {
  type: Type.String({ description: 'string, int32, double, boolean, list, json, vector, timestamp, enum, …' }),
  description: Type.String(),
  required: Type.Boolean(),
  default: Type.Unknown(),
  available_for_filter: Type.Union([Type.Boolean(), Type.Null()]),
  available_for_vector_db: Type.Union([Type.Boolean(), Type.Null()]),
});

/** Operator metadata for forms and clients; `config_schema` is the full JSON Schema of its configuration. */
export const OperatorMetadata = closedObject('OperatorMetadata', {
  label: Type.String(),
  category: Type.String(),
  description: Type.Union([Type.String(), Type.Null()]),
  scope: Type.String({ description: 'source, row or table.' }),
  features: Type.Record(Type.String(), property, { description: 'The columns that it adds.' }),
  required_features: Type.Array(Type.String(), { description: 'The columns that it needs.' }),
  attributes: Type.Record(Type.String(), property, { description: 'The members of its configuration.' }),
  config_schema: Type.Record(Type.String(), Type.Unknown()),
});
export type OperatorMetadata = Static<typeof OperatorMetadata>;

/** All operators, keyed by wire name. */
export const OperatorCatalogue = Type.Record(Type.String(), OperatorMetadata, { $id: 'OperatorCatalogue' });
export type OperatorCatalogue = Static<typeof OperatorCatalogue>;
