import { type Static, Type } from '@sinclair/typebox';
import { documentSetNamePattern } from '../../model/document-set/document-set';
import type { OperatorProblem } from '../../model/flow/operator';
import type { DeclaredOperator } from '../operator';
import { createProblem } from '../problem';

export const config = Type.Object(
  {
    document_set_name: Type.Optional(
      Type.String({
        pattern: documentSetNamePattern,
        description:
          'The set of the run owner with this name, created if it does not exist. Letters, digits, underscore, hyphen; fewer than 255 characters.',
      }),
    ),
    document_set_id: Type.Optional(
      Type.String({ minLength: 1, description: 'An existing set of the run owner; takes precedence over the name.' }),
    ),
    description: Type.Optional(
      Type.Union([Type.String({ maxLength: 2_000 }), Type.Null()], { description: 'For a new set.' }),
    ),
    metadata: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: 'For a new set.' })),
    readers: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 256 }), {
        description: 'Users who may see a new set, in addition to the owner. Each row has its own access list.',
      }),
    ),
    retain_deleted_docs: Type.Optional(
      Type.Boolean({
        description:
          'Keep rows of documents that were removed from the source; default: `retain_deleted_docs` of global_config, else false.',
      }),
    ),
    data_backend: Type.Optional(
      Type.String({ description: 'Accepted for compatibility; rows are always stored as Parquet.' }),
    ),
  },
  { additionalProperties: true },
);
export type DocumentSetConfig = Static<typeof config>;

export const documentSet = {
  name: 'document_set',
  label: 'Document set',
  category: 'Storage',
  scope: 'row',
  stores: true,
  queue: 'io',
  needs: ['documentSets'],
  reads: ['id'],
  writes: [],
  config,
  summary: 'Stores rows in a document set, keyed by their ids.',
  validate,
  documentSet: findSetKey,
} as const satisfies DeclaredOperator;

/** The set that a configuration names; undefined if it names none. */
export function findSetKey({
  document_set_id: id,
  document_set_name: name,
}: Record<string, unknown>): { id: string } | { name: string } | undefined {
  if (typeof id === 'string') return { id };
  return typeof name === 'string' ? { name } : undefined;
}

function validate(input: Record<string, unknown>): OperatorProblem[] {
  if (input['document_set_name'] !== undefined || input['document_set_id'] !== undefined) return [];
  const message = 'No document set is named; expected `document_set_name` or `document_set_id`.';
  return [createProblem(message, '/document_set_name')];
}
