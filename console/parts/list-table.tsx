import { Checkbox } from '@mantine/core';
import type { ReactNode } from 'react';
import { texts } from '../texts';
import type { Selection } from './bulk';

/** A column of a list. */
export interface Column<T> {
  title: string;
  /** `name` identifies the row; `num` is right-aligned; `acts` contains buttons and has no title. */
  kind?: 'name' | 'num' | 'long' | 'when' | 'acts';
  cell: (row: T) => ReactNode;
}

/** Rows below column titles; in narrow windows each row is a block of titles and values. */
export function ListTable<T>({
  label,
  columns,
  rows,
  keyOf,
  choice: choiceState,
}: {
  label: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  keyOf: (row: T) => string;
  /** Makes rows selectable; `nameOf` returns their name for screen readers. */
  choice?: { selection: Selection; nameOf: (row: T) => string } | undefined;
}) {
  // If no row may be selected, the column of checkboxes is omitted.
  const choice = choiceState && choiceState.selection.keys.length > 0 ? choiceState : undefined;
  return (
    <div className="scroll" tabIndex={0} role="group" aria-label={label}>
      <table className="list">
        <thead>
          <tr>
            {choice ? (
              <th scope="col">
                <span className="visually-hidden">{texts.bulk.choice}</span>
              </th>
            ) : null}
            {columns.map(({ title, kind }) => (
              <th key={title} scope="col" className={kind === 'num' ? 'num' : undefined}>
                {kind === 'acts' ? <span className="visually-hidden">{title}</span> : title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {choice ? (
                <td className="acts">
                  <Checkbox
                    aria-label={texts.failed.select(choice.nameOf(row))}
                    disabled={!choice.selection.keys.includes(keyOf(row))}
                    checked={choice.selection.chosen.includes(keyOf(row))}
                    onChange={() => choice.selection.toggle(keyOf(row))}
                  />
                </td>
              ) : null}
              {columns.map(({ title, kind, cell }) => (
                <td key={title} className={kind} data-label={kind === 'acts' || kind === 'name' ? undefined : title}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
