import type { ImageRef, NodeItem, PictureItem, TableItem } from '../../document/model';
import { type OtslPlace, buildTable } from '../doctags/otsl';
import { readImageInfo } from '../ooxml/image';
import { findChild, listElements, joinText, type XmlElement, type XmlNode } from '../xml/xml';
import { isInline, findLanguage } from './inline';
import { addText, readProvenance, type Reading } from './text';

type AddBlocks = (reading: Reading, nodes: readonly XmlNode[], parent: NodeItem) => void;

/** Elements of OTSL cells, and of positions that a cell spans. */
const cells = new Set(['fcel', 'ecel', 'ched', 'rhed', 'srow', 'lcel', 'ucel', 'xcel']);
/** Elements of a table that are not in its cells. */
const tableProperties = new Set(['location', 'caption', 'label']);

/** A position in a table with its content. */
interface Place extends OtslPlace {
  nodes: XmlNode[];
}

/** Adds a table in OTSL form, or an index. Blocks inside a cell become nodes below the table. */
export function addTable(reading: Reading, element: XmlElement, parent: NodeItem, addBlocks: AddBlocks): void {
  const label = element.name === 'index' ? 'document_index' : 'table';
  const rows = listRows(element);
  const table = reading.builder.table(buildTable(rows), { parent, label, ...readProvenance(reading, element, '') });
  addCaptions(reading, element, table);
  for (const cell of table.data.table_cells) {
    const nodes = rows[cell.start_row_offset_idx]?.[cell.start_col_offset_idx]?.nodes ?? [];
    if (!nodes.some((node) => !isInline(node))) continue;
    const group = reading.builder.group('unspecified', { parent: table });
    addBlocks(reading, nodes, group);
    cell.ref = { $ref: group.self_ref };
  }
}

function listRows(element: XmlElement): Place[][] {
  const rows: Place[][] = [];
  let row: Place[] = [];
  for (const node of element.children) {
    if (typeof node !== 'string' && cells.has(node.name)) {
      const content = readCellText(node);
      row.push({ kind: node.name, text: content, nodes: [...node.children] });
    } else if (typeof node !== 'string' && node.name === 'nl') {
      rows.push(row);
      row = [];
    } else if (typeof node === 'string' || !tableProperties.has(node.name)) {
      const cell = row.at(-1);
      if (!cell) continue;
      cell.text = [cell.text, readCellText(node)].filter(Boolean).join(' ');
      cell.nodes.push(node);
    }
  }
  if (row.length > 0) rows.push(row);
  return rows.filter((places) => places.length > 0);
}

/** Returns the text of a cell without the line ends and indentation of the file. */
function readCellText(node: XmlNode): string {
  if (typeof node === 'string') return node.trim();
  return node.children.map(readCellText).filter(Boolean).join(' ');
}

/** Adds a picture with its class, metadata, chart data, captions, and its image if it is available. */
export function addPicture(reading: Reading, element: XmlElement, parent: NodeItem): void {
  const uri = findChild(element, 'src')?.attributes['uri'];
  const image = uri === undefined ? undefined : (findImage(uri) ?? reading.imageAt(uri));
  const picture = reading.builder.picture({
    parent,
    ...(image ? { image } : {}),
    ...readProvenance(reading, element, ''),
  });
  const kind = findLanguage(element);
  const table = findChild(element, 'table');
  const fields = Object.fromEntries(
    listElements(findChild(element, 'custom')).map((field) => [
      field.name.replace(/^docling__/, ''),
      joinText(field).trim(),
    ]),
  );
  const meta = {
    ...(fields['summary'] ? { summary: { text: fields['summary'] } } : {}),
    ...(fields['description'] ? { description: { text: fields['description'] } } : {}),
    ...(kind ? { classification: { predictions: [{ class_name: kind }] } } : {}),
    ...(fields['smiles'] ? { molecule: { smi: fields['smiles'] } } : {}),
    ...(table ? { tabular_chart: { chart_data: buildTable(listRows(table)) } } : {}),
    ...(fields['code'] ? { code: { text: fields['code'] } } : {}),
  };
  if (Object.keys(meta).length > 0) picture.meta = meta;
  addCaptions(reading, element, picture);
}

/** Decodes a data URI; undefined for other URIs. */
function findImage(uri: string): ImageRef | undefined {
  const [head] = /^data:[^,]*;base64,/.exec(uri) ?? [];
  if (head === undefined) return undefined;
  const bytes = Buffer.from(uri.slice(head.length), 'base64');
  const info = readImageInfo(bytes);
  return info && { mimetype: info.mimetype, dpi: 72, size: { width: info.width, height: info.height }, uri };
}

function addCaptions(reading: Reading, element: XmlElement, owner: TableItem | PictureItem): void {
  for (const caption of listElements(element, 'caption')) {
    const added = addText(reading, caption, owner);
    if (added) owner.captions.push({ $ref: added.self_ref });
  }
}
