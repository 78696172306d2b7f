import type { DefaultTreeAdapterMap } from 'parse5';
import { AppError } from '../../model/errors';

export type Node = DefaultTreeAdapterMap['childNode'];
export type Element = DefaultTreeAdapterMap['element'];
type ParentNode = DefaultTreeAdapterMap['parentNode'];

/** True for elements, not for texts and comments. */
export function isElement(node: Node): node is Element {
  return 'tagName' in node;
}

/** Returns the child elements that are read. */
export function listReadElements(parent: Element): Element[] {
  return parent.childNodes.filter(isElement).filter((child) => !isUnread(child));
}

/** True if an ancestor has that tag. */
export function isInside(element: Element, tagName: string): boolean {
  for (let node = element.parentNode; node && 'tagName' in node; node = node.parentNode)
    if (node.tagName === tagName) return true;
  return false;
}

/** Returns the value of an attribute; undefined if it is not set. */
export function findAttribute(element: Element, name: string): string | undefined {
  return element.attrs.find((attr) => attr.name === name)?.value;
}

const invisibleElements = new Set(
  'script style noscript template head title meta link base iframe frame frameset object embed video audio canvas map datalist area param source track desc defs metadata'.split(
    ' ',
  ),
);

/** True for elements that are skipped: invisible ones, and those hidden from screen readers. */
export function isUnread(element: Element): boolean {
  return isUnseen(element) || element.attrs.some(({ name, value }) => name === 'aria-hidden' && value === 'true');
}

/** True for elements that are invisible on the page. Elements hidden only from screen readers repeat or decorate others. */
export function isUnseen(element: Element): boolean {
  return invisibleElements.has(element.tagName) || element.attrs.some(isHiding);
}

function isHiding({ name, value }: { name: string; value: string }): boolean {
  if (name === 'hidden') return true;
  return name === 'style' && /(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(value);
}

/**
 * Yields the descendants of `root` in document order. Elements for which `isLeftOut` returns true are skipped with their
 * content.
 */
export function* iterateElements(root: ParentNode, isLeftOut = isUnread): Generator<Element> {
  const stack: Node[] = root.childNodes.toReversed();
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (!isElement(node) || isLeftOut(node)) continue;
    yield node;
    for (let at = node.childNodes.length - 1; at >= 0; at--) stack.push(node.childNodes[at]!);
  }
}

/** Returns all text below a node with its original white space, and line ends for `br` and blocks. */
export function readRawText(root: ParentNode): string {
  const parts: string[] = [];
  const stack: Node[] = root.childNodes.toReversed();
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (node.nodeName === '#text' && 'value' in node) parts.push(node.value);
    if (!isElement(node) || isUnread(node)) continue;
    if (node.tagName === 'br' || startsNewLine(node, parts)) parts.push('\n');
    for (let at = node.childNodes.length - 1; at >= 0; at--) stack.push(node.childNodes[at]!);
  }
  return parts.join('');
}

/** True for a block that begins in the middle of a line. */
function startsNewLine(element: Element, parts: readonly string[]): boolean {
  return isBlock(element) && parts.length > 0 && !parts.at(-1)!.endsWith('\n');
}

/** Returns the first element with that tag. */
export function findFirstElement(root: ParentNode, tagName: string): Element | undefined {
  for (const element of iterateElements(root)) if (element.tagName === tagName) return element;
  return undefined;
}

/** Throws DOCUMENT_TOO_LARGE if elements are nested too deeply for readers and writers. */
export function checkDepth(root: ParentNode, name: string, maxDepth: number): void {
  const stack: [ParentNode, number][] = [[root, 0]];
  for (let entry = stack.pop(); entry !== undefined; entry = stack.pop()) {
    const [node, depth] = entry;
    if (depth > maxDepth) {
      throw new AppError('DOCUMENT_TOO_LARGE', `'${name}' nests elements more than ${maxDepth} levels deep.`);
    }
    for (const child of node.childNodes) if (isElement(child)) stack.push([child, depth + 1]);
  }
}

const blocks = new Set(
  'address article aside blockquote body button caption center dd details dialog dir div dl dt fieldset figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol optgroup option p pre search section select signature stamp summary table tbody td text tfoot th thead tr ul'.split(
    ' ',
  ),
);

/** True for elements that begin and end a paragraph. */
export function isBlock(element: Element): boolean {
  return blocks.has(element.tagName);
}

const controls = new Set(['button', 'select', 'optgroup', 'option', 'text']);

/** True for form fields and labels of drawings. Inside a paragraph they are part of its text, elsewhere they are blocks. */
export function isControl(element: Element): boolean {
  return controls.has(element.tagName);
}
