import { createDocument } from '../../document/builder';
import type { DoclingDocument, GroupItem, ImageRef } from '../../document/model';
import { type ReadOptions, getStem } from '../format';
import type { OdfRun } from '../odf/runs';
import { createImages } from '../ooxml/image';
import { findChild, listDescendants, type XmlElement } from '../xml/xml';
import { readMarker, type Place, type Reading, readBlockText } from './context';
import { type HwpxPackage, openHwpx, listParagraphs } from './package';
import { readPieces } from './runs';
import { readStyles } from './styles';
import { addTable } from './table';

/** Longer outline paragraphs are numbered text and not headings. */
const maxHeadingLength = 100;
/** Objects that are reported as omitted. */
const omittedObjects: Readonly<Record<string, string>> = {
  'hp:ole': 'embedded object',
  'hp:video': 'sound or film',
  'hp:chart': 'chart',
};

/** Reads the sections in order: headings, paragraphs, lists, tables, pictures, text boxes, notes, headers and footers. */
export function read(bytes: Uint8Array, { name, limits, recordOmission }: ReadOptions): DoclingDocument {
  const office = openHwpx(bytes, name, limits);
  const builder = createDocument(getStem(name));
  const reading: Reading = {
    builder,
    text: {
      styles: readStyles(office.head, findOutline(office)),
      links: new Map(),
      deletions: new Set(),
      recordDeleted: (text) => recordOmission?.('deleted text', text),
    },
    image: createImageLookup(office),
    recordOmission: (kind, text) => recordOmission?.(kind, text),
    addBlocks,
    furniture: new Set(),
  };
  for (const section of office.sections) addBlocks(reading, listParagraphs(section), { parent: builder.document.body });
  for (const master of office.masters) {
    const text = readBlockText(reading, master);
    if (text !== '') reading.recordOmission('master text', text);
  }
  return builder.document;
}

/** Returns the numbering of outline paragraphs. */
function findOutline({ sections }: HwpxPackage): string | undefined {
  const [properties] = sections[0] ? listDescendants(sections[0], 'hp:secPr') : [];
  return properties?.attributes['outlineShapeIDRef'];
}

/** Returns a lookup of images by the id of their item in the manifest. */
function createImageLookup(office: HwpxPackage): (id: string) => ImageRef | undefined {
  const load = createImages({ zip: office.zip });
  return (id) => {
    const part = office.partOf(id);
    return part === undefined ? undefined : load(part);
  };
}

/** Adds paragraphs with everything in them. Consecutive items of a list share a group. */
function addBlocks(reading: Reading, paragraphs: readonly XmlElement[], place: Place): void {
  // Groups of the list by level; empty after a paragraph that is not an item.
  let lists: List[] = [];
  for (const paragraph of paragraphs) {
    const { kind, level, bullet } = reading.text.styles.getKind(paragraph);
    const pieces = readPieces(paragraph, reading.text);
    // A paragraph without text has no number.
    let isNumbered = kind !== 'text';
    for (const piece of pieces) {
      if ('object' in piece) {
        addObject(reading, piece.object, place);
        continue;
      }
      const text = piece.runs.map((run) => run.text).join('');
      const marker = isNumbered ? readMarker(reading, paragraph) : '';
      if (isNumbered && kind === 'heading' && text.length <= maxHeadingLength && !text.includes('\n')) {
        reading.builder.heading(level, [marker, text].filter(Boolean).join(' '), place);
        lists = [];
      } else if (isNumbered) {
        const isEnumerated = bullet === undefined;
        lists = openLists(reading, lists, { level, isEnumerated, place });
        addItem(reading, piece.runs, { parent: lists.at(-1)!.group, enumerated: isEnumerated, marker });
      } else {
        addRuns(reading, piece.runs, place);
        lists = [];
      }
      isNumbered = false;
    }
  }
}

/** A list that may continue. */
interface List {
  group: GroupItem;
  isEnumerated: boolean;
}

/** Returns the open lists down to this level, with a new one at this level if it cannot continue. */
function openLists(
  { builder }: Reading,
  lists: readonly List[],
  { level, isEnumerated, place }: { level: number; isEnumerated: boolean; place: Place },
): List[] {
  const last = lists[level - 1];
  if (last?.isEnumerated === isEnumerated) return lists.slice(0, level);
  // Bullets after numbers start another list. Skipped levels have no group.
  const outer = lists.slice(0, level - 1);
  const above = outer.at(-1)?.group;
  const item = above && builder.document.texts.findLast(({ parent }) => parent?.$ref === above.self_ref);
  return [...outer, { group: builder.group('list', above ? { parent: item ?? above } : place), isEnumerated }];
}

function addItem(
  { builder }: Reading,
  runs: readonly OdfRun[],
  place: { parent: GroupItem; enumerated: boolean; marker: string },
): void {
  const [only] = runs;
  if (runs.length === 1 && only) {
    builder.listItem(only.text, { ...place, formatting: only.formatting, hyperlink: only.hyperlink });
    return;
  }
  const item = builder.listItem('', place);
  const parent = builder.group('inline', { parent: item });
  for (const { text, formatting, hyperlink } of runs) builder.text('text', text, { parent, formatting, hyperlink });
}

function addRuns({ builder }: Reading, runs: readonly OdfRun[], { parent }: Place): void {
  const owner = runs.length > 1 ? builder.group('inline', { parent }) : parent;
  for (const { text, formatting, hyperlink } of runs)
    builder.text('text', text, { parent: owner, formatting, hyperlink });
}

function addObject(reading: Reading, object: XmlElement, place: Place): void {
  const { builder } = reading;
  switch (object.name) {
    case 'hp:tbl':
      return addTable(reading, object, place);
    case 'hp:pic':
      return addPicture(reading, object, place);
    case 'hp:footNote':
    case 'hp:endNote':
      return addNote(reading, object, place);
    case 'hp:header':
      return addFurniture(reading, object, 'page_header');
    case 'hp:footer':
      return addFurniture(reading, object, 'page_footer');
    case 'hp:hiddenComment':
    case 'hp:fieldBegin': {
      const text = readBlockText(reading, object);
      if (text === '') return;
      const group = builder.group('comment_section', { parent: place.parent, name: 'comment', layer: 'notes' });
      builder.text('text', text, { parent: group, layer: 'notes' });
      return;
    }
    default: {
      const kind = omittedObjects[object.name];
      if (kind !== undefined) reading.recordOmission(kind);
      for (const box of listOutermost(object, new Set(['hp:drawText', 'hp:pic', 'hp:tbl'])))
        if (box.name === 'hp:drawText') addBlocks(reading, listParagraphs(findChild(box, 'hp:subList')), place);
        else addObject(reading, box, place);
      addCaption(reading, object, place);
    }
  }
}

function addPicture(reading: Reading, object: XmlElement, place: Place): void {
  const [source] = listDescendants(object, 'hc:img');
  const image = reading.image(source?.attributes['binaryItemIDRef'] ?? '');
  const caption = readBlockText(reading, findChild(object, 'hp:caption'));
  const captions = caption === '' ? [] : [reading.builder.text('caption', caption, place)];
  reading.builder.picture({ ...place, captions, ...(image ? { image } : {}) });
}

/** Adds the caption of a group of shapes, or of an omitted object, as text. */
function addCaption(reading: Reading, object: XmlElement, place: Place): void {
  const caption = readBlockText(reading, findChild(object, 'hp:caption'));
  if (caption !== '') reading.builder.text('text', caption, place);
}

function addNote(reading: Reading, object: XmlElement, place: Place): void {
  // `1)See` becomes `1) See`.
  const text = readBlockText(reading, object).replace(/^(\d+[).]?)(?=[^\s\d).])/, '$1 ');
  const number = Number(object.attributes['number']);
  // Most programs repeat the number in the text of the note.
  const hasNumber = !(number > 0) || text.startsWith(String(number));
  if (text !== '') reading.builder.text('footnote', hasNumber ? text : `${number} ${text}`, place);
}

function addFurniture(reading: Reading, object: XmlElement, label: 'page_header' | 'page_footer'): void {
  const text = readBlockText(reading, object);
  if (text === '' || reading.furniture.has(label + text)) return;
  reading.furniture.add(label + text);
  reading.builder.text(label, text, { layer: 'furniture' });
}

/** Returns the outermost elements with these names, in document order. */
function listOutermost(element: XmlElement, names: ReadonlySet<string>): XmlElement[] {
  return element.children.flatMap((node) => {
    if (typeof node === 'string') return [];
    return names.has(node.name) ? [node] : listOutermost(node, names);
  });
}
