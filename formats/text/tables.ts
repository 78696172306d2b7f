import { findLargest } from '../extremes';

/** Larger blocks are logs, which are kept unchanged. */
const maxLines = 5_000;
const maxWidth = 400;
/** Longer first cells are prose. */
const maxFirstCell = 40;

/**
 * Returns the rows of a table drawn with lines or aligned in columns; undefined for other texts. The first row may be a header.
 */
export function findTable(lines: readonly string[]): { rows: string[][]; hasHeader: boolean } | undefined {
  if (lines.length < 2 || lines.length > maxLines) return undefined;
  return readDrawnTable(lines) ?? readRuledTable(lines) ?? readTabbedTable(lines) ?? readAlignedTable(lines);
}

/** Lines, corners and walls of boxes drawn with Unicode characters. */
const boxLine = /[─━═┄┈╌]/g;
const boxJoint = /[┌┐└┘├┤┬┴┼╔╗╚╝╠╣╦╩╬┏┓┗┛┣┫┳┻╋╞╡╪╭╮╰╯]/g;
const boxWall = /[│┃║┆┊]/g;
/** `-----`, `+----+----+`, `|:---|---:|` or `+====+`. */
const ruler = /^[+|]?[-=:+|\s]*-{2,}[-=:+|\s]*$|^\+[=+]+\+$/;

/** Reads cells between bars, with rules of dashes: output of databases, Markdown, reStructuredText grids, Unicode boxes. */
function readDrawnTable(lines: readonly string[]) {
  const plain = lines.map((line) => line.replace(boxLine, '-').replace(boxJoint, '+').replace(boxWall, '|').trim());
  const isRuler = plain.map((line) => ruler.test(line) && /[+|]/.test(line));
  const rulers = isRuler.filter(Boolean).length;
  if (rulers === 0 || plain.some((line, at) => !isRuler[at] && !line.includes('|'))) return undefined;
  const groups: string[][][] = [[]];
  for (const [at, line] of plain.entries()) {
    if (!isRuler[at]) groups.at(-1)!.push(listCells(line));
    else if (groups.at(-1)!.length > 0) groups.push([]);
  }
  const filled = groups.filter(({ length }) => length > 0);
  const width = filled[0]?.[0]?.length ?? 0;
  if (width < 2 || filled.some((group) => group.some(({ length }) => length !== width))) return undefined;
  // If a rule follows each row, the lines between rules are one row.
  const rows = filled.length > 2 ? filled.map(joinCells) : filled.flat();
  return rows.length < 2 ? undefined : { rows, hasHeader: filled.length > 1 };
}

function listCells(line: string): string[] {
  const inner = line.replace(/^\|/, '').replace(/\|$/, '');
  return inner.split('|').map((cell) => cell.trim());
}

function joinCells(lines: readonly string[][]): string[] {
  return lines[0]!.map((_, column) =>
    lines
      .map((line) => line[column]!)
      .filter(Boolean)
      .join(' '),
  );
}

/** Reads columns below runs of `=` or `-` separated by blanks, as in simple tables of reStructuredText and program reports. */
function readRuledTable(lines: readonly string[]) {
  const isRule = (line: string) => /^\s*(?:=+|-+)(?:\s+(?:=+|-+))+\s*$/.test(line);
  const at = lines.findIndex(isRule);
  if (at < 0 || at > 2) return undefined;
  const starts = [...lines[at]!.matchAll(/[=-]+/g)].map(({ index }) => index);
  const rows = lines.filter((line) => !isRule(line) && line.trim() !== '').map((line) => splitAt(line, starts));
  if (rows.length < 2 || rows.some((row) => row === undefined)) return undefined;
  return { rows: rows as string[][], hasHeader: true };
}

/** Splits a line into its columns; undefined if a word crosses the start of a column. */
function splitAt(line: string, starts: readonly number[]): string[] | undefined {
  const isWordCut = starts.some(
    (start, column) => column > 0 && /\S/.test(line[start - 1] ?? ' ') && /\S/.test(line[start] ?? ' '),
  );
  if (isWordCut) return undefined;
  return starts.map((start, column) => line.slice(column === 0 ? 0 : start, starts[column + 1]).trim());
}

/** Reads lines with the same number of tabs. */
function readTabbedTable(lines: readonly string[]) {
  if (lines.length < 3 || !lines.every((line) => /\S\t+\S/.test(line))) return undefined;
  const rows = lines.map((line) =>
    line
      .trim()
      .split(/\t+/)
      .map((cell) => cell.trim()),
  );
  const width = rows[0]!.length;
  return rows.every(({ length }) => length === width) ? { rows, hasHeader: false } : undefined;
}

/** Syntax that is common in programs and absent from tables. */
const codeSigns = /[{};]|[=!<>]=|=>|->|::|\w\(\)/;

/**
 * Reads columns separated by blanks in every line. Two columns are weaker evidence than three: they need four lines and short
 * first cells. Justified prose and programs with comments at the line ends are not tables.
 */
function readAlignedTable(lines: readonly string[]) {
  if (lines.length < 3 || lines.some((line) => /[\t\u2500-\u25ff]/.test(line) || line.length > maxWidth))
    return undefined;
  const body = lines.filter((line) => !/^[\s=_-]+$/.test(line));
  if (body.length < 3 || body.filter((line) => codeSigns.test(line)).length * 4 > body.length) return undefined;
  const starts = findColumnStarts(body);
  if (starts.length < 2) return undefined;
  const rows = body.map((line) => starts.map((start, column) => line.slice(start, starts[column + 1]).trim()));
  if (!areColumnsFilled(rows) || rows.some(([first = '']) => first.length > maxFirstCell)) return undefined;
  // A first column of bullets or numbers only is a list.
  if (rows.every(([first = '']) => /^(?:[-*•+o>#|]|\(?\w{1,3}[.)])?$/.test(first))) return undefined;
  const cells = rows.flat();
  if (cells.filter((cell) => /[\p{L}\p{N}]/u.test(cell)).length * 2 < cells.length) return undefined;
  return { rows, hasHeader: body.length < lines.length };
}

/** Returns the positions after at least two columns of characters that are blank in all lines. */
function findColumnStarts(lines: readonly string[]): number[] {
  const width = findLargest(lines.map(({ length }) => length));
  const isUsed = Array.from({ length: width }, (_, at) => lines.some((line) => (line[at] ?? ' ') !== ' '));
  return isUsed.flatMap((used, at) => (used && !isUsed[at - 1] && !isUsed[at - 2] ? [at] : []));
}

/** Two columns must be filled in all of at least four rows, more columns in half of the rows. */
function areColumnsFilled(rows: readonly string[][]): boolean {
  const shares = rows[0]!.map((_, column) => rows.filter((row) => row[column] !== '').length / rows.length);
  if (shares.length > 2) return shares.every((share) => share >= 0.5);
  return rows.length >= 4 && shares.every((share) => share === 1);
}
