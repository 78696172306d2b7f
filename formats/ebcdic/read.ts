import { createDocument, type DocumentBuilder } from '../../document/builder';
import { maxGridPlaces, tableCell } from '../../document/grid';
import type { TableData } from '../../document/model';
import { AppError } from '../../model/errors';
import { findLargest } from '../extremes';
import { type ReadDocument, getStem } from '../format';
import { decodeEbcdic } from './code-page';
import { type Field, type Layout, parseLayout, type RecordLayout } from './layout';
import { readValue } from './values';

/** Length of a punched card, the default record length. */
const cardBytes = 80;

/**
 * Reads one table per type of record, as described by `NAME.layout.json` next to the file. Without a layout, each line becomes
 * a text.
 */
export const read: ReadDocument = (bytes, { name, related, warn = () => undefined }) => {
  const builder = createDocument(getStem(name));
  const file = `${getStem(name)}.layout.json`;
  const layout = related?.(file);
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (layout === undefined) {
    warn(`The layout '${file}' is missing, so the lines of '${name}' are read as text.`);
    addLines(builder, data, name);
  } else addRecords(builder, data, parseLayout(layout, file));
  return builder.document;
};

function addRecords(builder: DocumentBuilder, data: Buffer, layout: Layout): void {
  const recordsByLayout = new Map<RecordLayout, Buffer[]>();
  let places = 0;
  const end = Math.max(layout.headerSize, data.length - layout.footerSize);
  for (const { kind, record } of iterateRecords(data.subarray(layout.headerSize, end), layout)) {
    places += kind.fields.length;
    if (places > maxGridPlaces)
      throw new AppError('DOCUMENT_TOO_LARGE', `The records have more than ${maxGridPlaces} fields together.`);
    const records = recordsByLayout.get(kind);
    if (records) records.push(record);
    else recordsByLayout.set(kind, [record]);
  }
  if (recordsByLayout.size === 0)
    throw new AppError('DOCUMENT_CORRUPT', 'The file contains no record of a type that its layout defines.');
  if (layout.description !== '') builder.text('text', layout.description);
  for (const kind of layout.records) {
    const records = recordsByLayout.get(kind);
    if (records === undefined) continue;
    if (layout.records.length > 1) builder.heading(1, kind.name);
    builder.table(readTable(kind, records, layout.codePage));
  }
}

/** Yields the records. Types that the layout does not define, and a truncated last record, are skipped. */
function* iterateRecords(data: Buffer, layout: Layout): Generator<{ kind: RecordLayout; record: Buffer }> {
  // Records of unknown types are skipped at this size.
  const maxSize = findLargest(layout.records.map(({ size }) => size));
  const { lengthField, codePage, typeSize } = layout;
  const prefix = lengthField?.size ?? 0;
  for (let at = 0; at < data.length;) {
    const from = at + prefix;
    const kind = findKind(layout, decodeEbcdic(data.subarray(from, from + typeSize), codePage).trim());
    const start = from + typeSize;
    const declaredLength = lengthField && Number(readValue(data.subarray(at, from), lengthField, codePage));
    // A length shorter than its own prefix would cause an endless loop.
    if (declaredLength !== undefined && !(declaredLength >= prefix + typeSize && declaredLength > 0)) return;
    at = declaredLength === undefined ? start + (kind?.size ?? maxSize) : at + declaredLength;
    if (kind && at <= data.length) yield { kind, record: data.subarray(start, at) };
  }
}

function findKind({ typeSize, records }: Layout, selector: string): RecordLayout | undefined {
  if (typeSize === 0) return records[0];
  return records.find((record) => (record.selector ?? record.name) === selector);
}

function readTable(kind: RecordLayout, records: readonly Buffer[], codePage: string): TableData {
  const fields: { field: Field; from: number }[] = [];
  let from = 0;
  for (const field of kind.fields) {
    if (field.type !== 'skip') fields.push({ field, from });
    from += field.size;
  }
  const data: TableData = { table_cells: [], num_rows: records.length + 1, num_cols: fields.length };
  for (const [column, { field }] of fields.entries())
    data.table_cells.push(tableCell(0, column, field.name, { column_header: true }));
  for (const [row, record] of records.entries()) {
    for (const [column, { field, from: start }] of fields.entries()) {
      const text = readValue(record.subarray(start, start + field.size), field, codePage);
      data.table_cells.push(tableCell(row + 1, column, text));
    }
  }
  return data;
}

/** Adds lines as texts. They end with the mainframe's new line or a line feed; without either, the file is read as cards. */
function addLines(builder: DocumentBuilder, data: Buffer, name: string): void {
  const text = decodeEbcdic(data, 'cp037');
  const lines = /[\u0085\n]/.test(text) ? text.split(/\r?[\u0085\n]/) : splitCards(text);
  // eslint-disable-next-line no-control-regex
  const controls = text.match(/[\0-\x08\x0e-\x1f\x7f-\x9f]/g)?.length ?? 0;
  if (controls - (text.match(/\u0085/g)?.length ?? 0) > text.length / 20) {
    throw new AppError('DOCUMENT_CORRUPT', `'${name}' is not text in EBCDIC; records need a layout file.`);
  }
  for (const line of lines) if (line.trim() !== '') builder.text('text', line.trim());
}

function splitCards(text: string): string[] {
  const count = Math.ceil(text.length / cardBytes);
  return Array.from({ length: count }, (_, at) => text.slice(at * cardBytes, (at + 1) * cardBytes));
}
