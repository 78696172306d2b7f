import type { GroupItem, NodeItem } from '../../document/model';
import { findAttribute, listReadElements, type Element } from './dom';
import { cleanText, buildFormatting, gatherRuns, normaliseRuns, type Run, type Style } from './inline';
import { addInlineGroup, type Page } from './page';

/** How the content of a list is read. */
interface ListOptions {
  style: Style;
  /** Walks an element into a node. */
  walkInto: (parent: NodeItem, element: Element, style: Style) => void;
}

/** Elements that become separate nodes below the text of a list item. */
const separateElements: ReadonlySet<string> = new Set([
  'ul',
  'ol',
  'menu',
  'dir',
  'dl',
  'table',
  'pre',
  'figure',
  'img',
  'details',
]);

/** Adds a `ul` or `ol`. An item without text is replaced by its content. */
export function addList(page: Page, parent: NodeItem, list: Element, { style, walkInto }: ListOptions): void {
  const isOrdered = list.tagName === 'ol';
  const startNumber = isOrdered ? findAttribute(list, 'start') : undefined;
  const start = startNumber !== undefined && /^\d{1,9}$/.test(startNumber.trim()) ? Number(startNumber) : undefined;
  const name = isOrdered ? `ordered list${start === undefined ? '' : ` start ${start}`}` : 'list';
  const group = page.builder.group('list', { parent, layer: page.layer, name });
  for (const child of listReadElements(list)) {
    if (child.tagName !== 'li') {
      walkInto(group, child, style);
      continue;
    }
    const marker = start === undefined ? '' : `${start + group.children.length}.`;
    addItem(page, group, child, { style, walkInto, enumerated: isOrdered, marker });
  }
}

/** Adds a `dl`: terms are bold items, descriptions a list below their term. */
export function addDescriptions(page: Page, parent: NodeItem, list: Element, { style, walkInto }: ListOptions): void {
  const group = page.builder.group('list', { parent, layer: page.layer, name: 'description list' });
  const itemOptions = { style, walkInto, enumerated: false, marker: '' };
  let term: NodeItem | undefined;
  let descriptions: GroupItem | undefined;
  for (const child of listParts(list)) {
    if (child.tagName === 'dt') {
      term = addItem(page, group, child, { ...itemOptions, style: { ...style, bold: true } }) ?? term;
      descriptions = undefined;
      continue;
    }
    if (child.tagName !== 'dd') {
      walkInto(term ?? group, child, style);
      continue;
    }
    const isNested = normaliseRuns(gatherRuns(child, style, separateElements, () => undefined)).length === 0;
    if (isNested) {
      addItem(page, (term ?? group) as GroupItem, child, itemOptions);
      descriptions = undefined;
      continue;
    }
    if (term) descriptions ??= page.builder.group('list', { parent: term, layer: page.layer, name: 'descriptions' });
    addItem(page, descriptions ?? group, child, itemOptions);
  }
}

/** Returns terms and descriptions, which may be grouped in a `div`. */
function listParts(list: Element): Element[] {
  return listReadElements(list).flatMap((child) => (child.tagName === 'div' ? listReadElements(child) : [child]));
}

function addItem(
  page: Page,
  group: GroupItem,
  element: Element,
  { style, walkInto, ...options }: ListOptions & { enumerated: boolean; marker: string },
): NodeItem | undefined {
  const nested: { element: Element; style: Style }[] = [];
  const runs = normaliseRuns(
    gatherRuns(element, style, separateElements, (inner, innerStyle) =>
      nested.push({ element: inner, style: innerStyle }),
    ),
  );
  const item = runs.length === 0 ? undefined : addText(page, group, runs, options);
  for (const inner of nested) walkInto(item ?? group, inner.element, { ...inner.style, bold: false });
  return item;
}

function addText(
  page: Page,
  parent: GroupItem,
  runs: readonly Run[],
  options: { enumerated: boolean; marker: string },
): NodeItem {
  const [only] = runs;
  const placement = { parent, layer: page.layer, ...options };
  if (!only || runs.length > 1 || only.style.isCode || only.style.isFormula) {
    const item = page.builder.listItem('', placement);
    addInlineGroup(page, item, runs);
    return item;
  }
  const text = only.text.replaceAll('\n', ' ');
  const { hyperlink } = only.style;
  return page.builder.listItem(cleanText(text), {
    ...placement,
    hyperlink,
    formatting: buildFormatting(only.style),
    orig: only.text,
  });
}
