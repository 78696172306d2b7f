import { type TSchema, Type } from '@sinclair/typebox';

/** A page of a list: its items, their total number, and links to the neighbouring pages. `id` names the schema. */
export function pageSchema<T extends TSchema>(item: T, id: string) {
  return Type.Object(
    {
      items: Type.Array(item),
      total: Type.Integer({ minimum: 0 }),
      limit: Type.Integer({ minimum: 1 }),
      offset: Type.Integer({ minimum: 0 }),
      first: Type.String(),
      next: Type.Union([Type.String(), Type.Null()]),
      prev: Type.Union([Type.String(), Type.Null()]),
    },
    { $id: id, additionalProperties: false },
  );
}
