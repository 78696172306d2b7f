import type { Attributes } from '../core/value';
import type { GraphTemplate } from './model';
import { templateFrom } from './template';
import { isZodSchema, toJsonSchema } from './zod';

/** Like `templateFrom`, and takes a zod schema too. Apart from it, because zod takes 12 MB that servers do not need. */
export function templateFromAny(value: unknown, schema?: Attributes): GraphTemplate {
  return templateFrom(isZodSchema(value) ? toJsonSchema(value) : value, schema);
}
