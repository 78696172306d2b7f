import { type Static, Type } from '@sinclair/typebox';
import { accessColumns } from '../../model/access-list';
import type { OperatorDefinition } from '../../model/flow/operator';
import { mandatoryColumns } from '../../model/flow/row';
import { createProblem } from '../problem';

export const config = Type.Object(
  {
    doc_column: Type.Optional(
      Type.String({ minLength: 1, default: 'content', description: 'The column whose text is hashed.' }),
    ),
    doc_id_hash_column: Type.Optional(
      Type.String({ minLength: 1, default: 'doc_id_hash', description: 'The column for the hash.' }),
    ),
  },
  { additionalProperties: true },
);
export type DocIdHashConfig = Static<typeof config>;

export const docIdHash = {
  name: 'doc_id_hash',
  label: 'Document hash',
  category: 'Functional',
  scope: 'row',
  queue: 'cpu',
  needs: [],
  reads: ['id'],
  writes: ['doc_id_hash'],
  named: { reads: ['doc_column'], writes: ['doc_id_hash_column'] },
  columns: {
    doc_id_hash: {
      type: 'string',
      description: 'SHA-256 of the text in UTF-8, hexadecimal; the same for equal texts.',
      indexed: false,
    },
  },
  config,
  summary: 'Adds a hash of the text, which identifies equal texts.',
  validate: ({ doc_id_hash_column: column }) => {
    if (![...mandatoryColumns, ...accessColumns].some((reserved) => reserved === column)) return [];
    const message = `doc_id_hash_column is '${String(column)}', which the hash would replace; choose another name.`;
    return [createProblem(message, '/doc_id_hash_column')];
  },
} as const satisfies OperatorDefinition;
