import type { Formatting } from '../../document/model';
import { mathToLatex } from '../xml/mathml';
import { findChild, type XmlElement, type XmlNode } from '../xml/xml';
import { collapseXml } from '../xml/xml-document';

/** A part of a paragraph with one style; a formula contains LaTeX. */
export interface Run {
  text: string;
  isFormula: boolean;
  formatting: Formatting | null;
}

/** Formatting by element. */
const formattings: Record<string, Partial<Formatting>> = {
  italic: { italic: true },
  bold: { bold: true },
  underline: { underline: true },
  strike: { strikethrough: true },
  sub: { script: 'sub' },
  sup: { script: 'super' },
};

const noFormatting: Formatting = {
  bold: false,
  italic: false,
  underline: false,
  strikethrough: false,
  script: 'baseline',
};

/**
 * Returns the content of nodes as runs, with white space collapsed and trimmed. Elements in `apart` are passed to `onApart`
 * instead.
 */
export function readRuns(
  nodes: readonly XmlNode[],
  apart: ReadonlySet<string>,
  onApart: (element: XmlElement) => void,
): Run[] {
  const runs: Run[] = [];
  const gather = (node: XmlNode, formatting: Formatting | null): void => {
    if (typeof node === 'string') {
      runs.push({ text: collapseXml(node), isFormula: false, formatting });
      return;
    }
    if (apart.has(node.name)) {
      onApart(node);
      return;
    }
    if (node.name === 'inline-formula' || node.name === 'disp-formula') {
      runs.push({ text: readFormula(node), isFormula: true, formatting: null });
      return;
    }
    if (node.name === 'break') runs.push({ text: ' ', isFormula: false, formatting });
    const ownFormatting = formattings[node.name];
    const style = ownFormatting ? { ...noFormatting, ...formatting, ...ownFormatting } : formatting;
    for (const inner of node.children) gather(inner, style);
  };
  for (const node of nodes) gather(node, null);
  return mergeRuns(runs);
}

/** Merges neighbouring runs with the same style, and trims them. Blanks get the style of the run before them. */
function mergeRuns(runs: readonly Run[]): Run[] {
  const joined: Run[] = [];
  for (const run of runs) {
    const last = joined.at(-1);
    const isBlank = run.text.trim() === '';
    const isSame = JSON.stringify(last?.formatting) === JSON.stringify(run.formatting);
    if (last && !last.isFormula && !run.isFormula && (isBlank || isSame)) last.text += run.text;
    else joined.push({ ...run });
  }
  return joined
    .map((run) => ({ ...run, text: (run.isFormula ? run.text : collapseXml(run.text)).trim() }))
    .filter((run) => run.text !== '');
}

/** Returns a formula as LaTeX: from the article, else from its MathML, else its text. */
export function readFormula(formula: XmlElement): string {
  const alternatives = findChild(formula, 'alternatives') ?? formula;
  const tex = findChild(alternatives, 'tex-math');
  if (tex) return removeTexDelimiters(joinPlainText(tex));
  const math = findChild(alternatives, 'math');
  if (math) return mathToLatex(math);
  return collapseXml(joinPlainText(formula, new Set(['label']))).trim();
}

/** Removes the document preamble and the delimiters around TeX. */
function removeTexDelimiters(tex: string): string {
  const body = /\\begin\{document\}([^]*?)\\end\{document\}/.exec(tex)?.[1] ?? tex;
  return body
    .trim()
    .replace(/^\$\$?([^]*?)\$\$?$/, '$1')
    .replace(/^\\[[(]([^]*?)\\[\])]$/, '$1')
    .trim();
}

/** Returns all text below a node, without the elements named in `skip`. */
export function joinPlainText(node: XmlNode, skip?: ReadonlySet<string>): string {
  if (typeof node === 'string') return node;
  if (node.name === 'break') return ' ';
  let text = '';
  for (const inner of node.children) {
    if (typeof inner === 'string' || skip?.has(inner.name) !== true) text += joinPlainText(inner, skip);
  }
  return text;
}

/** Returns the text of an element on one line. */
export function readLine(element: XmlElement | undefined, skip?: ReadonlySet<string>): string {
  return element ? collapseXml(joinPlainText(element, skip)).trim() : '';
}
