import { createDocument } from '../../document/builder';
import type { DoclingDocument } from '../../document/model';
import { AppError } from '../../model/errors';
import { type ReadOptions, getStem } from '../format';
import { createImageShare } from '../ooxml/image';
import { openNotes } from './attachments';
import { addBlocks } from './blocks';
import { findPages, findRoot, role } from './pages';
import { listNames, findNumber, getPosition, findText, isSet, kind, property } from './properties';
import type { Reading } from './reading';
import type { NoteObject } from './section';
import { findObject, readParagraph } from './text';

/** Maximum length of the heading of a page without a title, which is its first words. */
const maxHeadingLength = 80;

/**
 * Reads the pages of a OneNote section (MS-ONE) in order: title, date, and the outlines from top to bottom. Earlier versions of
 * pages and the recycle bin are not read.
 */
export function read(bytes: Uint8Array, { name, limits, recordOmission, warn }: ReadOptions): DoclingDocument {
  const section = openNotes(bytes, limits);
  const builder = createDocument(getStem(name));
  const share = createImageShare<Buffer>();
  const pages = findPages(section);
  if (pages.length > limits.maxPages)
    throw new AppError('DOCUMENT_TOO_LARGE', `The section has ${pages.length} pages; the limit is ${limits.maxPages}.`);
  let missing = 0;
  for (const [index, page] of pages.entries()) {
    if (page === undefined) {
      missing += 1;
      continue;
    }
    const group = builder.group('chapter', { name: `page-${index + 1}` });
    addPage({
      builder,
      space: page,
      group,
      level: 1,
      seen: new Set(),
      maxDepth: limits.maxDepth,
      image: (data) => share(data, () => data),
      addBlocks,
      recordOmission: (kind, text) => recordOmission?.(kind, text),
    });
  }
  if (missing > 0) warn?.(`The file does not contain ${missing} of the ${pages.length} pages of the section.`);
  return builder.document;
}

function addPage(reading: Reading): void {
  const { space, builder, group } = reading;
  const manifest = findRoot(space, role.content);
  const page = manifest && findObject(space, manifest, property.content);
  if (page === undefined) return;
  const metadata = findRoot(space, role.metadata);
  // Subpages are one or two levels below a page.
  const level = Math.min(Math.max((metadata && findNumber(metadata, property.pageLevel)) ?? 1, 1), 3);
  const { title, date } = readTitle(reading, page);
  // The heading of a page without a title is its date; without a date, the first words, which the list of pages shows.
  const cached = (metadata && findText(metadata, property.cachedTitle)) ?? '';
  const [heading = ''] = [title, date, cached.trim().slice(0, maxHeadingLength)].filter(Boolean);
  if (heading !== '') builder.heading(level, heading, { parent: group });
  if (title !== '' && date !== '') builder.text('text', date, { parent: group });
  const blocks = listNames(page, property.children).flatMap((name) => space.object(name) ?? []);
  const fromTop = blocks.toSorted(
    (a, b) =>
      getPosition(a, property.top) - getPosition(b, property.top) ||
      getPosition(a, property.left) - getPosition(b, property.left),
  );
  addBlocks({ ...reading, level }, fromTop, { parent: group, depth: 0 });
}

/** The title of a page, and below it date and time, as OneNote shows them. */
function readTitle({ space, maxDepth }: Reading, page: NoteObject): { title: string; date: string } {
  const parts: Record<'title' | 'date', string[]> = { title: [], date: [] };
  const seen = new Set<NoteObject>();
  const visit = (object: NoteObject | undefined, depth: number): void => {
    if (object === undefined || seen.has(object) || depth > maxDepth) return;
    seen.add(object);
    if (object.kind === kind.text) {
      const text = readParagraph(space, object)
        .runs.map((run) => run.text)
        .join('')
        .trim();
      const isDate = isSet(object, property.isDate) || isSet(object, property.isTime);
      if (text !== '') parts[isDate ? 'date' : 'title'].push(text);
      return;
    }
    for (const name of [...listNames(object, property.content), ...listNames(object, property.children)])
      visit(space.object(name), depth + 1);
  };
  const title = listNames(page, property.structure)
    .map((name) => space.object(name))
    .find((object) => object?.kind === kind.title);
  visit(title, 0);
  return { title: parts.title.join(' '), date: parts.date.join(' ') };
}
