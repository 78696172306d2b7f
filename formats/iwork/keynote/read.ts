import type { GroupItem } from '../../../document/model';
import { AppError } from '../../../model/errors';
import type { ReadDocument, ReadLimits } from '../../format';
import { sortReadingRows } from '../../reading-rows';
import { openZip } from '../../zip/zip';
import {
  addDrawable,
  addStorage,
  type IwaReading,
  readLines,
  type Place,
  startReading,
  findStorage,
} from '../iwa/content';
import { findBox, createProvenance } from '../iwa/geometry';
import type { Message } from '../iwa/message';
import { keynoteTypes as kinds } from '../iwa/message-types';
import { createNoArchivesError, isIwa, type IwaObject } from '../iwa/objects';

/** Reads a presentation: one group and one page per slide, the title first, then shapes row by row. */
export const read: ReadDocument = (bytes, options) => {
  const zip = openZip(bytes, options.limits);
  if (!isIwa(zip))
    throw createNoArchivesError(options.name, {
      isOlder: zip.has('index.apxl') || zip.has('index.apxl.gz'),
      program: 'Keynote',
      kind: 'presentation',
      exportAs: 'PDF',
    });
  const reading = startReading(zip, options, { isTrimmed: false });
  const show = findShow(reading);
  const size = show.message(4);
  const masters = new Set<number>();
  for (const [index, node] of listNodes(reading, show, options.limits).entries()) {
    reading.builder.page(index + 1, size?.number(1) ?? 1_024, size?.number(2) ?? 768);
    const group = reading.builder.group('chapter', { name: `slide-${index}` });
    if (node.message.number(4) === 1) group.meta = { docloom__hidden: true };
    const slide = reading.objects.get(node.message.reference(2) ?? -1);
    if (slide?.type === kinds.slide) addSlide(reading, slide.message, { parent: group, pageNo: index + 1, masters });
  }
  return reading.builder.document;
};

function findShow({ objects, name }: IwaReading): Message {
  const documents = [...objects.values()].filter(({ type }) => type === kinds.document);
  const shows = documents.flatMap(({ message }) => objects.get(message.reference(2) ?? -1) ?? []);
  const show = shows.find(({ type }) => type === kinds.show);
  if (!show) throw new AppError('DOCUMENT_CORRUPT', `'${name}' holds no slides of a Keynote presentation.`);
  return show.message;
}

/** Returns the slides in order. Older files have a tree of them, newer ones a list with the depth of each. */
function listNodes({ objects, name }: IwaReading, show: Message, { maxPages, maxDepth }: ReadLimits): IwaObject[] {
  const tree = show.message(3);
  const nodes: IwaObject[] = [];
  const seen = new Set<number>();
  const visit = (id: number, depth: number) => {
    const node = objects.get(id);
    if (node?.type !== kinds.slideNode || seen.has(id) || depth > maxDepth) return;
    seen.add(id);
    if (node.message.reference(2) !== undefined) nodes.push(node);
    if (nodes.length > maxPages)
      throw new AppError('DOCUMENT_TOO_LARGE', `'${name}' has more than ${maxPages} slides.`);
    for (const child of node.message.references(1)) visit(child, depth + 1);
  };
  const root = tree?.reference(1);
  for (const id of [...(root === undefined ? [] : [root]), ...(tree?.references(2) ?? [])]) visit(id, 0);
  return nodes;
}

interface SlidePlace {
  parent: GroupItem;
  pageNo: number;
  /** Template slides whose own texts have been added. */
  masters: Set<number>;
}

function addSlide(reading: IwaReading, slide: Message, { parent, pageNo, masters }: SlidePlace): void {
  const { objects } = reading;
  const place: Place = { parent, depth: 0, page: { no: pageNo, left: 0, top: 0 } };
  const shownDrawables = collectDrawables(slide);
  const [title, body] = [slide.reference(5), slide.reference(6)];
  for (const [id, label] of [[title, 'title'] as const, [body, 'text'] as const]) {
    if (id === undefined || shownDrawables.has(id)) continue;
    // The author has turned the title or text of this slide off; it is still in the outline.
    addDrawable(reading, id, { ...place, label, layer: 'invisible' });
  }
  if (title !== undefined) addDrawable(reading, title, { ...place, label: 'title' });
  const placed = [...shownDrawables].flatMap((id) => {
    const object = objects.get(id);
    return object ? [{ id, ...(findBox(object, { left: 0, top: 0 }) ?? { left: 0, top: 0, bottom: 0 }) }] : [];
  });
  for (const { id } of sortReadingRows(placed)) if (id !== slide.reference(20)) addDrawable(reading, id, place);
  addTemplateTexts(reading, slide.reference(17), { parent, pageNo, masters });
  const note = objects.get(slide.reference(27) ?? -1);
  const storage = objects.get(note?.message.reference(1) ?? -1);
  const text = note?.type === kinds.note ? readLines(storage, objects) : '';
  if (storage && text !== '') addStorage(reading, storage, { ...place, layer: 'notes' });
}

/** Returns what a slide shows, from back to front. */
function collectDrawables(slide: Message): Set<number> {
  const ordered = slide.references(42);
  return new Set(ordered.length > 0 ? ordered : slide.references(7));
}

/** Adds the texts of a template slide, which every slide made from it shows, as furniture of the first such slide. */
function addTemplateTexts(reading: IwaReading, id: number | undefined, { parent, pageNo, masters }: SlidePlace): void {
  const { objects, builder } = reading;
  const template = id === undefined ? undefined : objects.get(id);
  if (id === undefined || !template || masters.has(id)) return;
  masters.add(id);
  const { message } = template;
  // Tagged drawables are placeholders too: their text is a hint for the author.
  const hints = new Set([5, 6, 20, 30].flatMap((field) => message.reference(field) ?? []));
  for (const entry of message.messages(28)) hints.add(entry.reference(2) ?? -1);
  for (const drawable of collectDrawables(message)) {
    const object = hints.has(drawable) ? undefined : objects.get(drawable);
    const text = object ? readLines(findStorage(object, objects), objects) : '';
    if (!object || !/[\p{L}\p{N}]/u.test(text)) continue;
    const page = { no: pageNo, left: 0, top: 0 };
    const prov = createProvenance(page, findBox(object, page), text.length);
    builder.text('page_header', text, { parent, layer: 'furniture', prov });
  }
}
