import type { GroupItem, NodeItem } from '../../document/model';
import { AppError } from '../../model/errors';
import type { OdfRun } from '../odf/runs';
import { readMarker } from './list-marker';
import { listNames, findText, kind, property } from './properties';
import { listChildren, listObjects, type Place, type Reading } from './reading';
import type { NoteObject } from './section';
import { addTable } from './table';
import { readParagraph } from './text';

/** The lists among the elements of one level. */
interface Lists {
  /** The list to which the next element may belong. */
  open: { group: GroupItem; isEnumerated: boolean } | undefined;
  /** The last number. Numbering continues after other paragraphs. */
  number: number;
}

/** Adds outlines, outline elements and their content in order. */
export function addBlocks(reading: Reading, objects: readonly NoteObject[], place: Place): void {
  if (place.depth > reading.maxDepth)
    throw new AppError('DOCUMENT_TOO_LARGE', `The outline of a page has more than ${reading.maxDepth} levels.`);
  const lists: Lists = { open: undefined, number: 0 };
  for (const object of objects) {
    if (reading.seen.has(object)) continue;
    reading.seen.add(object);
    if (object.kind === kind.element) addElement(reading, object, { place, lists });
    else {
      lists.open = undefined;
      addBlock(reading, object, place);
    }
  }
}

function addElement(reading: Reading, element: NoteObject, { place, lists }: { place: Place; lists: Lists }): void {
  const depth = place.depth + 1;
  const content = listObjects(reading, element, property.content);
  const marker = readMarker(reading.space, element);
  const text = content.find((object) => object.kind === kind.text);
  let parent = place.parent;
  if (marker === undefined || text === undefined) lists.open = undefined;
  else {
    if (marker.isEnumerated) lists.number = marker.restart ?? lists.number + 1;
    if (lists.open?.isEnumerated !== marker.isEnumerated)
      lists.open = { group: reading.builder.group('list', { parent }), isEnumerated: marker.isEnumerated };
    reading.seen.add(text);
    parent = addItem(reading, text, {
      parent: lists.open.group,
      enumerated: marker.isEnumerated,
      marker: marker.write(lists.number),
    });
  }
  addBlocks(reading, content, { parent, depth });
  addBlocks(reading, listChildren(reading, element), { parent, depth });
}

function addItem(
  reading: Reading,
  text: NoteObject,
  place: { parent: GroupItem; enumerated: boolean; marker: string },
): NodeItem {
  const { builder } = reading;
  const { runs } = readParagraph(reading.space, text);
  const [only] = runs;
  if (runs.length === 1 && only) {
    const { text: blockText, formatting, hyperlink } = only;
    return builder.listItem(blockText, { ...place, formatting, hyperlink });
  }
  const item = builder.listItem('', place);
  if (runs.length > 1) addRuns(reading, runs, builder.group('inline', { parent: item }));
  return item;
}

function addBlock(reading: Reading, object: NoteObject, place: Place): void {
  switch (object.kind) {
    case kind.text:
      return addText(reading, object, place);
    case kind.picture:
      return addPicture(reading, object, place);
    case kind.table:
      return addTable(reading, object, place);
    case kind.file: {
      const name = findText(object, property.fileName) ?? '';
      if (name !== '') reading.builder.text('text', name, { parent: place.parent });
      return reading.recordOmission('attachment');
    }
    case kind.outline:
    case kind.elements:
      return addBlocks(reading, listChildren(reading, object), { parent: place.parent, depth: place.depth + 1 });
    case kind.ink:
      return reading.recordOmission('drawing by hand');
    default:
      return reading.recordOmission('embedded object');
  }
}

function addText(reading: Reading, object: NoteObject, { parent }: Place): void {
  const { builder } = reading;
  const { runs, style } = readParagraph(reading.space, object);
  if (runs.length === 0) return;
  const text = runs.map((run) => run.text).join('');
  const level = /^h([1-6])$/.exec(style)?.[1];
  if (level !== undefined && !text.includes('\n'))
    builder.heading(reading.level + Number(level), text, { parent, hyperlink: getOnlyLink(runs) });
  else if (style === 'code') builder.code(text, { parent });
  else addRuns(reading, runs, runs.length > 1 ? builder.group('inline', { parent }) : parent);
}

function getOnlyLink(runs: readonly OdfRun[]): string | null {
  return runs.length === 1 ? runs[0]!.hyperlink : null;
}

function addRuns({ builder }: Reading, runs: readonly OdfRun[], parent: NodeItem): void {
  for (const { text, formatting, hyperlink } of runs)
    // Writers separate the texts of a group with a space.
    builder.text('text', runs.length > 1 ? text.trim() : text, { parent, formatting, hyperlink, orig: text });
}

function addPicture({ builder, space, image, recordOmission }: Reading, object: NoteObject, { parent }: Place): void {
  const [name] = listNames(object, property.picture);
  const data = name === undefined ? undefined : space.file(name);
  const picture = data && image(data);
  builder.picture({ parent, ...(picture ? { image: picture } : {}) });
  // OneNote recognizes text in pictures for its search, and shows it nowhere.
  const recognized = findText(object, property.text) ?? '';
  if (recognized.trim() !== '') recordOmission('recognized picture text', recognized);
  const description = findText(object, property.description) ?? '';
  if (description.trim() !== '') recordOmission('picture description', description);
}
