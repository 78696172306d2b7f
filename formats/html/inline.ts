import type { Formatting } from '../../document/model';
import { runsOn } from '../../document/run-on';
import { findAttribute, type Element, isBlock, isElement, isUnread, type Node, readRawText } from './dom';
import { normaliseLink } from './link';

/** Formatting of a piece of text. Styles are compared by value. */
export interface Style {
  bold: boolean;
  italic: boolean;
  underline: boolean;
  strikethrough: boolean;
  script: Formatting['script'];
  isCode: boolean;
  isFormula: boolean;
  hyperlink: string | null;
}

/** Text with one style; `\n` is used only for `<br>`. */
export interface Run {
  text: string;
  style: Style;
  /** No white space separates the run from the one before it. */
  isRunOn?: boolean | undefined;
}

/** The style of unformatted text. */
export const plain: Style = {
  bold: false,
  italic: false,
  underline: false,
  strikethrough: false,
  script: 'baseline',
  isCode: false,
  isFormula: false,
  hyperlink: null,
};

/** Styles of inline elements. */
const stylesByTag: Record<string, Partial<Style>> = {
  b: { bold: true },
  strong: { bold: true },
  i: { italic: true },
  em: { italic: true },
  var: { italic: true },
  s: { strikethrough: true },
  strike: { strikethrough: true },
  del: { strikethrough: true },
  u: { underline: true },
  ins: { underline: true },
  sub: { script: 'sub' },
  sup: { script: 'super' },
  code: { isCode: true },
  kbd: { isCode: true },
  samp: { isCode: true },
  tt: { isCode: true },
};

/** Returns the style inside an element. */
export function deriveStyle(element: Element, style: Style): Style {
  const ownStyle = stylesByTag[element.tagName];
  if (ownStyle) return { ...style, ...ownStyle };
  if (element.tagName !== 'a') return style;
  const address = findAttribute(element, 'href');
  return address === undefined ? style : { ...style, hyperlink: normaliseLink(address) };
}

/** Returns the part of a style that the document model keeps; null for unformatted text. */
export function buildFormatting({ bold, italic, underline, strikethrough, script }: Style): Formatting | null {
  if (!bold && !italic && !underline && !strikethrough && script === 'baseline') return null;
  return { bold, italic, underline, strikethrough, script };
}

function isSameStyle(style: Style, other: Style): boolean {
  return (Object.keys(plain) as (keyof Style)[]).every((key) => style[key] === other[key]);
}

/** Normalises white space as browsers do. As in the reference, typographic quotes, hyphens and blanks become plain ones. */
export function cleanText(text: string): string {
  return text
    .replace(/[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g, ' ')
    .replace(/[\u200b\u2060\ufeff\u00ad]/g, '')
    .replace(/[\u2010-\u2014]/g, '-')
    .replace(/[\u2018\u2019\u201a]/g, "'")
    .replace(/[\u201c\u201d\u201e]/g, '"');
}

/** Merges neighbouring runs with the same style, collapses white space, trims every run and drops empty ones. */
export function normaliseRuns(runs: readonly Run[]): Run[] {
  const joined: Run[] = [];
  for (const { text, style } of runs) {
    const last = joined.at(-1);
    // White space gets the style of the run before it, so that it does not separate two runs.
    if (last && (text.trim() === '' || isSameStyle(last.style, style))) last.text += text;
    else joined.push({ text, style, isRunOn: runsOn(last && toFormatted(last), toFormatted({ text, style })) });
  }
  return joined
    .map(({ text, style, isRunOn }) => ({
      isRunOn,
      text: text
        .replace(/[ \t\f\r]+/g, ' ')
        .replace(/ ?\n ?/g, '\n')
        .trim(),
      style,
    }))
    .filter(({ text }) => text !== '');
}

function toFormatted({ text, style }: Run): { text: string; formatting: Formatting | null } {
  return { text, formatting: buildFormatting(style) };
}

/** Collapses white space of the source, including line ends and tabs, into single blanks. */
export function collapse(text: string): string {
  return text.replace(/[ \t\n\f\r]+/g, ' ');
}

/**
 * Collects the inline content below a node; block boundaries become blanks. Elements in `apart` are passed to `onApart` in
 * order with their style and are not entered.
 */
export function gatherRuns(
  root: Element,
  style: Style,
  apart: ReadonlySet<string>,
  onApart: (element: Element, style: Style) => void,
): Run[] {
  const runs: Run[] = [];
  const gather = (node: Node, nodeStyle: Style): void => {
    if (node.nodeName === '#text' && 'value' in node) runs.push({ text: collapse(node.value), style: nodeStyle });
    if (!isElement(node) || isUnread(node)) return;
    if (apart.has(node.tagName)) {
      onApart(node, nodeStyle);
      if (isBlock(node)) runs.push({ text: ' ', style: nodeStyle });
      return;
    }
    const ownRun = createInlineRun(node, nodeStyle);
    if (ownRun) {
      runs.push(ownRun);
      return;
    }
    if (isBlock(node)) runs.push({ text: ' ', style: nodeStyle });
    for (const child of node.childNodes) gather(child, deriveStyle(node, nodeStyle));
    if (isBlock(node)) runs.push({ text: ' ', style: nodeStyle });
  };
  for (const child of root.childNodes) gather(child, style);
  return runs;
}

/** Returns the run for an element that is a run by itself: a line break, a formula, a form field. */
export function createInlineRun(element: Element, style: Style): Run | undefined {
  if (element.tagName === 'br') return { text: '\n', style };
  if (element.tagName === 'wbr') return { text: '', style };
  if (element.tagName === 'math') return readFormulaRun(element, style);
  if (element.tagName === 'input') return { text: formatInputText(element), style };
  return undefined;
}

/** Reads a formula as TeX if the page contains it in addition to the MathML, else as text. */
function readFormulaRun(math: Element, style: Style): Run {
  const tex = findTex(math) ?? findAttribute(math, 'alttext');
  return tex ? { text: collapse(tex).trim(), style: { ...style, isFormula: true } } : { text: readTokens(math), style };
}

/** Separates numbers, letters and symbols by blanks: those of a fraction would otherwise read as one number. */
function readTokens(node: Node): string {
  if (!isElement(node)) return 'value' in node ? collapse(node.value).trim() : '';
  if (isUnread(node)) return '';
  return node.childNodes.map(readTokens).filter(Boolean).join(' ');
}

function findTex(node: Element): string | undefined {
  for (const child of node.childNodes) {
    if (!isElement(child)) continue;
    if (child.tagName === 'annotation' && /tex/i.test(findAttribute(child, 'encoding') ?? ''))
      return readRawText(child);
    const tex = findTex(child);
    if (tex !== undefined) return tex;
  }
  return undefined;
}

/** Returns the visible text of a form field. A checkbox without text becomes a mark before the text after it. */
function formatInputText(input: Element): string {
  const type = (findAttribute(input, 'type') ?? 'text').toLowerCase();
  if (type === 'checkbox' || type === 'radio') return findAttribute(input, 'checked') === undefined ? '[ ] ' : '[x] ';
  if (['hidden', 'password', 'image', 'file', 'color', 'range'].includes(type)) return '';
  const text =
    findAttribute(input, 'value') || findAttribute(input, 'placeholder') || findAttribute(input, 'aria-label') || '';
  return ` ${collapse(text)} `;
}
