import type { CellTag } from '../geometry/page';
import { allocate, type Pdfium, type Scratch } from './pdfium';
import { addCell, openTable, type OpenTable, readSpan, startRow } from './table-tags';

/** The tag information of a text object. */
export interface Tag {
  /** The nearest meaningful structure type, or `Artifact`. */
  type: string;
  /** The table cell that contains the object. */
  cell?: CellTag;
}

/** Returns the tag of a text object in a tagged PDF. */
export type TagOf = (object: number) => Tag | undefined;

/** Only malicious files have deeper or larger structure trees. */
const maxDepth = 60;
const maxElements = 20_000;
/** The type for labels of list items; the file also uses `Lbl` for labels of notes and headings. */
export const itemLabel = 'Lbl of LI';
/** Types that describe text; text in an element of another type takes the type of its nearest ancestor listed here. */
const textTypes = /^(?:H[1-6]?|Title|P|LI|Lbl|LBody|TH|TD|Caption|Figure|Formula|Note|TOCI|Code|BlockQuote)$/;

/** Reads the tags of a page; undefined if the document has none. */
export function readTags(pdfium: Pdfium, document: number, page: number): TagOf | undefined {
  if (pdfium._FPDFCatalog_IsTagged(document) === 0) return undefined;
  const tree = pdfium._FPDF_StructTree_GetForPage(page);
  if (tree === 0) return undefined;
  const scratch = allocate(pdfium, 256);
  const tags = new Map<number, Tag>();
  try {
    const walk = createWalk(pdfium, scratch, tags);
    const count = pdfium._FPDF_StructTree_CountChildren(tree);
    for (let index = 0; index < Math.min(count, maxElements); index += 1)
      walk(pdfium._FPDF_StructTree_GetChildAtIndex(tree, index), {}, 0);
  } finally {
    pdfium._FPDF_StructTree_Close(tree);
    scratch.free();
  }
  return (object) => {
    const id = pdfium._FPDFPageObj_GetMarkedContentID(object);
    return id >= 0 ? tags.get(id) : findArtifact(pdfium, object);
  };
}

/** The context of an element: its nearest meaningful type, its table and its cell. */
interface Around {
  type?: string;
  table?: OpenTable;
  cell?: CellTag;
}

/** Returns a function that records the tag of each piece of marked content below an element. */
function createWalk(pdfium: Pdfium, scratch: Scratch, tags: Map<number, Tag>) {
  let seen = 0;
  let tables = 0;
  const walk = (element: number, outer: Around, depth: number): void => {
    seen += 1;
    if (element === 0 || depth > maxDepth || seen > maxElements) return;
    const length = pdfium._FPDF_StructElement_GetType(element, scratch.address, 256);
    const tagText = new TextDecoder('utf-16le').decode(scratch.bytes(Math.min(Math.max(length - 2, 0), 254)));
    const type = tagText === 'Lbl' && outer.type === 'LI' ? itemLabel : tagText;
    const around = textTypes.test(tagText) ? { ...outer, type } : { ...outer };
    if (tagText === 'Table') Object.assign(around, { table: openTable((tables += 1)), cell: undefined });
    if (tagText === 'TR' && around.table) startRow(around.table);
    if ((tagText === 'TD' || tagText === 'TH') && around.table)
      around.cell = addCell(around.table, {
        isHead: tagText === 'TH',
        rows: readSpan(pdfium, element, 'RowSpan', scratch),
        columns: readSpan(pdfium, element, 'ColSpan', scratch),
      });
    const { cell } = around;
    const count = pdfium._FPDF_StructElement_CountChildren(element);
    for (let index = 0; index < Math.min(count, maxElements); index += 1) {
      const child = pdfium._FPDF_StructElement_GetChildAtIndex(element, index);
      if (child !== 0) walk(child, around, depth + 1);
      else if (around.type !== undefined) {
        const id = pdfium._FPDF_StructElement_GetChildMarkedContentID(element, index);
        if (id >= 0) tags.set(id, cell ? { type: around.type, cell } : { type: around.type });
      }
    }
  };
  return walk;
}

/** `Artifact` if the object is marked as not part of the text, such as a page header. */
function findArtifact(pdfium: Pdfium, object: number): Tag | undefined {
  const count = Math.min(pdfium._FPDFPageObj_CountMarks(object), 8);
  if (count <= 0) return undefined;
  const scratch = allocate(pdfium, 128);
  try {
    for (let index = 0; index < count; index += 1) {
      const mark = pdfium._FPDFPageObj_GetMark(object, index);
      if (mark === 0 || pdfium._FPDFPageObjMark_GetName(mark, scratch.address, 100, scratch.address + 104) === 0)
        continue;
      const length = Math.min(Math.max(scratch.int(26) - 2, 0), 98);
      if (new TextDecoder('utf-16le').decode(scratch.bytes(length)) === 'Artifact') return { type: 'Artifact' };
    }
  } finally {
    scratch.free();
  }
  return undefined;
}
