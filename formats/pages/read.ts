import { gunzipSync } from 'node:zlib';
import { createDocument, type DocumentBuilder } from '../../document/builder';
import { maxGridPlaces, tableCell } from '../../document/grid';
import type { DoclingDocument, TableCell } from '../../document/model';
import { AppError } from '../../model/errors';
import { type ReadDocument, type ReadLimits, type ReadOptions, stemOf } from '../format';
import { child, descendants, parseXml, type XmlElement, type XmlNode } from '../xml';
import { openZip, type Zip } from '../zip';
import { isIwa } from './iwa/objects';
import { readIwa } from './iwa/read';

const prefixes = {
  'http://developer.apple.com/namespaces/sf': 'sf',
  'http://developer.apple.com/namespaces/sfa': 'sfa',
  'http://developer.apple.com/namespaces/sl': 'sl',
};
/** Templates of pages, and looks. */
const skip = new Set(['sl:section-prototypes', 'sl:stylesheet', 'sf:stylesheet', 'sl:version-history', 'sf:metadata']);

interface Pages {
  builder: DocumentBuilder;
  name: string;
  tables: Map<string, XmlElement>;
}

/** Documents of iWork '09, and of Pages 5 (2013) and later. */
export const read: ReadDocument = (bytes, options) => {
  const zip = openZip(bytes, options.limits);
  const isLater = !zip.has('index.xml') && !zip.has('index.xml.gz') && isIwa(zip);
  return isLater ? readIwa(zip, options) : readXml(zip, options);
};

/** Text boxes, then the body's paragraphs, with tables where they are anchored. Styles and pictures are left out. */
function readXml(zip: Zip, { name, limits }: ReadOptions): DoclingDocument {
  const root = parseXml(indexOf(zip, name, limits), {
    source: `'index.xml' of '${name}'`,
    prefixes,
    skip,
    maxDepth: limits.maxDepth,
  });
  const builder = createDocument(stemOf(name));
  const tables = new Map(descendants(root, 'sf:attachment').map((item) => [item.attributes['sfa:ID'] ?? '', item]));
  const storages = descendants(root, 'sf:text-storage');
  for (const kind of ['textbox', 'body']) {
    for (const storage of storages.filter(({ attributes }) => attributes['sf:kind'] === kind)) {
      for (const paragraph of descendants(storage, 'sf:p')) addParagraph({ builder, name, tables }, paragraph);
    }
  }
  return builder.document;
}

function indexOf(zip: Zip, name: string, limits: ReadLimits): Uint8Array {
  const plain = zip.read('index.xml');
  if (plain) return plain;
  const packed = zip.read('index.xml.gz');
  if (packed) return unpack(packed, name, limits.maxExpandedBytes);
  throw new AppError(
    'DOCUMENT_CORRUPT',
    `'${name}' is no Pages document: it has neither 'index.xml' (iWork '09) nor archives in 'Index' (Pages 5 and later).`,
  );
}

function unpack(bytes: Uint8Array, name: string, maxOutputLength: number): Uint8Array {
  try {
    return gunzipSync(bytes, { maxOutputLength });
  } catch (error) {
    if (error instanceof RangeError) {
      throw new AppError('DOCUMENT_TOO_LARGE', `'index.xml.gz' of '${name}' expands beyond ${maxOutputLength} bytes.`);
    }
    throw new AppError('DOCUMENT_CORRUPT', `'index.xml.gz' of '${name}' is damaged.`, {}, error);
  }
}

function addParagraph(pages: Pages, paragraph: XmlElement): void {
  for (const line of textOf(paragraph).split('\n')) {
    if (line.trim() !== '') pages.builder.text('text', line.trim());
  }
  for (const reference of descendants(paragraph, 'sf:attachment-ref')) {
    const model = pages.tables.get(reference.attributes['sfa:IDREF'] ?? '');
    for (const grid of model ? descendants(model, 'sf:grid') : []) addTable(pages, grid);
  }
}

/** Placeholder text is what the author never filled in. */
function textOf(node: XmlNode): string {
  if (typeof node === 'string') return node.replace(/\s+/g, ' ');
  if (node.name === 'sf:br' || node.name === 'sf:lnbr') return '\n';
  if (node.name === 'sf:tab') return '\t';
  if (node.name === 'sf:ghost-text' || node.name === 'sf:ghost-text-ref') return '';
  return node.children.map(textOf).join('');
}

/** Cells stand row by row; numbers have their value in an attribute. */
function addTable({ builder, name }: Pages, grid: XmlElement): void {
  const columns = Number(grid.attributes['sf:numcols'] ?? 0);
  const source = child(grid, 'sf:datasource');
  const values = (source?.children ?? []).filter((node): node is XmlElement => typeof node !== 'string');
  if (!(columns > 0) || values.length === 0) return;
  if (values.length > maxGridPlaces || columns > maxGridPlaces) {
    throw new AppError('DOCUMENT_TOO_LARGE', `A table of '${name}' has more than ${maxGridPlaces} cells.`);
  }
  const cells: TableCell[] = values.map((cell, at) =>
    tableCell(Math.floor(at / columns), at % columns, valueOf(cell), { column_header: at < columns }),
  );
  builder.table({ table_cells: cells, num_rows: Math.ceil(values.length / columns), num_cols: columns });
}

function valueOf(cell: XmlElement): string {
  const content = child(cell, 'sf:ct');
  return content?.attributes['sfa:s'] ?? cell.attributes['sf:v'] ?? textOf(cell).replace(/\s+/g, ' ').trim();
}
