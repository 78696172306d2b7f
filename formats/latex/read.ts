import { createDocument } from '../../document/builder';
import { type ReadDocument, getStem } from '../format';
import { decodeText } from '../text/decode';
import { removeDisabledBranches } from './conditions';
import { expandMacros } from './expand';
import { readInline } from './inline';
import { insertInputs } from './inputs';
import {
  addBibliography,
  addCode,
  addFootnotes,
  addFormula,
  addHeading,
  addParagraph,
  addPicture,
  addRuns,
  addTable,
  addText,
  readArgumentAfterOption,
  type Reading,
  toOneLine,
} from './leaf-blocks';
import { createPictureReader } from './pictures';
import {
  readArgument,
  readEnvironment,
  findGroup,
  findOption,
  mapOutsideVerbatim,
  removeComments,
  removeMarks,
} from './source';
import { collectTheorems, nameTheorem } from './theorems';

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
    else addTitle(reading, match[0].slice(1), preamble, end);
  }
}

/** Adds a title, an author or a date. Returns the position after it. */
function addTitle({ builder }: Reading, command: string, source: string, at: number): number {
  const { text: content, end } = readArgumentAfterOption(source, at);
  // The texts of `\thanks` come after the names of the authors.
  const { text, notes } = readInline(command === 'author' ? content.replace(/\\thanks\b/g, ' ') : content);
  if (text !== '' && command === 'title') builder.text('title', toOneLine(text));
  else if (text !== '') builder.text('text', text);
  addFootnotes({ builder, parent: builder.document.body }, notes);
  return end;
}

/** What ends a paragraph: an empty line, or the start of another block. */
const boundaries = new RegExp(
  [
    // The second character of `\\` and `\$` starts no block.
    /\\(?<escaped>[\\$])/,
    /(?<blank>\n[ \t]*\n\s*)/,
    /\\par\b/,
    /\\begin\s*\{(?<environment>[^{}]*)\}/,
    /\\(?<heading>part|chapter|section|subsection|subsubsection|paragraph|subparagraph)\b\*?/,
    /(?<formula>\\\[|\$\$)/,
    /\\(?<command>title|author|date|caption|includegraphics|bibliography)\b\*?/,
    /\\(?:maketitle|newpage|clearpage|appendix|tableofcontents)\b\*?/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
);

interface Boundary {
  environment?: string;
  heading?: string;
  formula?: string;
  command?: string;
}

function addBlocks(reading: Reading, source: string): void {
  let from = 0;
  let isAfterBlank = false;
  const search = new RegExp(boundaries);
  for (let match = search.exec(source); match; match = search.exec(source)) {
    const { escaped, blank, ...boundary } = match.groups!;
    if (escaped !== undefined) continue;
    addParagraph(reading, source.slice(from, match.index), isAfterBlank);
    isAfterBlank = blank !== undefined;
    from = addBlockAt(reading, source, boundary, search.lastIndex);
    search.lastIndex = from;
  }
  addParagraph(reading, source.slice(from), isAfterBlank);
}

/** Adds the block of a boundary that ends at `at`. Returns the position after the block. */
function addBlockAt(reading: Reading, source: string, boundary: Boundary, at: number): number {
  const { environment, heading, formula, command } = boundary;
  if (environment !== undefined) {
    const inner = readEnvironment(source, at, environment);
    addEnvironment(reading, environment, inner.text);
    return inner.end;
  }
  // The heading of a `\paragraph` stays in its text.
  if (heading === 'paragraph') return at;
  if (heading !== undefined) return addHeading(reading, heading, source, at);
  if (formula !== undefined) {
    const close = formula === '$$' ? '$$' : '\\]';
    const end = source.indexOf(close, at);
    addFormula(reading, source.slice(at, end < 0 ? source.length : end));
    return end < 0 ? source.length : end + close.length;
  }
  return addCommand(reading, source, command, at);
}

function addCommand(reading: Reading, source: string, command: string | undefined, at: number): number {
  switch (command) {
    case 'title':
    case 'author':
    case 'date':
      return addTitle(reading, command, source, at);
    case 'caption': {
      const caption = readArgumentAfterOption(source, at);
      addText(reading, caption.text, 'text');
      return caption.end;
    }
    case 'includegraphics':
      return addPicture(reading, source, at);
    case 'bibliography':
      return readArgument(source, at).end;
    default:
      return at;
  }
}

function addAbstract(reading: Reading, inner: string): void {
  reading.builder.heading(1, 'Abstract', { parent: reading.parent });
  addBlocks(reading, inner);
}

/** An environment: its name without the star, its name as written, and its content. */
interface Environment {
  name: string;
  starred: string;
  inner: string;
}
type AddEnvironment = (reading: Reading, environment: Environment) => void;

const addFigure: AddEnvironment = (reading, { name, inner }) => {
  const group = reading.builder.group('section', { parent: reading.parent, name: 'figure' });
  addBlocks({ ...reading, parent: group }, removeArguments(name, inner));
};

const addDrawing: AddEnvironment = ({ builder, parent }, { inner }) => {
  const text = `\\begin{tikzpicture}${removeMarks(inner)}\\end{tikzpicture}`;
  builder.picture({ parent }).meta = { code: { text, language: 'Tikz' } };
};

/** The environments that are not read as their content alone. */
const environments: ReadonlyMap<string, AddEnvironment> = new Map([
  ...forEach('equation displaymath math', (reading, { inner }) => addFormula(reading, inner)),
  // Of these the environment is part of the formula.
  ...forEach('align gather multline eqnarray alignat flalign split dmath', (reading, { starred, inner }) =>
    addFormula(reading, `\\begin{${starred}}${inner}\\end{${starred}}`),
  ),
  ...forEach('itemize enumerate description', (reading, { name, inner }) => addList(reading, name, inner)),
  ...forEach('tabular tabularx tabulary longtable xltabular tblr', (reading, { starred, inner }) =>
    addTable(reading, starred, inner),
  ),
  ...forEach('verbatim lstlisting minted Verbatim', (reading, { name, inner }) => addCode(reading, name, inner)),
  ...forEach('proof', (reading, { inner }) => addProof(reading, inner)),
  ...forEach('abstract', (reading, { inner }) => addAbstract(reading, inner)),
  ...forEach('thebibliography', (reading, { inner }) => addBibliography(reading, inner)),
  ...forEach('figure wrapfigure', addFigure),
  ...forEach('tikzpicture', addDrawing),
  ...forEach('tabbing', (reading, { inner }) => addBlocks(reading, inner.replace(/\\[=>+<]|\\kill\b/g, ' '))),
  ...forEach('comment filecontents', () => undefined),
]);

function forEach(names: string, add: AddEnvironment): [string, AddEnvironment][] {
  return names.split(' ').map((name) => [name, add]);
}

function addEnvironment(outer: Reading, starred: string, inner: string): void {
  const reading = { ...outer, depth: outer.depth + 1 };
  if (reading.depth > maxDepth) {
    addText(outer, inner, 'text');
    return;
  }
  const name = starred.replace(/\*$/, '');
  const add = environments.get(name);
  const theorem = reading.theorems.get(name);
  if (add) add(reading, { name, starred, inner });
  else if (theorem === undefined) addBlocks(reading, removeArguments(name, inner));
  else addTheorem(reading, theorem, inner);
}

const plainStyle = { bold: false, italic: false, underline: false, strikethrough: false, script: 'baseline' } as const;

/** Writes the name in bold, followed by the title in parentheses, before the statement. */
function addTheorem(reading: Reading, label: string, inner: string): void {
  const { title, content } = separateTitle(inner);
  const text = nameTheorem(title === '' ? label : `${label} (${title})`);
  reading.builder.text('text', text, { parent: reading.parent, formatting: { ...plainStyle, bold: true } });
  addBlocks(reading, content);
}

/** Writes "Proof" or the title, such as "Proof of Theorem 2", in italics, and a square after the proof. */
function addProof(reading: Reading, inner: string): void {
  const { builder, parent } = reading;
  const { title, content } = separateTitle(inner);
  const text = nameTheorem(title === '' ? 'Proof' : title);
  builder.text('text', text, { parent, formatting: { ...plainStyle, italic: true } });
  addBlocks(reading, content);
  const hasOwnSquare = /\\qed(?:here|symbol)?\b/.test(inner);
  if (!hasOwnSquare) builder.text('text', '◻', { parent });
}

function separateTitle(inner: string): { title: string; content: string } {
  const option = findOption(inner, 0);
  return { title: option ? toOneLine(readInline(option.text).text) : '', content: inner.slice(option?.end ?? 0) };
}

/** Environments whose arguments are not text. */
const environmentsWithArguments =
  /^(?:minipage|multicols|subfigure|subtable|wrapfigure|wraptable|CJK|adjustbox|spacing|tcolorbox|list|column|adjustwidth)$/;

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

function addList(reading: Reading, name: string, inner: string): void {
  const { builder, parent } = reading;
  const group = builder.group('list', { parent });
  for (const item of splitItems(inner)) {
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
    addFootnotes({ builder, parent: added }, inline.notes);
    addBlocks({ ...reading, parent: added }, content.slice(stop));
  }
  if (group.children.length === 0) builder.listItem('', { parent: group, marker: '' });
}

/** Splits a list at its own items, not at those of nested lists. */
function splitItems(inner: string): string[] {
  const items: string[] = [];
  let depth = 0;
  let from = -1;
  for (const match of inner.matchAll(/\\(begin|end)\s*\{[^{}]*\}|\\item\b/g)) {
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
