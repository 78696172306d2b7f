import type { Formatting, GroupItem, NodeItem, TextItem } from '../model';
import { isText } from '../tree';
import {
  writeCodeSpan,
  deepestHeading,
  escapeFully,
  writeFencedCode,
  writeFormula,
  escapeHeading,
  type MarkdownDialect,
  styleFully,
} from './markdown-dialect';

/** Escapes characters that Markdown parsers would read as HTML, emphasis or a heading. Image URLs are not changed. */
export function escapeMarkdown(text: string, dialect?: MarkdownDialect): string {
  if (dialect) return escapeFully(text);
  // A number sign at the start would make a heading of the text.
  let escaped = text.startsWith('#') ? text.replace(/^#{1,6}(?=\s|$)/, '\\$&') : text;
  if (text.includes('_')) {
    escaped = escaped
      .split(/(!\[[^\]\n]{0,2000}\]\([^)\n]{0,4000}\))/)
      .map((part, index) => (index % 2 === 1 ? part : part.replace(/(?<!\\)_/g, '\\_')))
      .join('');
  }
  if (!/[&<>]/.test(escaped)) return escaped;
  return escaped.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Wraps text in bold, italic, strikethrough and link, in this order from the inside. Raised and lowered text is HTML, if shown. */
function styleMarkdown(
  text: string,
  formatting: Formatting | null | undefined,
  hyperlink: string | null | undefined,
  hasScripts = false,
): string {
  let result = text;
  if (formatting?.bold) result = `**${result}**`;
  if (formatting?.italic) result = `*${result}*`;
  if (formatting?.strikethrough) result = `~~${result}~~`;
  // The tags are outside: after a letter, asterisks before a tag would not start a style.
  if (hasScripts && formatting?.script === 'sub') result = `<sub>${result}</sub>`;
  if (hasScripts && formatting?.script === 'super') result = `<sup>${result}</sup>`;
  return hyperlink ? `[${result}](${hyperlink})` : result;
}

const isWord = /[\p{L}\p{N}\p{M}]/u;

/**
 * True if two written runs mean the same next to each other as with a blank between them. Asterisks and tildes end a style only
 * after a word, or before a character that is none, and start one accordingly (CommonMark 6.2).
 */
export function canTouch(before: { text: string; node: NodeItem }, after: { text: string; node: NodeItem }): boolean {
  const [left, right] = [before.text, after.text];
  // The beginning of an escape, of an image, or of a longer code span.
  if (left.endsWith('\\') || (left.endsWith('!') && right.startsWith('['))) return false;
  if (left.endsWith('`') && right.startsWith('`')) return false;
  const end = isStyled(before.node) ? /[*~]+$/.exec(left)?.[0].length : undefined;
  const start = isStyled(after.node) ? /^[*~]+/.exec(right)?.[0].length : undefined;
  if (start && (end || /[*~]$/.test(left))) return false;
  if (end) return isWord.test(left.at(-end - 1) ?? '') || !isWord.test(right[0] ?? '');
  if (start) return isWord.test(right[start] ?? '') || !isWord.test(left.at(-1) ?? '');
  return true;
}

/** An asterisk at the end of a styled text would become part of the mark next to it. */
function escapeRun(text: string, item: TextItem, dialect: MarkdownDialect | undefined): string {
  const escaped = escapeMarkdown(text, dialect);
  return dialect || !isStyled(item) ? escaped : escaped.replace(/^(?=[*~])|(?<!\\)(?=[*~]$)/g, '\\');
}

function isStyled(node: NodeItem): boolean {
  if (!isText(node) || !node.formatting) return false;
  const { bold, italic, strikethrough } = node.formatting;
  return bold || italic || strikethrough;
}

/** Adds two blanks before a line break inside a paragraph to preserve it. Empty lines are not changed. */
function keepLineBreaks(text: string): string {
  return text.includes('\n') ? text.replace(/(?<!\n)\n(?!\n)/g, '  \n') : text;
}

/** Markers that say something: letters, numbers of any script, and boxes, which are checked or not. */
const tellingMarker = /[\p{L}\p{N}☐☑☒□]/u;

/**
 * Returns the marker before the text of a list item: its own if it is valid Markdown, else a dash or its position, followed by its
 * own if that says something.
 */
export function listMarker(item: TextItem, list: GroupItem | undefined, isFirstEnumerated: boolean): string {
  const marker = item.marker ?? '';
  if (/^(?:[-*+]|\d+\.)$/.test(marker)) return marker;
  // Computed only when needed: for long lists it would take quadratic time.
  const findPosition = () => (list ? list.children.findIndex(({ $ref }) => $ref === item.self_ref) + 1 : 1);
  const itemMarker = isFirstEnumerated && marker === '' ? `${findPosition()}.` : '-';
  return tellingMarker.test(marker) ? `${itemMarker} ${marker}` : itemMarker;
}

/** `text` is the text of the item, or of its inline group, which is already styled (`isDone`). */
interface TextOptions {
  text: string;
  isDone: boolean;
  isInline: boolean;
  isPlain: boolean;
  isEscaped: boolean;
  /** Raised and lowered text is shown. */
  hasScripts: boolean;
  marker: string;
  dialect: MarkdownDialect | undefined;
}

/** Writes one text item as Markdown or as plain text. */
export function writeTextItem(item: TextItem, options: TextOptions): string {
  const { text, isDone, isInline, isPlain, isEscaped } = options;
  const dialect = isPlain ? undefined : options.dialect;
  const keepShape = (value: string) => {
    if (dialect) return styleFully(value, item, dialect);
    return isPlain ? value : styleMarkdown(value, item.formatting, item.hyperlink, options.hasScripts);
  };
  const finish = (value: string) =>
    isDone || isPlain ? value : keepShape(isEscaped ? escapeRun(value, item, dialect) : value);
  // Runs of an inline group already have their line breaks, and code needs none.
  const splitLines = (value: string) => (isPlain || isDone ? value : keepLineBreaks(value));
  const repeatHashes = (count: number) => (isPlain ? '' : `${'#'.repeat(count)} `);
  const head = (value: string) => {
    if (isPlain) return value;
    const line = value.replaceAll('\n', ' ');
    return dialect ? escapeHeading(line) : line;
  };
  switch (item.label) {
    case 'title':
      return `${repeatHashes(1)}${head(finish(text))}`;
    case 'section_header':
      return `${repeatHashes(computeHeadingDepth(item, dialect))}${head(finish(text))}`;
    case 'list_item':
      return `${options.marker} ${splitLines(finish(text))}`;
    case 'code':
      if (dialect) return isInline ? keepShape(writeCodeSpan(text)) : writeFencedCode(text, item.code_language);
      return isPlain ? text : writeCode(item, text, isInline);
    case 'formula':
      if (text !== '' && dialect) return writeFormula(text, isInline, dialect);
      if (text !== '') return keepShape(isInline ? `$${text}$` : `$$${text}$$`);
      // A note about an undecoded formula is useless in plain text.
      if (isPlain && !isEscaped) return item.orig;
      return item.orig === '' ? '' : '<!-- formula-not-decoded -->';
    case 'checkbox_selected':
    case 'checkbox_unselected':
      if (dialect) return writeCheckbox(item, splitLines(finish(text)), dialect);
      return splitLines(finish(`- [${item.label === 'checkbox_selected' ? 'x' : ' '}] ${text}`));
    default:
      return text === '' ? '' : splitLines(finish(text));
  }
}

function computeHeadingDepth({ level = 1 }: TextItem, dialect: MarkdownDialect | undefined): number {
  return dialect ? Math.min(level + 1, deepestHeading) : level + 1;
}

/** CommonMark has no task lists: the box is a character. */
function writeCheckbox({ label }: TextItem, text: string, dialect: MarkdownDialect): string {
  const isSelected = label === 'checkbox_selected';
  if (dialect === 'github') return `- [${isSelected ? 'x' : ' '}] ${text}`;
  return `- ${isSelected ? '☑' : '☐'} ${text}`;
}

function writeCode(item: TextItem, text: string, isInline: boolean): string {
  if (isInline || item.hyperlink) return styleMarkdown(`\`${text}\``, item.formatting, item.hyperlink);
  return styleMarkdown(`\`\`\`\n${text}\n\`\`\``, item.formatting, null);
}
