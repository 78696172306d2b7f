import { Type } from '@sinclair/typebox';

/** A whole number, from 0. */
export const count = Type.Integer({ minimum: 0 });
/** A time in ISO 8601. */
export const isoTime = Type.String({ format: 'date-time' });
export const nullableText = Type.Union([Type.String(), Type.Null()]);
