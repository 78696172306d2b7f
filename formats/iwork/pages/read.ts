import { gunzipSync } from 'node:zlib';
import { createDocument, type DocumentBuilder } from '../../../document/builder';
import { maxGridPlaces, tableCell } from '../../../document/grid';
import type { ContentLayer, DoclingDocument, TableCell } from '../../../document/model';
import { AppError } from '../../../model/errors';
import { type ReadDocument, type ReadLimits, type ReadOptions, getStem } from '../../format';
import { findChild, listDescendants, parseXml, type XmlElement, type XmlNode } from '../../xml/xml';
import { openZip, type Zip } from '../../zip/zip';
import { isIwa } from '../iwa/objects';
import { readArchives } from './archives';

const prefixes = {
  'http://developer.apple.com/namespaces/sf': 'sf',
  'http://developer.apple.com/namespaces/sfa': 'sfa',
  'http://developer.apple.com/namespaces/sl': 'sl',
};
/** Styles and metadata, which are not read. */
const skip = new Set(['sl:stylesheet', 'sf:stylesheet', 'sl:version-history', 'sf:metadata']);

interface Pages {
  builder: DocumentBuilder;
  name: string;
  /** Attachments by name; `undefined` after they have been added at a reference in a paragraph. */
  attachments: Map<string, XmlElement | undefined>;
  /** Lines of page headers and footers, which usually repeat on first, odd and even pages. */
  margins: Set<string>;
}

interface Place {
  label: 'text' | 'page_header' | 'page_footer';
  layer?: ContentLayer;
}

/** Content outside the body. */
const places = new Map<string, Place>([
  ['sf:header', { label: 'page_header', layer: 'furniture' }],
  ['sf:footer', { label: 'page_footer', layer: 'furniture' }],
  ['sf:annotation', { label: 'text', layer: 'notes' }],
]);

/** Documents of iWork '09, and of Pages 5 (2013) and later. */
export const read: ReadDocument = (bytes, options) => {
  const zip = openZip(bytes, options.limits);
  const isLater = !zip.has('index.xml') && !zip.has('index.xml.gz') && isIwa(zip);
  return isLater ? readArchives(zip, options) : readXml(zip, options);
};

/**
 * Reads paragraphs in file order, which begins with the page templates, as the reference does; tables are placed at their
 * anchors. Styles and pictures are skipped.
 */
function readXml(zip: Zip, { name, limits }: ReadOptions): DoclingDocument {
  const root = parseXml(readIndex(zip, name, limits), {
    source: `'index.xml' of '${name}'`,
    prefixes,
    skip,
    maxDepth: limits.maxDepth,
  });
  const builder = createDocument(getStem(name));
  const anchored = new Set(
    listDescendants(root, 'sf:attachment-ref').map(({ attributes }) => attributes['sfa:IDREF'] ?? ''),
  );
  const attachments = listDescendants(root, 'sf:attachment').map(
    (item) => [item.attributes['sfa:ID'] ?? '', item] as const,
  );
  const pages = {
    builder,
    name,
    attachments: new Map(attachments.filter(([id]) => anchored.has(id))),
    margins: new Set<string>(),
  };
  addContent(pages, root, { label: 'text' });
  return builder.document;
}

function addContent(pages: Pages, parent: XmlElement, place: Place): void {
  for (const node of parent.children) {
    if (typeof node === 'string') continue;
    if (node.name === 'sf:p') addParagraph(pages, node, place);
    else if (node.name === 'sf:tabular-model' || node.name === 'sf:grid') addGrids(pages, node);
    else if (node.name !== 'sf:attachment' || !pages.attachments.has(node.attributes['sfa:ID'] ?? ''))
      addContent(pages, node, places.get(node.name) ?? place);
  }
}

function readIndex(zip: Zip, name: string, limits: ReadLimits): Uint8Array {
  const plain = zip.read('index.xml');
  if (plain) return plain;
  const packed = zip.read('index.xml.gz');
  if (packed) return unpack(packed, name, limits.maxExpandedBytes);
  throw new AppError(
    'DOCUMENT_CORRUPT',
    `'${name}' is not a Pages document: it has neither 'index.xml' (iWork '09) nor archives in 'Index' (Pages 5 and later).`,
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

function addParagraph(pages: Pages, paragraph: XmlElement, { label, layer }: Place): void {
  for (const line of readText(paragraph)
    .split('\n')
    .map((text) => text.trim())) {
    if (line === '' || (layer === 'furniture' && pages.margins.has(line))) continue;
    if (layer === 'furniture') pages.margins.add(line);
    pages.builder.text(label, line, layer ? { layer } : {});
  }
  for (const reference of listDescendants(paragraph, 'sf:attachment-ref')) {
    const id = reference.attributes['sfa:IDREF'] ?? '';
    const attachment = pages.attachments.get(id);
    if (!attachment) continue;
    pages.attachments.set(id, undefined);
    addContent(pages, attachment, layer ? { label, layer } : { label });
  }
}

/** Returns the text of a node. Unused placeholder text is omitted; text that reuses a placeholder is kept. */
function readText(node: XmlNode): string {
  if (typeof node === 'string') return node.replace(/\s+/g, ' ');
  if (node.name === 'sf:br' || node.name === 'sf:lnbr') return '\n';
  if (node.name === 'sf:tab') return '\t';
  if (node.name === 'sf:ghost-text') return '';
  return node.children.map(readText).join('');
}

function addGrids(pages: Pages, node: XmlElement): void {
  if (node.name === 'sf:grid') addTable(pages, node);
  else for (const grid of listDescendants(node, 'sf:grid')) addTable(pages, grid);
}

/** Adds a table. Cells are stored row by row; numbers have their value in an attribute. */
function addTable({ builder, name }: Pages, grid: XmlElement): void {
  const columns = Number(grid.attributes['sf:numcols'] ?? 0);
  const source = findChild(grid, 'sf:datasource');
  const values = (source?.children ?? []).filter((node): node is XmlElement => typeof node !== 'string');
  if (!(columns > 0) || values.length === 0) return;
  if (values.length > maxGridPlaces || columns > maxGridPlaces) {
    throw new AppError('DOCUMENT_TOO_LARGE', `A table of '${name}' has more than ${maxGridPlaces} cells.`);
  }
  const cells: TableCell[] = values.map((cell, at) =>
    tableCell(Math.floor(at / columns), at % columns, readValue(cell), { column_header: at < columns }),
  );
  builder.table({ table_cells: cells, num_rows: Math.ceil(values.length / columns), num_cols: columns });
}

function readValue(cell: XmlElement): string {
  const content = findChild(cell, 'sf:ct');
  return content?.attributes['sfa:s'] ?? cell.attributes['sf:v'] ?? readText(cell).replace(/\s+/g, ' ').trim();
}
