import { type Static, Type } from '@sinclair/typebox';
import { accessColumns } from '../../model/access-list';
import { TargetTable } from '../../model/entity/document-class';
import type { OperatorDefinition, OperatorProblem } from '../../model/flow/operator';
import { mandatoryColumns } from '../../model/flow/row';
import { literals } from '../../model/literals';
import { findReservedName } from '../problem';

export const defaultColumns = {
  entities: 'entities',
  documentType: 'document_type',
  output: 'transformed_entities',
} as const;
const defineColumn = (description: string, defaultName: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 255, default: defaultName, description }));

export const config = Type.Object(
  {
    entities_column: defineColumn(
      'The column with the entities: an object, or its JSON text.',
      defaultColumns.entities,
    ),
    document_type_column: defineColumn('The column that names the class of the document.', defaultColumns.documentType),
    document_type: Type.Optional(
      Type.String({ minLength: 1, description: 'The class of all documents; takes precedence over the column.' }),
    ),
    target_tables: Type.Optional(
      Type.Array(TargetTable, {
        minItems: 1,
        description: 'Replaces the tables of the class. Uses the format of document classes.',
      }),
    ),
    output_column: defineColumn('The column for the tables.', defaultColumns.output),
    date_order: Type.Optional(
      literals(['auto', 'dmy', 'mdy', 'ymd'], {
        default: 'auto',
        description:
          'The order of day, month and year in numeric dates; `auto` assumes US order if the date is ambiguous.',
      }),
    ),
    number_format: Type.Optional(
      literals(['auto', 'point', 'comma'], {
        default: 'auto',
        description:
          'The decimal separator: `point` as in 1,234.56, `comma` as in 1.234,56; `auto` infers it from the digits.',
      }),
    ),
  },
  { additionalProperties: true },
);
export type CurationConfig = Static<typeof config>;

export const entityCuration = {
  name: 'entity_curation',
  label: 'Entity curation',
  category: 'Functional',
  scope: 'row',
  queue: 'cpu',
  needs: ['documentClasses'],
  reads: ['entities'],
  writes: ['transformed_entities', 'curation_problems'],
  named: { reads: ['entities_column', 'document_type_column'], writes: ['output_column'] },
  columns: {
    transformed_entities: {
      type: 'json',
      description: 'The rows of each target table by table name: an object, or a list if the class has a list.',
      indexed: false,
    },
    curation_problems: {
      type: 'list',
      description: 'Values that could not be normalized for their column, each as `table.column: value`.',
      indexed: false,
    },
  },
  config,
  summary: 'Normalizes extracted values (dates, amounts, weights, numbers) and fills the tables of their class.',
  validate,
} as const satisfies OperatorDefinition;

function validate(input: Record<string, unknown>): OperatorProblem[] {
  const reserved = [...mandatoryColumns, 'name', 'path', ...accessColumns, 'metadata'];
  return findReservedName('output_column', input['output_column'], reserved);
}
