import { countNouns } from '../../model/count-nouns';
import { AppError } from '../../model/errors';
import type { Row, RowSkip } from '../../model/flow/row';
import type { OperatorContext, OperatorResult } from '../operator';
import { readSource } from '../rows/row-source';
import type { TableRowsConfig } from './schema';
import { toCsv, type DocumentTable, writeRow, listTables } from './tables';

/**
 * Adds the tables of each document, or returns them as rows with the ids `DOCUMENT:tINDEX` and `DOCUMENT:tINDEX:rROW`. A
 * document whose text was changed since its conversion gets no tables, because they may contain masked text.
 */
export async function run(
  rows: readonly Row[],
  config: TableRowsConfig,
  context: OperatorContext<'files'>,
): Promise<OperatorResult> {
  const { output = 'rows', min_rows: minimum = 1, max_rows: maximum = 10_000 } = config;
  const results: Row[] = [];
  const skipped: RowSkip[] = [];
  const counts = { tables: 0, rows: 0, cut: 0 };
  for (const [index, row] of rows.entries()) {
    context.signal.throwIfAborted();
    if (typeof row.chunk_index === 'number')
      throw new AppError(
        'OPERATOR_CONFIGURATION_INVALID',
        `'${context.operator}' receives chunks, but only whole documents have tables. Put it before the chunker.`,
      );
    const source = await readSource(row, context);
    const tables = (typeof source === 'string' ? [] : listTables(source, maximum)).filter(
      (table) => table.rows.length >= minimum,
    );
    counts.tables += tables.length;
    counts.cut += tables.filter(({ isCut }) => isCut).length;
    counts.rows += tables.reduce((sum, table) => sum + table.rows.length, 0);
    if (output === 'column') results.push({ ...row, tables: tables.map(({ isCut: _cut, ...table }) => table) });
    else if (tables.length === 0) skipped.push({ id: row.id, name: row.name, reason: 'It has no tables' });
    else results.push(...(output === 'rows' ? iterateTableRows(row, tables) : iterateTables(row, tables)));
    context.progress(index + 1, rows.length);
  }
  return {
    rows: results,
    skipped,
    metrics: { tables: counts.tables, table_rows: counts.rows },
    warnings:
      counts.cut === 0
        ? []
        : [
            `Kept only ${countNouns(maximum, 'row')} of each of ${countNouns(counts.cut, 'table')}. Raise max_rows to keep more.`,
          ],
  };
}

/** A row for a table or one of its rows. The reference to the full document is not copied, because it holds more text. */
function toRow(row: Row, table: DocumentTable, position: number, content: string): Row {
  const { document_ref: _ref, headings: _headings, bbox: _box, ...kept } = row;
  return {
    ...kept,
    document_id: row.document_id ?? row.id,
    chunk_index: position,
    content,
    table_index: table.index,
    table_caption: table.caption,
    table_columns: table.columns,
    ...(table.page === null ? {} : { page_numbers: [table.page] }),
  };
}

function* iterateTableRows(row: Row, tables: readonly DocumentTable[]): Generator<Row> {
  let position = 0;
  for (const table of tables)
    for (const [index, cells] of table.rows.entries()) {
      yield {
        ...toRow(row, table, position, writeRow(table, cells)),
        id: `${row.id}:t${table.index}:r${index}`,
        table_row: index,
        table_cells: Object.fromEntries(table.columns.map((column, at) => [column, cells[at] ?? ''])),
      };
      position += 1;
    }
}

function* iterateTables(row: Row, tables: readonly DocumentTable[]): Generator<Row> {
  for (const [position, table] of tables.entries()) {
    const csv = toCsv(table);
    const content = table.caption === '' ? csv : `${table.caption}\n${csv}`;
    yield { ...toRow(row, table, position, content), id: `${row.id}:t${table.index}`, table_csv: csv };
  }
}
