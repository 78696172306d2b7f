import type { DocumentBuilder } from '../../document/builder';
import type { ImageRef, NodeItem } from '../../document/model';
import { toCodeLanguage } from '../code/code-language';
import { type Inline, readInline, writeAddresses } from './inline';
import { findGroup, findOption, readArgument, removeMarks, leadingWordsMark } from './source';
import { arrangeLongTable, readTable } from './table';

/** A document under construction, and where its next block belongs. */
export interface Reading {
  builder: DocumentBuilder;
  /** The name of the file, for errors. */
  name: string;
  parent: NodeItem;
  /** Number of enclosing environments. */
  depth: number;
  /** Returns a picture next to the document. */
  image: (path: string) => ImageRef | undefined;
  /** Names of theorems and similar environments, by environment. */
  theorems: ReadonlyMap<string, string>;
}

/** `paragraph` is the label of the leading words of a paragraph. */
type TextLabel = 'text' | 'paragraph';

/** Adds a paragraph. In the form of the reference, its words before the first command or special character are an item of their own. */
export function addParagraph(reading: Reading, source: string, isAfterBlank: boolean): void {
  const words = isAfterBlank ? leadingWords.exec(source)![0] : '';
  if (words.trim() !== '') addWords(reading, words, 'paragraph');
  addText(reading, source.slice(words.length), 'text');
}

/** Plain characters. Single dashes and quotation marks are plain; pairs, such as `--` and `''`, are ligatures of TeX. */
const leadingWords = new RegExp(`^(?:[^\\\\$~{}&#\`'${leadingWordsMark}-]|[-\`'](?![-\`'])|'(?!'))*`);

/** A note, or a token that must not be mistaken for one: an escaped character or a brace. */
const noteOrToken = /(?<note>\\(?:footnote|marginpar)\b)|\\.|[{}]/gs;

/** Adds text. Notes outside braces come after the text that ends with their mark. */
export function addText(reading: Reading, source: string, label: TextLabel): void {
  const { builder, parent } = reading;
  let from = 0;
  let depth = 0;
  for (const { 0: token, index, groups } of source.matchAll(noteOrToken)) {
    if (token === '{') depth += 1;
    if (token === '}') depth -= 1;
    if (groups?.['note'] === undefined || depth !== 0 || index < from) continue;
    addWords(reading, source.slice(from, index), label);
    const content = readArgumentAfterOption(source, index + token.length);
    const text = writeAddresses(readInline(content.text));
    if (text !== '') builder.text('footnote', text, { parent });
    from = content.end;
  }
  addWords(reading, source.slice(from), label);
}

function addWords(reading: Reading, source: string, label: TextLabel): void {
  const inline = readInline(source);
  const isOnlyBrackets = /^[[\]{}]*$/.test(inline.text);
  if (!isOnlyBrackets) addRuns(reading, inline, label);
  addFootnotes(reading, inline.notes);
}

/** Adds the notes of a text. */
export function addFootnotes({ builder, parent }: Pick<Reading, 'builder' | 'parent'>, notes: readonly string[]): void {
  for (const text of notes) builder.text('footnote', text, { parent });
}

/** Adds a text. With links it becomes a group of its runs. */
export function addRuns({ builder, parent }: Reading, { runs }: Inline, label: TextLabel): void {
  const owner = runs.length > 1 ? builder.group('inline', { parent }) : parent;
  for (const { text, hyperlink } of runs) {
    const line = text.replace(/\n+/g, '\n').trim();
    if (line !== '') builder.text(label, line, { parent: owner, hyperlink });
  }
}

/** The argument of a command that may have an option before it. */
export function readArgumentAfterOption(source: string, at: number) {
  return readArgument(source, findOption(source, at)?.end ?? at);
}

/** The text with single spaces instead of line ends and runs of blanks. */
export function toOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** The levels of headings; parts and chapters have the level of sections. */
const headingLevels: Readonly<Record<string, number>> = { subsection: 2, subsubsection: 3, subparagraph: 5 };

/** Adds the heading of a command such as `section`. Returns the position after it. */
export function addHeading({ builder, parent }: Reading, command: string, source: string, at: number): number {
  const title = readArgumentAfterOption(source, at);
  const text = toOneLine(readInline(title.text).text);
  if (text !== '') builder.heading(headingLevels[command] ?? 1, text, { parent });
  return title.end;
}

/** Adds a displayed formula as TeX, without labels and empty lines. */
export function addFormula({ builder, parent }: Reading, source: string): void {
  const text = removeMarks(source)
    .replace(/\\label\s*\{[^{}]*\}|\\(?:nonumber|notag)\b/g, '')
    .replace(/\n[ \t]*(?=\n)/g, '')
    .trim();
  if (text !== '') builder.text('formula', text, { parent });
}

/** Adds the picture of an `\includegraphics`. Returns the position after it. */
export function addPicture({ builder, parent, image }: Reading, source: string, at: number): number {
  const file = readArgumentAfterOption(source, at);
  const path = file.text.trim();
  const picture = image(path);
  builder.picture({
    parent,
    captions: [builder.text('caption', `Image: ${path}`)],
    ...(picture ? { image: picture } : {}),
  });
  return file.end;
}

/** Tables whose first argument is their width. */
const tablesWithWidth = /^(?:tabular\*|tabularx|xltabular|tabulary)\*?$/;

/** Adds a table with its caption as a text before it. */
export function addTable({ builder, name: file, parent }: Reading, environment: string, inner: string): void {
  let at = findOption(inner, 0)?.end ?? 0;
  if (tablesWithWidth.test(environment)) {
    at = readArgument(inner, at).end;
    at = findOption(inner, at)?.end ?? at;
  }
  // The column layout. A group after it belongs to the first cell.
  at = findGroup(inner, at, '{', '}')?.end ?? at;
  const { caption, rows } = separateCaption(inner.slice(at));
  if (caption !== '') builder.text('text', caption, { parent });
  const data = readTable(environment.startsWith('longtable') ? arrangeLongTable(rows) : rows, file);
  if (data.num_rows > 0) builder.table(data, { parent });
}

/** Takes the first caption out of a table, with its label and the `\\` that ends its row. */
function separateCaption(content: string): { caption: string; rows: string } {
  const command = /\\caption\b\*?/.exec(content);
  if (!command) return { caption: '', rows: content };
  const caption = readArgumentAfterOption(content, command.index + command[0].length);
  const after = content.slice(caption.end).replace(/^\s*(?:\\label\s*\{[^{}]*\}\s*)?\\\\/, '');
  return { caption: readInline(caption.text).text, rows: content.slice(0, command.index) + after };
}

/** Adds a listing with its language; a caption in its options comes before it. */
export function addCode({ builder, parent }: Reading, name: string, inner: string): void {
  const option = findOption(inner, 0);
  let at = option?.end ?? 0;
  let language = /language\s*=\s*\{?([\w+#-]+)/.exec(option?.text ?? '')?.[1];
  if (name === 'minted') {
    const piece = readArgument(inner, at);
    [language, at] = [piece.text, piece.end];
  }
  const caption = name === 'lstlisting' ? findListingCaption(option?.text ?? '') : '';
  if (caption !== '') builder.text('caption', caption, { parent });
  const text = inner.slice(at).replace(/^[ \t]*\n|\s+$/g, '');
  if (text !== '') builder.code(text, { parent, language: toCodeLanguage(language?.toLowerCase()) });
}

/** Returns the caption in the options of a listing. */
function findListingCaption(options: string): string {
  const match = /(?:^|,)\s*(?:caption|title)\s*=\s*/.exec(options);
  if (!match) return '';
  const at = match.index + match[0].length;
  return readInline(findGroup(options, at, '{', '}')?.text ?? /^[^,]*/.exec(options.slice(at))![0]).text;
}

/** Adds the entries of a bibliography, each as its key and its text. */
export function addBibliography({ builder, parent }: Reading, inner: string): void {
  builder.heading(1, 'References', { parent });
  const list = builder.group('list', { parent, name: 'bibliography' });
  for (const entry of inner.split(/\\bibitem\b/).slice(1)) {
    const key = readArgument(entry, findOption(entry, 0)?.end ?? 0);
    const text = writeAddresses(readInline(entry.slice(key.end)));
    builder.listItem(`${key.text}\n${text}`.replace(/\n+/g, '\n').trim(), { parent: list, marker: '' });
  }
}
