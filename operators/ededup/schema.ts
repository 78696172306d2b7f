import { type Static, Type } from '@sinclair/typebox';
import type { OperatorDefinition } from '../../model/operator';

export const config = Type.Object(
  {
    doc_column: Type.Optional(
      Type.String({ minLength: 1, default: 'content', description: 'The column whose text is compared.' }),
    ),
    doc_id_column: Type.Optional(
      Type.String({
        minLength: 1,
        default: 'id',
        description: 'Read for flows of other systems: a row is always named by its `id`.',
      }),
    ),
    across_access_lists: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Also compare documents with different readers; then readers of a removed copy may not be able to read the one that stays.',
      }),
    ),
  },
  { additionalProperties: true },
);
export type EdedupConfig = Static<typeof config>;

export const ededup = {
  name: 'ededup',
  label: 'Exact de-duplication',
  category: 'Quality',
  scope: 'table',
  queue: 'cpu',
  needs: [],
  reads: ['content'],
  writes: [],
  named: { reads: ['doc_column'] },
  config,
  summary: 'Leaves out documents whose text is that of an earlier one of the run.',
} as const satisfies OperatorDefinition;
