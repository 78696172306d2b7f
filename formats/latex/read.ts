import { createDocument, type DocumentBuilder } from '../../document/builder';
import type { GroupItem, ImageRef, NodeItem } from '../../document/model';
import { toCodeLanguage } from '../code/code-language';
import { type ReadDocument, getStem } from '../format';
import { decodeText } from '../text/decode';
import { removeDisabledBranches } from './conditions';
import { expandMacros } from './expand';
import { type Inline, readInline, writeAddresses } from './inline';
import { insertInputs } from './inputs';
import { createPictureReader } from './pictures';
import {
  readArgument,
  readEnvironment,
  findGroup,
  findOption,
  mapOutsideVerbatim,
  removeComments,
  removeMarks,
  leadingWordsMark,
} from './source';
import { arrangeLongTable, readTable } from './table';

interface Reading {
  builder: DocumentBuilder;
  name: string;
  parent: NodeItem;
  /** Number of enclosing environments. */
  depth: number;
  /** Returns a picture next to the document. */
  image: (path: string) => ImageRef | undefined;
  /** Names of theorems and similar environments, by environment. */
  theorems: ReadonlyMap<string, string>;
}

/** Environments nested more deeply are read as plain text. */
const maxDepth = 60;
/** Limit for expanded macros: a minimum in characters, and a factor of the source length. */
const [minExpansion, expansionRatio] = [1_000_000, 4];

/** Reads title, authors and the body block by block, with its input files. Styles and packages are ignored. */
export const read: ReadDocument = (bytes, { name, limits, related, warn = () => undefined }) => {
  const builder = createDocument(getStem(name));
  const cleanedSource = removeOverlays(removeDisabledBranches(removeComments(decodeText(bytes, { name }))));
  const plain = mapOutsideVerbatim(cleanedSource, (part) =>
    insertInputs(part, { related, warn, maxLength: limits.maxExpandedBytes }),
  );
  const source = expandMacros(plain, Math.max(minExpansion, plain.length * expansionRatio), name);
  const begin = /\\begin\s*\{document\}/.exec(source);
  const reading: Reading = {
    builder,
    name,
    parent: builder.document.body,
    depth: 0,
    image: related ? createPictureReader(related) : () => undefined,
    theorems: collectTheorems(source),
  };
  if (!begin) {
    addBlocks(reading, source);
    return builder.document;
  }
  addFront(reading, source.slice(0, begin.index));
  addBlocks(reading, readEnvironment(source, begin.index + begin[0].length, 'document').text);
  return builder.document;
};

/** Removes overlay specifications, which state on which slides of a frame a part is visible. */
function removeOverlays(source: string): string {
  if (!/\\documentclass\s*(?:\[[^\]]{0,1000}\])?\s*\{beamer\}/.test(source)) return source;
  return mapOutsideVerbatim(source, (part) => part.replace(/(\\[a-z]+\*?)\s?<[\d+.@|a-z:][^<>\n]{0,40}>/g, '$1'));
}

/** Reads title, authors and abstract from the text before the body; the rest of it is skipped. */
function addFront(reading: Reading, preamble: string): void {
  for (const match of preamble.matchAll(/\\(?:title|subtitle|author|date)\b|\\begin\s*\{abstract\}/g)) {
    const end = match.index + match[0].length;
    if (match[0].startsWith('\\begin')) addAbstract(reading, readEnvironment(preamble, end, 'abstract').text);
    else addTitle(reading, match[0], preamble, end);
  }
}

function addTitle({ builder }: Reading, word: string, source: string, at: number): number {
  const { text: content, end } = readArgument(source, findOption(source, at)?.end ?? at);
  // The texts of `\thanks` come after the names of the authors.
  const { text, notes } = readInline(word === '\\author' ? content.replace(/\\thanks\b/g, ' ') : content);
  if (text !== '') builder.text(word === '\\title' ? 'title' : 'text', word === '\\title' ? toOneLine(text) : text);
  for (const note of notes) builder.text('footnote', note);
  return end;
}

function toOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** The end of a paragraph or the start of another block. */
const boundaries =
  /\n[ \t]*\n\s*|\\par\b|\\begin\s*\{([^}]*)\}|\\(part|chapter|section|subsection|subsubsection|paragraph|subparagraph)\b\*?|\\\[|\$\$|\\(title|author|date|caption|includegraphics|bibliography|maketitle|newpage|clearpage|appendix|tableofcontents)\b\*?/g;
const levels = ['section', 'subsection', 'subsubsection'];

function addBlocks(reading: Reading, source: string): void {
  let at = 0;
  let from = 0;
  let isAfterBlank = false;
  const search = new RegExp(boundaries);
  for (;;) {
    search.lastIndex = at;
    const match = search.exec(source);
    if (!match) break;
    if (match[0] === '\\[' && source[match.index - 1] === '\\') {
      at = match.index + 2;
      continue;
    }
    const end = match.index + match[0].length;
    const isParagraphHeading = match[2] === 'paragraph';
    addParagraph(reading, source.slice(from, match.index), isAfterBlank);
    isAfterBlank = match[0].startsWith('\n');
    // `\paragraph` stays in the text as its heading.
    from = isParagraphHeading ? end : addBlockAt(reading, source, match, end);
    at = from;
  }
  addParagraph(reading, source.slice(from), isAfterBlank);
}

/** Adds the block that starts at a boundary. Returns the position after it. */
function addBlockAt(reading: Reading, source: string, match: RegExpExecArray, end: number): number {
  const [opening, environment, heading, word] = match;
  if (environment !== undefined) {
    const inner = readEnvironment(source, end, environment);
    addEnvironment(reading, environment, inner.text);
    return inner.end;
  }
  if (heading !== undefined) return addHeading(reading, heading, source, end);
  if (opening === '\\[' || opening === '$$') {
    const close = source.indexOf(opening === '$$' ? '$$' : '\\]', end);
    addFormula(reading, source.slice(end, close < 0 ? source.length : close));
    return close < 0 ? source.length : close + 2;
  }
  if (word === 'title' || word === 'author' || word === 'date') return addTitle(reading, `\\${word}`, source, end);
  if (word === 'caption') {
    const caption = readArgument(source, findOption(source, end)?.end ?? end);
    addText(reading, caption.text, 'text');
    return caption.end;
  }
  if (word === 'includegraphics') return addPicture(reading, source, end);
  return word === 'bibliography' ? readArgument(source, end).end : end;
}

function addParagraph(reading: Reading, source: string, isAfterBlank: boolean): void {
  // As in the reference, the leading words of a paragraph are a separate item.
  const words = isAfterBlank ? leadingWords.exec(source)![0] : '';
  if (words.trim() !== '') addWords(reading, words, 'paragraph');
  addText(reading, source.slice(words.length), 'text');
}

const leadingWords = new RegExp(`^(?:[^\\\\$~{}&#\`'${leadingWordsMark}-]|[-\`'](?![-\`'])|'(?!'))*`);
const note = /\\(?:footnote|marginpar)\b|\\.|[{}]/gs;

/** Adds text. Notes come after the text that ends with their mark. */
function addText(reading: Reading, source: string, label: 'text' | 'paragraph'): void {
  const { builder, parent } = reading;
  let [from, depth] = [0, 0];
  for (const { 0: token, index } of source.matchAll(note)) {
    if (token === '{') depth += 1;
    if (token === '}') depth -= 1;
    if (token.length < 3 || depth !== 0 || index < from) continue;
    const end = index + token.length;
    const content = readArgument(source, findOption(source, end)?.end ?? end);
    addWords(reading, source.slice(from, index), label);
    const text = writeAddresses(readInline(content.text));
    if (text !== '') builder.text('footnote', text, { parent });
    from = content.end;
  }
  addWords(reading, source.slice(from), label);
}

function addWords(reading: Reading, source: string, label: 'text' | 'paragraph'): void {
  const { builder, parent } = reading;
  const inline = readInline(source);
  if (inline.text !== '' && !/^[[\]{}]*$/.test(inline.text)) addRuns(reading, inline, label);
  for (const note of inline.notes) builder.text('footnote', note, { parent });
}

/** A text with links becomes a group with its runs. */
function addRuns({ builder, parent }: Reading, { runs }: Inline, label: 'text' | 'paragraph'): void {
  const owner = runs.length > 1 ? builder.group('inline', { parent }) : parent;
  for (const { text, hyperlink } of runs) {
    const line = text.replace(/\n+/g, '\n').trim();
    if (line !== '') builder.text(label, line, { parent: owner, hyperlink });
  }
}

function addHeading({ builder, parent }: Reading, word: string, source: string, at: number): number {
  const title = readArgument(source, findOption(source, at)?.end ?? at);
  const text = toOneLine(readInline(title.text).text);
  if (text !== '')
    builder.heading(word === 'subparagraph' ? 5 : Math.max(levels.indexOf(word), 0) + 1, text, { parent });
  return title.end;
}

function addFormula({ builder, parent }: Reading, source: string): void {
  const text = removeMarks(source)
    .replace(/\\label\s*\{[^}]*\}|\\(?:nonumber|notag)\b/g, '')
    .replace(/\n[ \t]*(?=\n)/g, '')
    .trim();
  if (text !== '') builder.text('formula', text, { parent });
}

function addPicture({ builder, parent, image }: Reading, source: string, at: number): number {
  const file = readArgument(source, findOption(source, at)?.end ?? at);
  const path = file.text.trim();
  const picture = image(path);
  builder.picture({
    parent,
    captions: [builder.text('caption', `Image: ${path}`)],
    ...(picture ? { image: picture } : {}),
  });
  return file.end;
}

function addAbstract(reading: Reading, inner: string): void {
  reading.builder.heading(1, 'Abstract', { parent: reading.parent });
  addBlocks(reading, inner);
}

/** Environments whose whole content is a formula. */
const formulaEnvironments = new Set(['equation', 'displaymath', 'math']);
/** Formulas whose environment is part of the TeX. */
const alignedEnvironments = /^(?:align|gather|multline|eqnarray|alignat|flalign|split|dmath)$/;
/** Environments whose arguments are not text. */
const environmentsWithArguments =
  /^(?:minipage|tabularx|multicols|subfigure|subtable|wrapfigure|wraptable|CJK|adjustbox|spacing|tcolorbox|list|column|adjustwidth)$/;

function addEnvironment(outer: Reading, environment: string, inner: string): void {
  const name = environment.replace(/\*$/, '');
  const reading = { ...outer, depth: outer.depth + 1 };
  const { builder, parent } = reading;
  if (reading.depth > maxDepth) addText(outer, inner, 'text');
  else if (formulaEnvironments.has(name)) addFormula(reading, inner);
  else if (alignedEnvironments.test(name)) addFormula(reading, `\\begin{${environment}}${inner}\\end{${environment}}`);
  else if (name === 'itemize' || name === 'enumerate' || name === 'description') addList(reading, name, inner);
  else if (/^(?:tabular[xy]?|longtable|xltabular|tabulary|tblr)$/.test(name)) addTable(reading, environment, inner);
  else if (/^(?:verbatim|lstlisting|minted|Verbatim)$/.test(name)) addCode(reading, name, inner);
  else if (name === 'proof') addTheorem(reading, 'Proof', inner);
  else if (reading.theorems.has(name)) addTheorem(reading, reading.theorems.get(name)!, inner);
  else if (name === 'abstract') addAbstract(reading, inner);
  else if (name === 'thebibliography') addBibliography(reading, inner);
  else if (name === 'figure' || name === 'wrapfigure') {
    const group = builder.group('section', { parent, name: 'figure' });
    addBlocks({ ...reading, parent: group }, removeArguments(name, inner));
  } else if (name === 'tikzpicture') {
    const text = `\\begin{tikzpicture}${removeMarks(inner)}\\end{tikzpicture}`;
    builder.picture({ parent }).meta = { code: { text, language: 'Tikz' } };
  } else if (name === 'tabbing') addBlocks(reading, inner.replace(/\\[=>+<]|\\kill\b/g, ' '));
  else if (name !== 'comment' && name !== 'filecontents') addBlocks(reading, removeArguments(name, inner));
}

const knownTheorems = 'theorem lemma corollary proposition definition remark example conjecture'.split(' ');

/** Returns the built-in theorems and those that the document defines with `\newtheorem`. */
function collectTheorems(source: string): Map<string, string> {
  const theorems = new Map(knownTheorems.map((name) => [name, name.charAt(0).toUpperCase() + name.slice(1)]));
  const defined = /\\newtheorem\*?\s*\{(\w+)\}\s*(?:\[\w*\]\s*)?\{([^{}]{1,100})\}/g;
  for (const [, name, label] of source.matchAll(defined)) theorems.set(name!, readInline(label!).text);
  return theorems;
}

const plainStyle = { bold: false, italic: false, underline: false, strikethrough: false, script: 'baseline' } as const;

/** Writes the name in bold, followed by the title in parentheses; a proof ends with a square. */
function addTheorem(reading: Reading, label: string, inner: string): void {
  const { builder, parent } = reading;
  const title = findOption(inner, 0);
  const titleText = title ? toOneLine(readInline(title.text).text) : '';
  const isProof = label === 'Proof';
  const name = joinTheoremName(label, titleText);
  const formatting = { ...plainStyle, [isProof ? 'italic' : 'bold']: true };
  builder.text('text', `${name.replace(/\.$/, '')}.`, { parent, formatting });
  addBlocks(reading, inner.slice(title?.end ?? 0));
  if (isProof && !/\\qed(?:here|symbol)?\b/.test(inner)) builder.text('text', '◻', { parent });
}

/** `Theorem (Pythagoras)`; the title of a proof, such as `Proof of Theorem 2`, replaces the name. */
function joinTheoremName(label: string, title: string): string {
  if (title === '') return label;
  return label === 'Proof' ? title : `${label} (${title})`;
}

/** Removes the arguments after `\begin{…}`. */
function removeArguments(name: string, inner: string): string {
  let at = 0;
  for (;;) {
    const next =
      findGroup(inner, at, '[', ']') ??
      (environmentsWithArguments.test(name) ? findGroup(inner, at, '{', '}') : undefined);
    if (!next) return inner.slice(at);
    at = next.end;
  }
}

/** Tables whose first argument is their width. */
const tablesWithWidth = /^(?:tabular\*|tabularx|xltabular|tabulary)$/;

function addTable({ builder, name: file, parent }: Reading, environment: string, inner: string): void {
  let at = findOption(inner, 0)?.end ?? 0;
  if (tablesWithWidth.test(environment)) {
    at = readArgument(inner, at).end;
    at = findOption(inner, at)?.end ?? at;
  }
  // The column layout. A group after it belongs to the first cell.
  at = findGroup(inner, at, '{', '}')?.end ?? at;
  let captions = '';
  const content = inner.slice(at).replace(/\\caption\b\*?/, '\u0000');
  const mark = content.indexOf('\u0000');
  let rows = content;
  if (mark >= 0) {
    const caption = readArgument(content, findOption(content, mark + 1)?.end ?? mark + 1);
    captions = readInline(caption.text).text;
    rows = content.slice(0, mark) + content.slice(caption.end).replace(/^\s*(?:\\label\s*\{[^{}]*\}\s*)?\\\\/, '');
  }
  if (captions !== '') builder.text('text', captions, { parent });
  const data = readTable(environment.startsWith('longtable') ? arrangeLongTable(rows) : rows, file);
  if (data.num_rows > 0) builder.table(data, { parent });
}

function addCode({ builder, parent }: Reading, name: string, inner: string): void {
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

function addList(reading: Reading, name: string, inner: string): void {
  const { builder, parent } = reading;
  const group = builder.group('list', { parent });
  for (const item of listItems(inner)) {
    const option = findOption(item, 0);
    const content = item.slice(option?.end ?? 0);
    // The first paragraph is the text of the item; everything after it is added below the item.
    const stop = /\n[ \t]*\n|\\begin\s*\{|\\\[|\$\$/.exec(content)?.index ?? content.length;
    const inline = readInline(`${option ? `${option.text} ` : ''}${content.slice(0, stop)}`);
    const isLinked = inline.runs.length > 1;
    const added = builder.listItem(isLinked ? '' : inline.text, {
      parent: group,
      enumerated: name === 'enumerate',
      marker: '',
      hyperlink: isLinked ? null : inline.runs[0]?.hyperlink,
    });
    if (isLinked) addRuns({ ...reading, parent: added }, inline, 'text');
    for (const note of inline.notes) builder.text('footnote', note, { parent: added });
    addBlocks({ ...reading, parent: added }, content.slice(stop));
  }
  if (group.children.length === 0) builder.listItem('', { parent: group, marker: '' });
}

/** Splits a list at its own items, not at those of nested lists. */
function listItems(inner: string): string[] {
  const items: string[] = [];
  let depth = 0;
  let from = -1;
  for (const match of inner.matchAll(/\\(begin|end)\s*\{[^}]*\}|\\item\b/g)) {
    if (match[1] === 'begin') depth += 1;
    else if (match[1] === 'end') depth -= 1;
    else if (depth === 0) {
      if (from >= 0) items.push(inner.slice(from, match.index));
      from = match.index + match[0].length;
    }
  }
  if (from >= 0) items.push(inner.slice(from));
  return items;
}

function addBibliography({ builder, parent }: Reading, inner: string): void {
  builder.heading(1, 'References', { parent });
  const list: GroupItem = builder.group('list', { parent, name: 'bibliography' });
  for (const entry of inner.split(/\\bibitem\b/).slice(1)) {
    const key = readArgument(entry, findOption(entry, 0)?.end ?? 0);
    const text = writeAddresses(readInline(entry.slice(key.end)));
    builder.listItem(`${key.text}\n${text}`.replace(/\n+/g, '\n').trim(), { parent: list, marker: '' });
  }
}
