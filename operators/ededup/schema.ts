import { type Static, Type } from '@sinclair/typebox';
import type { OperatorDefinition } from '../../model/flow/operator';

export const config = Type.Object(
  {
    doc_column: Type.Optional(
      Type.String({ minLength: 1, default: 'content', description: 'The column whose text is compared.' }),
    ),
    doc_id_column: Type.Optional(
      Type.String({
        minLength: 1,
        default: 'id',
        description: 'Accepted for compatibility: a row is always identified by its `id`.',
      }),
    ),
    across_access_lists: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Also compare documents with different access lists; then readers of a removed copy may not be able to read the remaining one.',
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
  summary: 'Removes documents whose text equals that of an earlier document of the run.',
} as const satisfies OperatorDefinition;
