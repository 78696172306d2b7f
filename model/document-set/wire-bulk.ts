import { type Static, Type } from '@sinclair/typebox';
import { closedObject } from '../closed-object';
import { maxInBulk } from '../wire-bulk';
import { Readers, SetId } from './wire';

/** Request body that does the same to several document sets. */
export const DocumentSetsBulk = closedObject('DocumentSetsBulk', {
  action: Type.Union([Type.Literal('delete'), Type.Literal('share')]),
  set_ids: Type.Array(SetId, { minItems: 1, maxItems: maxInBulk, uniqueItems: true }),
  readers: Type.Optional(Readers),
});
export type DocumentSetsBulk = Static<typeof DocumentSetsBulk>;
