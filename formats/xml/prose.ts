import type { DocumentBuilder } from '../../document/builder';
import { tableCell } from '../../document/grid';
import type { GroupItem } from '../../document/model';
import { addData } from '../data/add-data';
import type { Data } from '../data/data';
import { findLargest } from '../extremes';
import { listAttributes, readData, isMixed } from './element-data';
import { listElements, joinText, readLocalName, type XmlElement, type XmlNode } from './xml';
import { collapseXml } from './xml-document';

interface Prose {
  /** Elements that contain text mixed with elements, at any depth. */
  inside: ReadonlySet<XmlElement>;
  /** Names of elements that directly contain such text anywhere in the document. */
  names: ReadonlySet<string>;
}

/** Common names of paragraph elements. */
const paragraphs = /^(?:p|para|simpara|formalpara|paragraph|ab|quote|blockquote|shortdesc)$/i;
const titles = /^(?:title|head|heading|caption|subtitle)$/i;
const namingAttributes = /^(?:name|title|label|displayName)$/i;
const items = /^(?:li|item|listitem|step)$/i;
const cellNames = /^(?:td|th|entry|cell|stentry)$/i;
const listings = /^(?:programlisting|screen|literallayout|pre|code|codeblock|eg|egXML|synopsis|sourcecode|artwork)$/i;
/** A text of several words with more characters is prose, not a value. */
const maxValueLength = 80;

/** Finds the prose of a document: text mixed with elements, elements with common names of paragraphs, and rows of tables. */
export function findProse(root: XmlElement): Prose {
  const inside = new Set<XmlElement>();
  const names = new Set<string>();
  const visit = (element: XmlElement): boolean => {
    let hasProse = isMixed(element);
    if (hasProse) names.add(element.name);
    else if (paragraphs.test(readLocalName(element)) && joinText(element).trim() !== '') hasProse = true;
    else if (isRow(element)) hasProse = true;
    for (const inner of listElements(element)) if (visit(inner)) hasProse = true;
    if (hasProse) inside.add(element);
    return hasProse;
  };
  visit(root);
  return { inside, names };
}

/** Writes prose in document order. */
export class ProseWriter {
  /** Elements between paragraphs, whose values are written together. */
  private values: XmlElement[] = [];
  constructor(
    private readonly builder: DocumentBuilder,
    private readonly prose: Prose,
  ) {}

  addElement(element: XmlElement, level: number): void {
    const title = listElements(element).find((child) => titles.test(readLocalName(child)) && isLine(child));
    const attributes = listAttributes(element);
    const name = title ? readLine(title) : attributes.find(([key]) => namingAttributes.test(key))?.[1];
    if (title && level === 1 && this.builder.document.texts.length === 0) this.builder.text('title', name ?? '');
    else if (name !== undefined && name !== '') this.builder.heading(Math.max(1, level - 1), name);
    const entries = attributes.filter(([key, value]) => value !== name && key !== 'id');
    if (entries.length > 0 && (level > 1 || !title)) addData(this.builder, { kind: 'map', entries }, { level });
    const below = name === undefined ? level : level + 1;
    this.addChildren(
      element.children.filter((child) => child !== title),
      below,
    );
    this.flush(below);
  }

  private addChildren(nodes: readonly XmlNode[], level: number): void {
    let list: GroupItem | undefined;
    for (const node of nodes) {
      if (typeof node === 'string') {
        // Text next to blocks, such as the text of an item before its inner list.
        if (node.trim() === '') continue;
        this.flush(level);
        this.builder.text('text', collapseXml(node).trim());
        continue;
      }
      const isItem = items.test(readLocalName(node)) && isFlat(node);
      if (!isItem) list = undefined;
      if (isItem) {
        this.flush(level);
        this.builder.listItem(readLine(node), { parent: (list ??= this.builder.group('list')) });
      } else this.addChild(node, level);
    }
  }

  private addChild(element: XmlElement, level: number): void {
    if (listings.test(readLocalName(element))) {
      this.flush(level);
      const text = joinText(element).replace(/^(?:[ \t]*\n)+|\s+$/g, '');
      if (text !== '') this.builder.code(text);
      return;
    }
    if (this.isParagraph(element)) {
      this.flush(level);
      const text = readLine(element);
      if (text !== '') this.builder.text('text', text);
      return;
    }
    if (this.addRows(element, level)) return;
    if (this.prose.inside.has(element)) {
      this.flush(level);
      this.addElement(element, level);
    } else if (element.children.length > 0 || listAttributes(element).length > 0) this.values.push(element);
  }

  /** Adds rows of cells, as in the tables of most document types. */
  private addRows(element: XmlElement, level: number): boolean {
    const rows = listElements(element);
    const cellsByRow = rows.map((row) => listElements(row));
    const width = cellsByRow[0]?.length ?? 0;
    if (width < 2 || !rows.every(isRow)) return false;
    this.flush(level);
    const columns = findLargest(cellsByRow.map(({ length }) => length));
    const cells = cellsByRow.flatMap((row, rowIndex) =>
      row.map((cell, column) => tableCell(rowIndex, column, readLine(cell))),
    );
    this.builder.table({ table_cells: cells, num_rows: rows.length, num_cols: columns });
    return true;
  }

  private flush(level: number): void {
    if (this.values.length === 0) return;
    const [first] = this.values;
    const data =
      this.values.length === 1 ? readNamedData(first!) : readData({ name: '', attributes: {}, children: this.values });
    this.values = [];
    addData(this.builder, data, { name: 'value', level: Math.max(1, level - 1) });
  }

  private isParagraph(element: XmlElement): boolean {
    if (isMixed(element)) return isFlat(element);
    if (listElements(element).length > 0) return paragraphs.test(readLocalName(element)) && isFlat(element);
    const text = joinText(element);
    if (text.trim() === '') return false;
    return paragraphs.test(readLocalName(element)) || this.prose.names.has(element.name) || isLong(text);
  }
}

function isLong(text: string): boolean {
  return text.length > maxValueLength && /\s/.test(text);
}

function readNamedData(element: XmlElement): Data {
  return { kind: 'map', entries: [[readLocalName(element), readData(element)]] };
}

/** True for a row of cells, by the names that most document types use. */
function isRow(element: XmlElement): boolean {
  const cells = listElements(element);
  return (
    /^(?:tr|row|strow)$/i.test(readLocalName(element)) &&
    cells.length > 0 &&
    cells.every((cell) => cellNames.test(readLocalName(cell)))
  );
}

/** True if the element contains no paragraphs, lists or tables, so that its words are one text. */
function isFlat(element: XmlElement): boolean {
  const inner = listElements(element);
  if (inner.length === 1 && !isMixed(element) && paragraphs.test(readLocalName(inner[0]!))) return isFlat(inner[0]!);
  return inner.every(
    (child) =>
      !paragraphs.test(readLocalName(child)) &&
      !items.test(readLocalName(child)) &&
      !/list|table/i.test(child.name) &&
      isFlat(child),
  );
}

function isLine(element: XmlElement): boolean {
  return isFlat(element) && readLine(element) !== '';
}

function readLine(element: XmlElement): string {
  return collapseXml(joinText(element)).trim();
}
