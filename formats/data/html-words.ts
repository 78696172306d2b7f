import { parseFragment } from 'parse5';

interface HtmlNode {
  nodeName: string;
  value?: string;
  childNodes?: HtmlNode[];
}
/** Deeper content is omitted. */
const maxDepth = 200;
const blocks = /^(?:p|div|br|li|ul|ol|tr|table|h[1-6]|blockquote|pre|section|article|figure|dt|dd)$/;
const wordless = /^(?:script|style|template)$/;

/** Extracts the words of an HTML text, with empty lines between blocks. Other texts are returned unchanged. */
export function readHtmlWords(text: string): string {
  if (!/<\/[a-z][\w:-]*\s*>|<(?:br|hr|img)\b[^<>]*>/i.test(text)) return text;
  const parts: string[] = [];
  const visit = (node: HtmlNode, depth: number): void => {
    if (node.nodeName === '#text') parts.push(node.value ?? '');
    if (wordless.test(node.nodeName) || depth > maxDepth) return;
    const isBlock = blocks.test(node.nodeName);
    if (isBlock) parts.push('\n\n');
    for (const inner of node.childNodes ?? []) visit(inner, depth + 1);
    if (isBlock) parts.push('\n\n');
  };
  visit(parseFragment(text), 0);
  return parts
    .join('')
    .replace(/[ \t]*\n[ \t]*\n\s*/g, '\n\n')
    .trim();
}
