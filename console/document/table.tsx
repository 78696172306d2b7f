import { texts } from '../texts';
import type { PageItem } from './kinds';

type Table = NonNullable<PageItem['table']>;
const maxRows = 200;

/** A table with its spans. */
export function ItemTable({ table }: { table: Table }) {
  const rows = new Map<number, Table['cells']>();
  for (const cell of table.cells) if (cell.row < maxRows) rows.set(cell.row, [...(rows.get(cell.row) ?? []), cell]);
  return (
    <div className="scroll" tabIndex={0} role="group" aria-label={texts.pages.table(table.rows, table.columns)}>
      <table className="grid">
        <tbody>
          {[...rows]
            .toSorted(([row], [other]) => row - other)
            .map(([row, cells]) => (
              <tr key={row}>
                {cells
                  .toSorted((cell, other) => cell.column - other.column)
                  .map(({ column, row_span: rowSpan, column_span: colSpan, text, is_header: isHeader }) => {
                    const Cell = isHeader && text !== '' ? 'th' : 'td';
                    return (
                      <Cell key={column} rowSpan={rowSpan} colSpan={colSpan}>
                        {text}
                      </Cell>
                    );
                  })}
              </tr>
            ))}
        </tbody>
      </table>
    </div>
  );
}
