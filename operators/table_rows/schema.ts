import { type Static, Type } from '@sinclair/typebox';
import type { OperatorDefinition, OperatorProblem } from '../../model/flow/operator';
import { literals } from '../../model/literals';

export const config = Type.Object(
  {
    output: Type.Optional(
      literals(['rows', 'tables', 'column'], {
        default: 'rows',
        description:
          'rows: each row of a table becomes a row of the flow; tables: each table does, as CSV; column: the documents stay and get their tables in a column.',
      }),
    ),
    min_rows: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000,
        default: 1,
        description: 'Minimum number of rows below the header; smaller tables are ignored.',
      }),
    ),
    max_rows: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        default: 10_000,
        description: 'Maximum number of rows per table; a warning counts the tables that were cut.',
      }),
    ),
  },
  { additionalProperties: true },
);
export type TableRowsConfig = Static<typeof config>;

export const tableRows = {
  name: 'table_rows',
  label: 'Tables as rows',
  category: 'Extract',
  scope: 'row',
  queue: 'cpu',
  needs: ['files'],
  reads: ['content'],
  writes: [
    'document_id',
    'chunk_index',
    'table_index',
    'table_row',
    'table_caption',
    'table_columns',
    'table_cells',
    'table_csv',
    'tables',
  ],
  // With `column`, the rows are still whole documents, which a chunker may cut.
  leavesOut: ({ output }) => (output === 'column' ? ['document_id', 'chunk_index'] : []),
  columns: {
    table_index: { type: 'int32', description: 'The position of the table in its document, from 0.', indexed: true },
    table_row: {
      type: 'int32',
      description: 'With `rows`: the position of the row in its table, from 0.',
      indexed: true,
    },
    table_caption: {
      type: 'string',
      description: 'The caption of the table; empty if it has none.',
      indexed: true,
      quotesText: true,
    },
    table_columns: {
      type: 'list',
      description: 'The names of the columns of the table.',
      indexed: false,
      quotesText: true,
    },
    table_cells: {
      type: 'json',
      description: 'With `rows`: the cells by the names of their columns.',
      indexed: false,
      quotesText: true,
    },
    table_csv: {
      type: 'string',
      description: 'With `tables`: the table as CSV, with its header.',
      indexed: false,
      quotesText: true,
    },
    tables: {
      type: 'json',
      description: 'With `column`: the tables of the document, each with index, caption, page, columns and rows.',
      indexed: false,
      quotesText: true,
    },
  },
  config,
  summary: 'Extracts the tables of documents: one row per table row, one row per table, or all in a column.',
  validate,
} as const satisfies OperatorDefinition;

function validate(_config: Record<string, unknown>, columns: ReadonlySet<string>): OperatorProblem[] {
  if (!columns.has('chunk_index')) return [];
  return [
    {
      severity: 'error',
      messageCode: 'OPERATOR_VALIDATION_FAILED',
      message: 'The rows here are chunks, but only whole documents have tables. Put the operator before the chunker.',
    },
  ];
}
