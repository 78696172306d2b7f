import { type TSchema, Type } from '@sinclair/typebox';

/** An archive. */
export const zip = Type.Unsafe<unknown>({ type: 'string', format: 'binary' });

/** One of several bodies. */
export function unionReplies(...schemas: TSchema[]): TSchema {
  return Type.Union(schemas);
}

/** A successful call without a result. */
export const Ok = Type.Object({ status: Type.Literal('ok') }, { $id: 'HealthCheckResponse' });
