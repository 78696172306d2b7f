import { Type, type TSchema } from '@sinclair/typebox';

/** A whole number, from 0. */
export const count = Type.Integer({ minimum: 0 });
/** A time in ISO 8601. */
export const isoTime = Type.String({ format: 'date-time' });
export const nullableText = Type.Union([Type.String(), Type.Null()]);

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
