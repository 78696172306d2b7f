import type { Box } from '../geometry/box';
import type { Grid } from '../geometry/rulings';
import { isCaption } from '../layout/captions';
import type { LinedCell } from './stacked-rows';

/** A full-width row is a section heading unless it is longer than this or opens like a note: then it is a note. */
const noteCharacters = 150;
const note = /^(?:notes?|sources?|quellen?|anmerkung(?:en)?|legende?|key|nota|fuente)\b\s*[.:]/i;
/** A title and notes are removed only if at least this many rows remain. */
const minRows = 2;

/**
 * Removes the title above and the notes below that share the grid's frame: one-cell rows as wide as the table. Returns the
 * remaining cells and their box.
 */
export function omitFrame(grid: Grid, cells: readonly LinedCell[]): { cells: LinedCell[]; box: Box } {
  const columns = grid.xs.length - 1;
  const filled = cells.filter(({ lines }) => lines.length > 0).toSorted((a, b) => a.cell.row - b.cell.row);
  const isAcross = ({ cell }: LinedCell) => cell.column === 0 && cell.columnEnd === columns && columns > 1;
  const getText = ({ lines }: LinedCell) => lines.map(({ text }) => text).join(' ');
  const isNote = (cell: LinedCell) => getText(cell).length > noteCharacters || note.test(getText(cell));
  let [from, to] = [0, filled.length];
  const title = filled[0];
  if (title && isAcross(title) && isCaption(getText(title))) from = 1;
  while (to > from && isAcross(filled[to - 1] as LinedCell) && isNote(filled[to - 1] as LinedCell)) to -= 1;
  const framedRows = filled.slice(from, to);
  const rows = new Set(framedRows.map(({ cell }) => cell.row)).size;
  if ((from === 0 && to === filled.length) || rows < minRows || framedRows.length <= rows)
    return { cells: [...cells], box: grid.box };
  const top = from > 0 ? (title as LinedCell).cell.box.b : grid.box.t;
  const bottom = to < filled.length ? (filled[to] as LinedCell).cell.box.t : grid.box.b;
  const isKept = ({ cell }: LinedCell) => cell.box.t <= top + 1 && cell.box.b >= bottom - 1;
  return { cells: cells.filter(isKept), box: { ...grid.box, t: top, b: bottom } };
}
