import { AppError } from '../../../model/errors';
import type { ReadDocument } from '../../format';
import { sortReadingRows } from '../../reading-rows';
import { openZip } from '../../zip/zip';
import { addDrawable, type IwaReading, readLines, type Place, startReading } from '../iwa/content';
import { findBox, createProvenance } from '../iwa/geometry';
import type { Message } from '../iwa/message';
import { numbersTypes as kinds } from '../iwa/message-types';
import { createNoArchivesError, isIwa } from '../iwa/objects';

/** Reads a spreadsheet: one group and one page per sheet; tables, charts, texts and pictures row by row. */
export const read: ReadDocument = (bytes, options) => {
  const { name, limits } = options;
  const zip = openZip(bytes, limits);
  if (!isIwa(zip))
    throw createNoArchivesError(name, {
      isOlder: zip.has('index.xml') || zip.has('index.xml.gz'),
      program: 'Numbers',
      kind: 'spreadsheet',
      exportAs: 'Excel or PDF',
    });
  const reading = startReading(zip, options, { isTrimmed: true });
  const sheets = listSheets(reading);
  if (sheets.length > limits.maxPages) {
    throw new AppError('DOCUMENT_TOO_LARGE', `'${name}' has ${sheets.length} sheets; the limit is ${limits.maxPages}.`);
  }
  for (const [index, sheet] of sheets.entries()) addSheet(reading, sheet, index + 1);
  if (options.includeFormulas)
    options.warn?.('The formulas of Numbers cannot be read. Export the spreadsheet to Excel.');
  return reading.builder.document;
};

function listSheets({ objects, name }: IwaReading): Message[] {
  const documents = [...objects.values()].filter(({ type }) => type === kinds.document);
  const sheets = documents
    .flatMap(({ message }) => message.references(1))
    .flatMap((id) => objects.get(id) ?? [])
    .filter(({ type }) => type === kinds.sheet);
  if (sheets.length === 0)
    throw new AppError('DOCUMENT_CORRUPT', `'${name}' contains no sheets of a Numbers spreadsheet.`);
  return sheets.map(({ message }) => message);
}

function addSheet(reading: IwaReading, sheet: Message, pageNo: number): void {
  const { builder, objects } = reading;
  const layer = sheet.number(25) === 1 ? 'invisible' : 'body';
  const parent = builder.group('section', { name: `sheet: ${sheet.text(1) ?? `Sheet ${pageNo}`}`, layer });
  const page = { no: pageNo, left: 0, top: 0 };
  const drawables = sheet.references(2).flatMap((id) => {
    const object = objects.get(id);
    return object ? [{ id, ...(findBox(object, page) ?? { left: 0, top: 0, right: 0, bottom: 0 }) }] : [];
  });
  const reach = (side: 'right' | 'bottom') => drawables.reduce((max, box) => Math.max(max, box[side]), 1);
  builder.page(pageNo, reach('right'), reach('bottom'));
  const place: Place = { parent, layer, depth: 0, page };
  for (const { id } of sortReadingRows(drawables)) addDrawable(reading, id, place);
  addMargins(reading, sheet, place);
}

/** Adds the header and footer of printed pages. */
function addMargins({ builder, objects }: IwaReading, sheet: Message, { parent, page }: Place): void {
  for (const [fields, label] of [[[18, 15], 'page_header'] as const, [[19, 16], 'page_footer'] as const]) {
    const ids = new Set(fields.flatMap((field) => sheet.references(field)));
    const text = [...ids]
      .map((id) => readLines(objects.get(id), objects))
      .filter(Boolean)
      .join('\n');
    if (text === '') continue;
    const prov = createProvenance(page, undefined, text.length);
    builder.text(label, text, { ...(parent ? { parent } : {}), layer: 'furniture', prov });
  }
}
