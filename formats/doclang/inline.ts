import type { Formatting } from '../../document/model';
import { findChild, joinText, type XmlElement, type XmlNode } from '../xml/xml';

/** A part of a paragraph with one kind of content. */
export type Run =
  | { kind: 'text'; text: string; formatting: Formatting | null; hyperlink: string | null }
  | { kind: 'formula'; text: string }
  | { kind: 'code'; text: string; language: string | undefined };

const plain: Formatting = { bold: false, italic: false, underline: false, strikethrough: false, script: 'baseline' };
/** Formatting by element. */
const formattings: Readonly<Record<string, Partial<Formatting>>> = {
  bold: { bold: true },
  italic: { italic: true },
  underline: { underline: true },
  strikethrough: { strikethrough: true },
  subscript: { script: 'sub' },
  superscript: { script: 'super' },
};
/** Elements with properties of a paragraph, which are not part of its text. */
const properties = new Set(['location', 'checkbox', 'label', 'page_break', 'marker', 'uri']);

/** True for nodes that may occur within a line. */
export function isInline(node: XmlNode): boolean {
  return (
    typeof node === 'string' ||
    node.name in formattings ||
    properties.has(node.name) ||
    node.name === 'hyperlink' ||
    node.name === 'formula'
  );
}

/** Returns the runs of a paragraph. White space around them is indentation. */
export function readRuns(nodes: readonly XmlNode[], style: Formatting = plain, hyperlink: string | null = null): Run[] {
  return nodes.flatMap((node): Run[] => {
    if (typeof node === 'string') {
      const text = node.trim();
      return text === '' ? [] : [{ kind: 'text', text, formatting: style === plain ? null : style, hyperlink }];
    }
    if (properties.has(node.name)) return [];
    if (node.name === 'formula') return [{ kind: 'formula', text: joinText(node).trim() }];
    if (node.name === 'code') return [{ kind: 'code', text: readCode(node), language: findLanguage(node) }];
    if (node.name === 'hyperlink')
      return readRuns(node.children, style, joinText(findChild(node, 'uri')).trim() || hyperlink);
    return readRuns(
      node.children,
      node.name in formattings ? { ...style, ...formattings[node.name] } : style,
      hyperlink,
    );
  });
}

/** Returns the code without the indentation of the file around it. Its other white space is kept. */
export function readCode(element: XmlElement): string {
  const texts = element.children.filter((node) => typeof node === 'string');
  // White space between elements is indentation.
  const text = (texts.length > 1 ? texts.filter((part) => part.trim() !== '') : texts).join('');
  // If the end tag is on a line of its own, so is the start tag, and the content is indented by two more blanks.
  const indent = /\n( *)$/.exec(text)?.[1]?.length;
  if (indent === undefined) return text;
  const firstIndent = new RegExp(`^\\s*?\\n {0,${Math.min(indent + 2, 200)}}`);
  return text.slice(0, text.length - indent - 1).replace(firstIndent, '');
}

/** Returns the language of code, or the class of a picture. */
export function findLanguage(element: XmlElement): string | undefined {
  return findChild(element, 'label')?.attributes['value'];
}
