import { formatCommentHead } from '../../comment-head';
import { addStory, createStory, type DocumentContext, dropLastEmptyParagraph } from './body';
import { readEntries, type Entry } from './file';
import type { Paragraph } from './paragraphs';
import { iterateSprms } from './properties';
import { structures } from './structure';
import { joinCellText } from './table';
import type { WordFile } from './word-file';

type BesideStory = 'footnotes' | 'endnotes' | 'comments' | 'headers';

/** Yields the paragraphs of each part of a story. Without a list of parts, each paragraph is a part. */
function* iterateParts(context: DocumentContext, file: WordFile, name: BesideStory): Generator<Paragraph[]> {
  const [start, end] = file.stories[name];
  const entries = readEntries(file.structure(structures[name]), 0, 1);
  if (entries.length === 0) for (const paragraph of context.paragraphs(start, end)) yield [paragraph];
  for (const { from, to } of entries) {
    yield [...context.paragraphs(Math.min(start + from, end), Math.min(start + to, end))];
  }
}

/** Adds the footnotes and then the endnotes after the body. */
export function addNotes(context: DocumentContext, file: WordFile): void {
  for (const name of ['footnotes', 'endnotes'] as const) {
    for (const note of iterateParts(context, file, name)) {
      const text = joinLines(note);
      if (text !== '') context.builder.text('footnote', text);
    }
  }
}

function joinLines(paragraphs: readonly Paragraph[]): string {
  return paragraphs
    .map((paragraph) => joinCellText([paragraph]))
    .filter((line) => line !== '')
    .join('\n');
}

/** Order of the headers and footers of a section in the file (MS-DOC 2.3.3). Six note separators come before them. */
const sectionParts = { evenHeader: 0, header: 1, evenFooter: 2, footer: 3, firstHeader: 4, firstFooter: 5 } as const;
const partsPerSection = 6;
const separatorCount = 6;
const sectionBytes = 12;

/** Adds the headers and footers of each section. Those of the first page, if the section has them, come first. */
export function addHeadersAndFooters(context: DocumentContext, file: WordFile): void {
  if (file.structure(structures.headers).length === 0) return;
  const parts = [...iterateParts(context, file, 'headers')].slice(separatorCount);
  for (const [index, section] of readEntries(file.structure(structures.sections), sectionBytes).entries()) {
    const ownParts = parts.slice(partsPerSection * index, partsPerSection * (index + 1));
    const hasFirst = hasTitlePage(file, section);
    const { firstHeader, header, firstFooter, footer } = sectionParts;
    for (const at of hasFirst ? [firstHeader, header] : [header]) addFurniture(context, 'page header', ownParts[at]);
    for (const at of hasFirst ? [firstFooter, footer] : [footer]) addFurniture(context, 'page footer', ownParts[at]);
  }
}

/** True if the first page of the section has its own header and footer (MS-DOC 2.6.4). */
function hasTitlePage({ main }: WordFile, { data }: Entry): boolean {
  const at = data.readUInt32LE(2);
  if (at + 2 > main.length) return false;
  const list = main.subarray(at + 2, at + 2 + main.readUInt16LE(at));
  return [...iterateSprms(list)].some(({ code, value }) => code === 0x300a && value[0] === 1);
}

/** Skips headers and footers that contain only a page number. */
function addFurniture(context: DocumentContext, name: string, paragraphs: readonly Paragraph[] = []): void {
  const hasPicture = paragraphs.some(({ anchors }) => anchors.some(({ kind }) => kind === 'picture'));
  if (!hasPicture && !/[^\s\d]/.test(joinLines(paragraphs))) return;
  const layer = 'furniture';
  const group = context.builder.group('section', { name, layer });
  addStory(
    createStory(context, layer, () => group),
    dropLastEmptyParagraph(paragraphs),
  );
}

const markBytes = 30;
/** A comment mark: the maximum number of initials, and the offset of the author's index (MS-DOC 2.9.7). */
const mark = { maxInitials: 9, authorAt: 20 } as const;

/** Adds every comment as a group in the notes layer. Commented items reference their groups. */
export function addComments(context: DocumentContext, file: WordFile): void {
  const { builder, commented } = context;
  const marks = readEntries(file.structure(structures.commentMarks), markBytes);
  const authors = readAuthors(file.structure(structures.commentAuthors));
  for (const [index, paragraphs] of [...iterateParts(context, file, 'comments')].entries()) {
    const entry = marks[index];
    const text = [entry && readHead(entry.data, authors), joinLines(paragraphs)].filter(Boolean).join(': ');
    if (text === '') continue;
    const group = builder.group('comment_section', { name: `comment-${index}`, layer: 'notes' });
    builder.text('text', text, { parent: group, layer: 'notes' });
    for (const item of (entry && commented.get(entry.from)) ?? []) {
      item.comments = [...(item.comments ?? []), { $ref: group.self_ref }];
    }
  }
}

/** Returns `[author: Ann Lee (AL)]`; empty without an author. */
function readHead(data: Buffer, authors: readonly string[]): string {
  const length = Math.min(data.readUInt16LE(0), mark.maxInitials);
  const initials = data.toString('utf16le', 2, 2 + 2 * length);
  return formatCommentHead({ author: authors[data.readUInt16LE(mark.authorAt)], initials });
}

/** Reads the names, which are stored one after another, each after its length. */
function readAuthors(names: Buffer): string[] {
  const authors: string[] = [];
  for (let at = 0; at + 2 <= names.length;) {
    const end = at + 2 + 2 * names.readUInt16LE(at);
    authors.push(names.toString('utf16le', at + 2, end));
    at = end;
  }
  return authors;
}
