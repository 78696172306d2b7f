/** A table of a sheet: formulas refer to it by its name and the headings of its columns. */
export interface LinkedTable {
  name: string;
  columns: string[];
}

/** Bytes of a reference to a table after its two bytes of type (MS-XLSB 2.5.98.52). */
export const tableReferenceBytes = 12;

/** Rows of a table that are referred to, by number (MS-XLSB 2.5.98.73); those without a word are the data. */
const rowWords: Readonly<Record<number, readonly string[]>> = {
  0: [],
  0x01: ['#All'],
  0x02: ['#Headers'],
  0x04: [],
  0x06: ['#Headers', '#Data'],
  0x08: ['#Totals'],
  0x0c: ['#Data', '#Totals'],
  0x10: ['#This Row'],
};
const invalid = 0x1000;
const nonresident = 0x2000;

/** Writes a reference such as `Sales[Price]` or `Sales[[#Totals],[Price]:[Tax]]`. Undefined if it does not refer to a known table. */
export function writeTableReference(data: Buffer, tables: ReadonlyMap<number, LinkedTable>): string | undefined {
  const [flags, id] = [data.readUInt16LE(2), data.readUInt32LE(4)];
  const table = tables.get(id);
  const words = rowWords[(flags >> 2) & 0x1f];
  if (!table || !words || flags & (invalid | nonresident)) return undefined;
  const [first, last] = [table.columns[data.readUInt16LE(8)], table.columns[data.readUInt16LE(10)]];
  if ([first, last].some((heading) => heading !== undefined && heading.length > maxHeading)) return undefined;
  const range = flags & 3;
  if ((range > 0 && first === undefined) || (range === 2 && last === undefined) || range === 3) return undefined;
  const columns = range === 0 ? [] : [`[${escapeHeading(first!)}]`];
  if (range === 2) columns.push(`[${escapeHeading(last!)}]`);
  const parts = [...words.map((word) => `[${word}]`), ...(columns.length > 0 ? [columns.join(':')] : [])];
  if (parts.length === 0) return table.name;
  const isSingle = parts.length === 1 && range < 2;
  return `${table.name}${isSingle ? parts[0] : `[${parts.join(',')}]`}`;
}

/** Excel allows no longer headings; to write those of a damaged file again and again would take long. */
const maxHeading = 255;
const escapeHeading = (heading: string) => heading.replaceAll(/['#@[\]]/g, (character) => `'${character}`);
