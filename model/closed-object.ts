import { type TProperties, Type } from '@sinclair/typebox';

/** The schema of an object that has no other members, named `id` in the OpenAPI documents. */
export function closedObject<P extends TProperties>(id: string, properties: P) {
  return Type.Object(properties, { $id: id, additionalProperties: false });
}
