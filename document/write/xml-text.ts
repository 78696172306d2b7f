/** A node to write: an element, a text, or a CDATA section. */
export type XmlNode = XmlElement | string | { cdata: string };
interface XmlElement {
  name: string;
  attributes: Readonly<Record<string, string>>;
  children: readonly XmlNode[];
}

/** Creates an element with children and attributes. */
export function createElement(
  name: string,
  children: readonly XmlNode[] = [],
  attributes: Readonly<Record<string, string>> = {},
): XmlElement {
  return { name, attributes, children };
}

/**
 * Writes a node as XML, indented by two blanks per level. An element that contains only text stays on one line. Ends with a
 * newline.
 */
export function writeXml(node: XmlNode): string {
  const lines: string[] = [];
  write(node, 0, lines);
  return `${lines.join('\n')}\n`;
}

function write(node: XmlNode, depth: number, lines: string[]): void {
  const indent = '  '.repeat(depth);
  if (typeof node === 'string' || 'cdata' in node) {
    lines.push(indent + formatInline(node));
    return;
  }
  const attributes = Object.entries(node.attributes).map(([name, value]) => ` ${name}="${escapeXml(value, true)}"`);
  const open = `${indent}<${node.name}${attributes.join('')}`;
  const [only] = node.children;
  if (only === undefined) lines.push(`${open}/>`);
  else if (node.children.length === 1 && (typeof only === 'string' || 'cdata' in only)) {
    lines.push(`${open}>${formatInline(only)}</${node.name}>`);
  } else {
    lines.push(`${open}>`);
    for (const child of node.children) write(child, depth + 1, lines);
    lines.push(`${indent}</${node.name}>`);
  }
}

function formatInline(node: string | { cdata: string }): string {
  if (typeof node === 'string') return escapeXml(node, false);
  return `<![CDATA[${omitControls(node.cdata).replaceAll(']]>', ']]]]><![CDATA[>')}]]>`;
}

function escapeXml(text: string, isAttribute: boolean): string {
  const content = omitControls(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return isAttribute ? content.replaceAll('"', '&quot;').replaceAll('\n', '&#10;') : content;
}

/** Removes characters that XML 1.0 does not allow, even escaped. */
function omitControls(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '');
}
