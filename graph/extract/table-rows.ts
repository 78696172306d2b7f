import type { Attributes } from '../core/value';
import type { TemplateClass, TemplateField } from '../template/model';
import { isDateLike, type DateReader } from './document-dates';
import { findFullName, normalizeLabel, collectLabels, maxValueLength, omitNote } from './field-labels';
import { findDecimal } from './fit-answer';

/** Context for reading the rows of a table. */
export interface RowReading {
  /** The labels of the facts of the whole document: a row with one of them and one value is not an entry of the list. */
  totals: ReadonlySet<string>;
  dates: DateReader;
  /** The last date of the document, as an ISO date. */
  latest?: string;
}

type Columns = readonly (TemplateField | undefined)[];

/** Number of rows in which the column heads may be, below other cells of a form. */
const maxHeadRows = 6;

/**
 * The rows below the heads of a table. One of the first rows, or two of them together, must name the id field or two other fields; a
 * row below the first must name three.
 */
export function readRows(target: TemplateClass, table: string[][], reading: RowReading): Attributes[] {
  const head = findHead(target, table) ?? findHeadByKinds(target, table);
  if (!head) return [];
  const nameField = target.fields.find(
    (field) => !head.columns.includes(field) && collectLabels(target, field).has('name'),
  );
  return table
    .slice(head.rowsAbove)
    .filter((cells) => !isTotal(cells, reading.totals))
    .map((cells) => {
      const row = readRow(head.columns, cells, reading);
      const name =
        row && nameField && findFullName(head.labels.map((label, at) => ({ label, value: cells[at] ?? '' })));
      return name === undefined ? row : { ...row, [nameField?.name ?? '']: name };
    })
    .filter((row) => row !== undefined)
    .filter((row) => !head.isComplete || Object.values(row).every((value) => value !== ''));
}

interface Head {
  columns: Columns;
  /** The heads, normalized; empty for a table without heads. */
  labels: readonly string[];
  rowsAbove: number;
  /** True if only rows with all values are read. */
  isComplete?: boolean;
}

/** The heads that name the most fields; the first of these if several do. */
function findHead(target: TemplateClass, table: string[][]): Head | undefined {
  let best: (Head & { named: number }) | undefined;
  for (const [at, row] of table.slice(0, maxHeadRows).entries()) {
    for (const head of [{ row, length: 1 }, ...joinHeads(row, table[at + 1])]) {
      const rowsAbove = at + head.length;
      const columns = findColumns(target, head.row, table.slice(rowsAbove));
      const named = new Set(columns.filter((field) => field !== undefined)).size;
      if (areHeads(target, columns, at) && named > (best?.named ?? 0))
        best = { columns, labels: head.row.map(normalizeLabel), rowsAbove, named };
    }
  }
  return best;
}

/** A table without heads of a date, a text and an amount in each row, if these are the only fields of the class of their kind. */
function findHeadByKinds(target: TemplateClass, table: string[][]): Head | undefined {
  const { fields, isDocumentScoped } = target;
  const [date, text, amount] = [['date'], ['str'], ['decimal', 'float']].map((types) =>
    fields.filter(({ type, model }) => !model && types.includes(type)),
  );
  const areOnlyFields = fields.length === 3 && [date, text, amount].every((matches) => matches?.length === 1);
  if (!isDocumentScoped || !areOnlyFields) return undefined;
  const isRow = ([first = '', second = '', third = '']: readonly string[]) =>
    isDateLike(first) && /\p{L}/u.test(second) && findDecimal(third) !== undefined;
  const rows = table.filter((cells) => cells.length === 3 && isRow(cells));
  const isList = rows.length >= 3 && rows.length * 3 >= table.length * 2;
  return isList
    ? { columns: [date?.[0], text?.[0], amount?.[0]], labels: [], rowsAbove: 0, isComplete: true }
    : undefined;
}

/** Heads of two lines: `Transaction` above `Date`. */
export function joinHeads(
  upper: readonly string[],
  lower: readonly string[] = [],
): { row: string[]; length: number }[] {
  const areWords = lower.length > 0 && lower.every((cell) => cell.length <= maxValueLength && !/\d/.test(cell));
  if (!areWords || upper.some((cell) => cell.length > maxValueLength)) return [];
  return [{ row: lower.map((cell, at) => (upper[at] === cell ? cell : `${upper[at] ?? ''} ${cell}`)), length: 2 }];
}

const maxRowsBelow = 20;

/** The field of each column. Units after a head do not count: `Amount (USD)`. A column of dates belongs to a date: `Transaction`. */
function findColumns(target: TemplateClass, head: readonly string[], rows: readonly string[][]): Columns {
  const fields = target.fields
    .filter(({ model }) => !model)
    .map((field) => ({ field, own: collectLabels(target, field) }));
  const below = rows.slice(0, maxRowsBelow);
  return head.map((cell, at) => {
    if (cell === '' || cell.length > maxValueLength) return undefined;
    const values = below.map((row) => row[at] ?? '').filter((value) => value !== '');
    const areDates = values.length > 0 && values.filter(isDateLike).length * 3 >= values.length * 2;
    const titles = [cell, omitNote(cell), ...(areDates ? [`${cell} date`] : []), ...cell.split(/ or |\//)];
    const labels = titles.map(normalizeLabel);
    const fits = ({ field, own }: (typeof fields)[number]) =>
      !(areDates && field.type === 'str') && labels.some((label) => own.has(label));
    return fields.find(fits)?.field;
  });
}

function areHeads(target: TemplateClass, columns: Columns, at: number): boolean {
  const matchingColumns = columns.filter((field) => field !== undefined);
  const hasId = matchingColumns.some(({ name }) => target.idFields.includes(name));
  if (at > 0) return new Set(matchingColumns).size >= 3;
  return hasId ? matchingColumns.length >= 1 : matchingColumns.length >= 2;
}

/** A row of one label of the document and one value is a fact of the document, such as its opening balance; a title has only one text. */
function isTotal(cells: readonly string[], totals: ReadonlySet<string>): boolean {
  const [label = '', ...values] = cells.filter((cell) => cell !== '');
  if (values.length > 0 && values.every((value) => value === label)) return true;
  return cells.length > 2 && values.length === 1 && totals.has(normalizeLabel(label));
}

/** The first value of each field. Undefined for a total, and for a title in a column of dates or numbers. */
function readRow(columns: Columns, cells: readonly string[], { dates, latest }: RowReading): Attributes | undefined {
  const row: Record<string, string> = {};
  let hasEmpty = false;
  let hasFact = false;
  for (const [at, field] of columns.entries()) {
    if (!field) continue;
    const cell = cells[at] ?? '';
    const value = field.type === 'date' ? dates.read(cell, latest) : cell;
    hasEmpty ||= cell === '' || (field.type === 'date' && !isDateLike(cell));
    hasFact ||=
      cell !== '' && (field.type === 'date' ? isDateLike(cell) : !isNumber(field) || findDecimal(cell) !== undefined);
    row[field.name] ||= value;
  }
  const isSum = hasEmpty && cells.some((cell) => /^(?:sub-?|grand )?total\b/i.test(cell.trim()));
  return hasFact && !isSum ? row : undefined;
}

const isNumber = ({ type }: TemplateField) => type === 'decimal' || type === 'int' || type === 'float';
