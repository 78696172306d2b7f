import { findSmallest } from '../../extremes';
import { union } from '../geometry/box';
import { findListMark } from '../lists/lists';
import type { Line } from '../text/line';
import { cutLine } from '../text/lines';
import { omitCode, type Row } from './aligned-table';
import { toRows } from './borderless';
import type { LinedTable } from './lined-tables';
import type { PageCell } from './page-table';
import { joinLines } from './tables';

/** Minimum number of rows, for labels that end with a colon, for labels without one, and for amounts with one right edge. */
const minimum = { withColon: 2, plain: 3, amounts: 2 };
/** The widest distance between rows and the narrowest gap after a label, with and without a colon, in type sizes. */
const reach = { rows: 4.5, afterColon: 0.4, gap: 0.8, sum: 0.6 };
/** Longer texts are paragraphs side by side; labels without a colon have few words. */
const longest = { label: 60, value: 80, words: 4 };
/** Largest difference between the left edges of labels, and between those of values, in points. */
const slack = 3;
/** As many pairs above show whether values are right-aligned. */
const lastPairs = 8;
/** Labels may be indented this far below others, in type sizes, if their values share an exact left edge. */
const deepest = 5;

const colon = /\p{L}[^:：]*[:：]$/u;
/** A number, an amount or a date, perhaps with a short sign or word before it. */
const figure = /^(?:[\p{L}$€£#]{0,3}[-.\s]?)?\d[\d\s.,:/%€$£+()-]*$/u;
const date = /\b\d{1,2}\.?\s\p{L}{3,9}\.?,?\s\d{4}$|^\p{L}{3,9}\.?\s\d{1,2},?\s\d{4}$/u;

/** An amount, perhaps after a few words ("from £110"), and an amount with decimals or a currency. */
const endsInAmount = /^(?:\p{Ll}{1,5} )?[-+−–(]{0,2}\p{Sc}?\s?[-+−–]?\d[\d\s.,'’]*[)%]?(?:\s?(?:\p{Sc}|\p{Lu}{3}))?$/u;
const amount = /\p{Sc}|\d[.,]\d{2}(?!\d)/u;

/** The lines of a label and of its value, from the top; a title above pairs has no value. */
interface Pair {
  label: Line[];
  value: Line[];
}

/**
 * Finds labels with their values beside them, as on forms and invoices: one pair in a row and nothing else, labels with a
 * common left edge and values with another. Labels without a colon need a figure or a date among their values.
 */
export function findLabelledRows(lines: readonly Line[]): LinedTable[] {
  const rows = omitCode(toRows(lines.filter(({ isFormula, isAside }) => !isFormula && !isAside)));
  const tables: LinedTable[] = [];
  for (let start = 0; start < rows.length;) {
    const { pairs, end } = findPairs(rows, start);
    const isFound = isForm(pairs.filter(({ value }) => value.length > 0));
    if (isFound) tables.push(toTable(pairs));
    start = isFound ? end : start + 1;
  }
  return tables;
}

/** The pairs of consecutive rows, from `start`. */
function findPairs(rows: readonly Row[], start: number): { pairs: Pair[]; end: number } {
  let pairs: Pair[] = [];
  let [open, end]: [Pair[], number] = [[], start];
  for (let index = start; index < rows.length; index += 1) {
    const row = rows[index] as Row;
    const above = rows[index - 1];
    if (open.length > 0 && above && above.baseline - row.baseline > reach.rows * row.size) break;
    const pair = findPair(row) ?? findSumPair(row, open) ?? findJoinedPair(row, open, rows[index + 1]);
    const last = open.at(-1);
    if (pair && (!last || isBelow(pair, open))) open = [...open, pair];
    else if (last && isContinued(row, last.value)) last.value.push(row.lines[0] as Line);
    else if (last && !isWhole(last) && isContinued(row, last.label)) last.label.push(row.lines[0] as Line);
    else if (last && isTitle(row, open)) open = [...open, { label: [...row.lines], value: [] }];
    else break;
    // A title without pairs below it is not part of the form.
    if (open.at(-1)?.value.length !== 0) [pairs, end] = [open, index + 1];
  }
  return { pairs, end };
}

function findPair({ lines }: Row): Pair | undefined {
  const [label, value] = lines;
  if (lines.length !== 2 || !label || !value) return undefined;
  if (label.text.length > longest.label || value.text.length > longest.value) return undefined;
  const gap = (value.box.l - label.box.r) / label.size;
  if (gap < (colon.test(label.text) ? reach.afterColon : reach.gap)) return undefined;
  if (label.mono || findListMark(label) || findListMark(value)) return undefined;
  return { label: [label], value: [value] };
}

/** True if the labels and the values are below each other; a long label may push its value to the right. */
function isBelow(pair: Pair, pairs: readonly Pair[]): boolean {
  const first = (pairs[0] as Pair).label[0] as Line;
  const label = pair.label[0] as Line;
  const edge = computeValueEdge(pairs);
  const start = (pair.value[0] as Line).box.l;
  const indent = Math.abs(label.box.l - first.box.l);
  const isPushed = start > edge && label.box.r > edge - 2 * label.size;
  if (indent <= slack && areRightAligned([...pairs.slice(-lastPairs), pair])) return true;
  if (indent > slack) return indent < deepest * label.size && Math.abs(start - edge) < 1;
  return Math.abs(start - edge) <= slack || isPushed;
}

/** True for values with one right edge that are amounts or counts, as in the totals of an invoice, or that begin at various places. */
function areRightAligned(pairs: readonly Pair[]): boolean {
  const values = pairs.flatMap(({ value: [first] }) => first ?? []);
  const [first] = values;
  if (!values.every(({ box }) => Math.abs(box.r - (first as Line).box.r) < 1)) return false;
  const places = new Set(values.map(({ box }) => Math.round(box.l / slack)));
  return values.every(({ text }) => endsInAmount.test(text)) || (values.length > 1 && places.size === values.length);
}

/** The label with a colon and its value that one line reads as one, if the value begins where others near it do. */
function findJoinedPair(
  { lines: [line, ...others] }: Row,
  pairs: readonly Pair[],
  next: Row | undefined,
): Pair | undefined {
  if (!line || others.length > 0) return undefined;
  const near = pairs.at(-1) ?? (next && findPair(next));
  const start = near?.value[0]?.box.l;
  const at = line.words.findIndex(({ text }) => /[:：]$/.test(text)) + 1;
  const value = at > 0 ? line.words[at] : undefined;
  if (!near || start === undefined || !value || Math.abs(value.box.l - start) >= 1) return undefined;
  if (Math.abs(line.box.l - (near.label[0] as Line).box.l) > slack || !colon.test((near.label[0] as Line).text))
    return undefined;
  return { label: [cutLine(line, line.words.slice(0, at))], value: [cutLine(line, line.words.slice(at))] };
}

/** The label and amount of a row that one line reads as one, such as a bold total whose words nearly touch. */
function findSumPair({ lines: [line, ...others] }: Row, pairs: readonly Pair[]): Pair | undefined {
  const above = pairs.at(-1)?.value[0];
  if (!line || !above || others.length > 0 || line.words.length < 2 || !areRightAligned(pairs.slice(-lastPairs)))
    return undefined;
  const [before, amount] = line.words.slice(-2) as [Line['words'][number], Line['words'][number]];
  const isApart = amount.box.l - before.box.r > reach.sum * line.size;
  if (!isApart || !endsInAmount.test(amount.text) || Math.abs(amount.box.r - above.box.r) >= 1) return undefined;
  return { label: [cutLine(line, line.words.slice(0, -1))], value: [cutLine(line, [amount])] };
}

function computeValueEdge(pairs: readonly Pair[]): number {
  return findSmallest(pairs.flatMap(({ value: [first] }) => (first ? [first.box.l] : [])));
}

/** True for a label that ends with a colon, and for a value. */
function isWhole({ label, value }: Pair): boolean {
  return value.length === 0 || /[:：]$/.test((label.at(-1) as Line).text);
}

/** True for a further line of a label or value, close below it. */
function isContinued({ lines, baseline }: Row, above: readonly Line[]): boolean {
  const [line, last] = [lines[0], above.at(-1)];
  if (lines.length !== 1 || !line || !last || findListMark(line)) return false;
  return Math.abs(line.box.l - last.box.l) < 1 && last.baseline - baseline < 1.6 * line.size;
}

/** True for a few words in the column of the labels, such as the title of the pairs below. */
function isTitle({ lines, baseline }: Row, pairs: readonly Pair[]): boolean {
  const [line] = lines;
  const last = pairs.at(-1)?.label.at(-1);
  if (lines.length !== 1 || !line || !last || line.words.length > longest.words || findListMark(line)) return false;
  const isClose = last.baseline - baseline < 1.8 * line.size && Math.abs(line.size - last.size) < 0.5;
  return isClose && line.box.r < computeValueEdge(pairs) && Math.abs(line.box.l - last.box.l) < deepest * line.size;
}

function isForm(pairs: readonly Pair[]): boolean {
  const labels = pairs.map(({ label }) => label.map(({ text }) => text).join(' '));
  if (labels.every((text) => colon.test(text))) return pairs.length >= minimum.withColon;
  const values = pairs.map(({ value }) => value.map(({ text }) => text).join(' '));
  const isSum = pairs.length >= minimum.amounts && areRightAligned(pairs) && values.every((text) => amount.test(text));
  if (isSum && labels.every((text) => /\p{L}/u.test(text))) return true;
  const isLabel = (text: string) => text.split(' ').length <= longest.words && /^\p{Lu}[^\d:]*$/u.test(text);
  const figures = values.filter((text) => figure.test(text) || date.test(text)).length;
  return pairs.length >= minimum.plain && labels.every(isLabel) && figures > 0 && figures >= 0.3 * pairs.length;
}

function toTable(pairs: readonly Pair[]): LinedTable {
  const cells = pairs.flatMap(({ label, value }, row) =>
    [label, value].flatMap((lines, column): PageCell[] => {
      if (lines.length === 0) return [];
      return [
        {
          row,
          rowEnd: row + 1,
          column,
          columnEnd: column + 1,
          text: joinLines(lines.map(({ text }) => text)),
          header: row === 0,
          box: union(lines.map(({ box }) => box)),
        },
      ];
    }),
  );
  const lines = pairs.flatMap(({ label, value }) => [...label, ...value]);
  return {
    table: { box: union(lines.map(({ box }) => box)), rows: pairs.length, columns: 2, cells },
    taken: new Set(lines.flatMap(({ words }) => words)),
  };
}
