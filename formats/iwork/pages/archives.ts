import type { DoclingDocument } from '../../../document/model';
import { AppError } from '../../../model/errors';
import type { ReadOptions } from '../../format';
import type { Zip } from '../../zip/zip';
import { addComment } from '../iwa/comments';
import { addDrawable, addStorage, type IwaReading, readLines, startReading } from '../iwa/content';
import { isMessage, Message } from '../iwa/message';
import { pagesTypes, types } from '../iwa/message-types';
import type { IwaObject, IwaObjects } from '../iwa/objects';

/** Reads a document of Pages 5 and later: its text with anchored objects, floating drawables, notes, margins, comments. */
export function readArchives(zip: Zip, options: ReadOptions): DoclingDocument {
  const reading = startReading(zip, options, { isTrimmed: false });
  const { objects, builder } = reading;
  const document = [...objects.values()].find(({ type }) => type === pagesTypes.document);
  const body = objects.get(document?.message.reference(4) ?? -1);
  if (!document || body?.type !== types.storage) {
    throw new AppError('DOCUMENT_CORRUPT', `'${options.name}' contains no text of a Pages document.`);
  }
  addStorage(reading, body, { depth: 0 });
  const floating = objects.get(document.message.reference(20) ?? -1);
  for (const id of floating ? iterateReferences(floating.message, objects, 0) : [])
    addDrawable(reading, id, { depth: 0 });
  addNotes(reading);
  addFurniture(reading, body);
  addTextComments(reading, body);
  return builder.document;
}

const drawables: ReadonlySet<number> = new Set([
  types.tableInfo,
  types.image,
  types.movie,
  types.shape,
  types.group,
  types.chart,
]);

/** Limits of the search for drawables, whose list is nested less deeply, and whose messages are smaller. */
const maxMessageDepth = 6;
const maxMessageBytes = 1_000_000;
/** A reference holds one number: a byte for its field, and at most ten for the number. */
const maxReferenceBytes = 11;

/** Yields the drawables that a message references at any depth, in the order of the message. */
function* iterateReferences(message: Message, objects: IwaObjects, depth: number): Generator<number> {
  if (depth > maxMessageDepth) return;
  for (const bytes of message.pieces()) {
    if (bytes.length === 0 || bytes.length > maxMessageBytes || !isMessage(bytes)) continue;
    const inner = new Message(bytes);
    const id = inner.number(1);
    const archived = id === undefined || bytes.length > maxReferenceBytes ? undefined : objects.get(id);
    if (archived && drawables.has(archived.type)) yield id!;
    else yield* iterateReferences(inner, objects, depth + 1);
  }
}

/** Adds footnotes and endnotes after the text, in the order of their marks. */
function addNotes({ builder, notes, objects }: IwaReading): void {
  for (const id of new Set(notes)) {
    const text = readLines(objects.get(objects.get(id)?.message.reference(2) ?? -1), objects);
    if (text !== '') builder.text('footnote', text);
  }
}

/** Adds headers and footers. First, even and odd pages have their own, usually with the same text, which is written once. */
function addFurniture({ builder, objects }: IwaReading, body: IwaObject): void {
  const masters = (body.message.message(17)?.messages(1) ?? []).flatMap((entry) => entry.reference(2) ?? []);
  const written = new Set<string>();
  for (const master of masters.map((id) => objects.get(id))) {
    if (master?.type !== pagesTypes.pageMaster) continue;
    for (const margins of [23, 24, 25].map((field) => objects.get(master.message.reference(field) ?? -1))) {
      if (margins?.type !== pagesTypes.headersAndFooters) continue;
      for (const [field, label] of [[1, 'page_header'] as const, [2, 'page_footer'] as const]) {
        for (const id of margins.message.references(field)) {
          const text = readLines(objects.get(id), objects);
          if (text === '' || written.has(label + text)) continue;
          written.add(label + text);
          builder.text(label, text, { layer: 'furniture' });
        }
      }
    }
  }
}

/** Adds the comments on the text. */
function addTextComments(reading: IwaReading, body: IwaObject): void {
  const anchors = (body.message.message(23)?.messages(1) ?? []).flatMap((entry) => entry.reference(2) ?? []);
  for (const anchor of new Set(anchors)) {
    const field = reading.objects.get(anchor);
    if (field?.type === types.commentField) addComment(reading, field.message.reference(1) ?? -1, {});
  }
}
