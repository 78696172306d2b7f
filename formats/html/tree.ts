import { parse } from 'parse5';
import type { DocumentBuilder } from '../../document/builder';
import type { Formatting, ImageRef, NodeItem, TextItem } from '../../document/model';
import { toCodeLanguage } from '../code/code-language';
import type { ReadLimits } from '../format';
import {
  findAttribute,
  checkDepth,
  type Element,
  iterateElements,
  findFirstElement,
  isBlock,
  isControl,
  isElement,
  isInside,
  isUnread,
  isUnseen,
  type Node,
  readRawText,
} from './dom';
import {
  cleanText,
  collapse,
  buildFormatting,
  gatherRuns,
  createInlineRun,
  plain,
  type Run,
  type Style,
  deriveStyle,
} from './inline';
import { addDescriptions, addList } from './list';
import {
  addParagraphs,
  createFlow,
  type Flow,
  type Furniture,
  type Page,
  getParent,
  findSingleStyle,
  joinRunTexts,
} from './page';
import { addTable, type WalkCell } from './table';

export interface HtmlOptions {
  name: string;
  limits: ReadLimits;
  furniture: Furniture;
  /** Returns the picture at an address of an archive of pages. Absent: pictures are items without data. */
  image?: (address: string) => ImageRef | undefined;
}

/** Adds the content of a page to a document. */
export function readHtml(
  html: string,
  builder: DocumentBuilder,
  { name, limits, furniture, image }: HtmlOptions,
): void {
  const tree = parse(html);
  checkDepth(tree, name, limits.maxDepth);
  const root = tree.childNodes.find((node): node is Element => node.nodeName === 'html');
  if (!root) return;
  const page: Page = {
    builder,
    name,
    limits,
    layer: 'body',
    furniture,
    isBeforeHeading: hasHeading(root),
    tables: 0,
    caption: undefined,
    labels: collectLabels(root),
    boxes: new Set(),
    image,
  };
  addTitle(page, root);
  if (furniture === 'lead' && page.isBeforeHeading) page.layer = 'furniture';
  const flow = createFlow(builder.document.body, true);
  walkChildren(page, flow, root, plain);
  flush(page, flow);
}

function addTitle(page: Page, root: Element): void {
  const head = root.childNodes.find((node): node is Element => node.nodeName === 'head');
  const title = head?.childNodes.find((node): node is Element => node.nodeName === 'title');
  const text = title ? collapse(readRawText(title)).trim() : '';
  if (text !== '') page.builder.text('title', cleanText(text), { layer: 'furniture', orig: text });
}

const isHeading = (element: Element) => /^h[1-6]$/.test(element.tagName);

function hasHeading(root: Element): boolean {
  for (const element of iterateElements(root)) if (isHeading(element) && !isInside(element, 'table')) return true;
  return false;
}

function walkChildren(page: Page, flow: Flow, parent: Element, style: Style): void {
  for (const child of parent.childNodes) walk(page, flow, child, style);
}

function walk(page: Page, flow: Flow, node: Node, style: Style): void {
  if (node.nodeName === '#text' && 'value' in node) flow.runs.push({ text: collapse(node.value), style });
  if (!isElement(node) || isUnread(node)) return;
  if (node.tagName === 'img') {
    // The images of a paragraph come after it; other images stay between the texts.
    if (!flow.isParagraph) flush(page, flow);
    flow.images.push({ element: node, style });
    if (!flow.isParagraph) flush(page, flow);
    return;
  }
  if (node.tagName === 'label' && page.boxes.has(findAttribute(node, 'for') ?? '')) return;
  if (addLabelledBox(page, flow, node)) return;
  const run = createInlineRun(node, style);
  if (run) {
    flow.runs.push(run);
    return;
  }
  if (!isBlock(node)) {
    walkChildren(page, flow, node, deriveStyle(node, style));
    return;
  }
  if (flow.isParagraph && isControl(node)) {
    flow.runs.push({ text: ' ', style });
    walkChildren(page, flow, node, style);
    flow.runs.push({ text: ' ', style });
    return;
  }
  flush(page, flow);
  walkBlock(page, flow, node, style);
  flush(page, flow);
}

function walkBlock(page: Page, flow: Flow, element: Element, style: Style): void {
  const walkInto = (parent: NodeItem, inner: Element, innerStyle: Style) => {
    const inside = createFlow(parent);
    walk(page, inside, inner, innerStyle);
    flush(page, inside);
  };
  switch (element.tagName) {
    case 'h1':
    case 'h2':
    case 'h3':
    case 'h4':
    case 'h5':
    case 'h6':
      addHeading(page, flow, element, style);
      break;
    case 'ul':
    case 'ol':
    case 'menu':
    case 'dir':
      addList(page, getParent(flow), element, { style, walkInto });
      break;
    case 'dl':
      addDescriptions(page, getParent(flow), element, { style, walkInto });
      break;
    case 'table':
      addTableWithCaption(page, flow, element, style);
      break;
    case 'pre':
      addCode(page, flow, element, style);
      break;
    case 'figure':
      walkFigure(page, flow, element, style);
      break;
    case 'signature':
    case 'stamp':
      addMarkedPicture(page, flow, element, style);
      break;
    case 'nav':
      walkMenu(page, flow, element, style);
      break;
    case 'details':
    case 'footer':
      walkSection(page, flow, element, style);
      break;
    case 'p':
      flow.isParagraph = true;
      walkChildren(page, flow, element, style);
      flush(page, flow);
      flow.isParagraph = false;
      break;
    default:
      walkChildren(page, flow, element, style);
  }
}

/** Ends the paragraph: adds its text and then its images. */
function flush(page: Page, flow: Flow): void {
  const { runs, images } = flow;
  flow.runs = [];
  flow.images = [];
  if (runs.length > 0) addParagraphs(page, flow, runs);
  for (const { element, style } of images) addPicture(page, flow, element, style);
}

/** Ends the furniture at the head of a page. Headings in tables, footers and menus do not end it. */
function endLead(page: Page, flow: Flow, element: Element): void {
  if (!flow.hasSections || isInside(element, 'table') || isInside(element, 'footer')) return;
  if (page.furniture === 'lead') page.layer = 'body';
  else if (page.layer === 'body') page.isBeforeHeading = false;
}

function addHeading(page: Page, flow: Flow, element: Element, style: Style): void {
  const images: { element: Element; style: Style }[] = [];
  const runs = gatherRuns(element, style, new Set(['img']), (image, imageStyle) =>
    images.push({ element: image, style: imageStyle }),
  );
  const text = joinRunTexts(runs);
  const level = Number(element.tagName.slice(1)) - 1;
  if (text !== '') {
    endLead(page, flow, element);
    if (flow.hasSections) openLevel(page, flow, level);
    const options = {
      parent: getParent(flow),
      layer: page.layer,
      orig: runs
        .map((run) => run.text)
        .join('')
        .trim(),
      ...buildMarks(runs),
    };
    const added = level === 0 ? page.builder.text('title', text, options) : page.builder.heading(level, text, options);
    if (flow.hasSections) flow.parents.push(added);
  }
  for (const image of images) addPicture(page, flow, image.element, image.style);
}

interface Marks {
  formatting?: Formatting | null;
  hyperlink?: string | null;
}

/** Returns the style for a heading or caption, which can have only one: that of its first formatted part. */
function buildMarks(runs: readonly Run[]): Marks {
  const single = findSingleStyle(runs);
  if (single) return { formatting: buildFormatting(single), hyperlink: single.hyperlink };
  const styles = runs.filter(({ text }) => text.trim() !== '').map(({ style }) => ({ ...style, script: plain.script }));
  return {
    formatting: styles.map(buildFormatting).find(Boolean) ?? null,
    hyperlink: styles.map(({ hyperlink }) => hyperlink).find(Boolean) ?? null,
  };
}

/** Makes the last parent one of that level: closes deeper levels and adds section groups for skipped ones. */
function openLevel(page: Page, flow: Flow, level: number): void {
  if (level === 0) flow.parents.length = 1;
  flow.parents.length = Math.min(flow.parents.length, level + 1);
  while (flow.parents.length < level + 1) {
    const name = `header-${flow.parents.length}`;
    flow.parents.push(page.builder.group('section', { parent: getParent(flow), layer: page.layer, name }));
  }
}

function addTableWithCaption(page: Page, flow: Flow, table: Element, style: Style): void {
  const ownCaption = table.childNodes.find((node): node is Element => node.nodeName === 'caption');
  const captions = addCaption(page, ownCaption ?? page.caption, style);
  if (!ownCaption) page.caption = undefined;
  const walkCell: WalkCell = (parent, cell, cellStyle) => {
    const inside = createFlow(parent);
    walkChildren(page, inside, cell, cellStyle);
    flush(page, inside);
  };
  addTable(page, getParent(flow), table, { style, captions, walkCell });
}

function addCaption(page: Page, caption: Element | undefined, style: Style): TextItem[] {
  if (!caption) return [];
  const runs = gatherRuns(caption, style, new Set(['img']), () => undefined);
  return addCaptionItems(page, joinRunTexts(runs), buildMarks(runs));
}

function addCaptionItems(page: Page, text: string, marks: Marks): TextItem[] {
  // As in the reference, captions are children of the body, wherever their owner is.
  return text === '' ? [] : [page.builder.text('caption', text, { layer: page.layer, ...marks })];
}

/** Adds a picture with the caption of its figure, or else its alternative text. */
function addPicture(page: Page, flow: Flow, image: Element, style: Style): void {
  const alternative = cleanText(collapse(findAttribute(image, 'alt') ?? '')).trim();
  const captions = page.caption
    ? addCaption(page, page.caption, plain)
    : addCaptionItems(page, alternative, { hyperlink: style.hyperlink });
  page.caption = undefined;
  const content = page.image?.(findAttribute(image, 'src') ?? '');
  page.builder.picture({ parent: getParent(flow), layer: page.layer, captions, ...(content && { image: content }) });
}

function walkFigure(page: Page, flow: Flow, figure: Element, style: Style): void {
  const outer = page.caption;
  page.caption = figure.childNodes.find((node): node is Element => node.nodeName === 'figcaption');
  for (const child of figure.childNodes) if (child.nodeName !== 'figcaption') walk(page, flow, child, style);
  flush(page, flow);
  if (page.caption) addCaption(page, page.caption, style);
  page.caption = outer;
}

/** Adds a signature or stamp, an element that vision models write, as a picture of that class with the text read in it. */
function addMarkedPicture(page: Page, flow: Flow, element: Element, style: Style): void {
  const picture = page.builder.picture({ parent: getParent(flow), layer: page.layer });
  picture.meta = { classification: { predictions: [{ class_name: element.tagName }] } };
  const inside = createFlow(picture);
  walkChildren(page, inside, element, style);
  flush(page, inside);
}

/** Navigation at the head of a page leads to other pages; further down it may be a table of contents of the page. */
function walkMenu(page: Page, flow: Flow, element: Element, style: Style): void {
  const layer = page.layer;
  if (page.furniture === 'menus' && page.isBeforeHeading) page.layer = 'furniture';
  walkChildren(page, flow, element, style);
  flush(page, flow);
  if (page.furniture === 'menus') page.layer = layer;
}

/** Adds `details` and `footer` as groups. */
function walkSection(page: Page, flow: Flow, element: Element, style: Style): void {
  const layer = page.layer;
  if (element.tagName === 'footer' && page.furniture === 'lead') page.layer = 'furniture';
  const group = page.builder.group('section', { parent: getParent(flow), layer: page.layer, name: element.tagName });
  const inside = createFlow(group, flow.hasSections);
  walkChildren(page, inside, element, style);
  flush(page, inside);
  // A heading inside `details` may have ended the furniture.
  if (element.tagName === 'footer') page.layer = layer;
}

function addCode(page: Page, flow: Flow, pre: Element, style: Style): void {
  const text = readRawText(pre).replace(/^\n+|\s+$/g, '');
  if (text === '') return;
  const classes = [pre, findFirstElement(pre, 'code')]
    .map((element) => (element ? (findAttribute(element, 'class') ?? '') : ''))
    .join(' ');
  const named = /(?:^|\s)(?:lang(?:uage)?-|highlight-(?:source-)?|brush:\s*)([\w+#-]+)/.exec(classes)?.[1];
  const language = toCodeLanguage(
    named ?? classes.split(/\s+/).find((name) => name.length > 1 && toCodeLanguage(name) !== 'unknown'),
  );
  page.builder.code(text, {
    parent: getParent(flow),
    layer: page.layer,
    language,
    formatting: buildFormatting(style),
    hyperlink: style.hyperlink,
  });
}

/** Adds a checkbox or radio button with its label as one item. The `label` element is not written again. */
function addLabelledBox(page: Page, flow: Flow, input: Element): boolean {
  if (input.tagName !== 'input' || !/^(?:checkbox|radio)$/i.test(findAttribute(input, 'type') ?? '')) return false;
  const id = findAttribute(input, 'id') ?? '';
  const label = page.labels.get(id);
  const text = (label && collapse(readRawText(label)).trim()) || findAttribute(input, 'aria-label')?.trim();
  if (!text) return false;
  flush(page, flow);
  if (label) page.boxes.add(id);
  const kind = findAttribute(input, 'checked') === undefined ? 'checkbox_unselected' : 'checkbox_selected';
  page.builder.text(kind, cleanText(collapse(text)), { parent: getParent(flow), layer: page.layer });
  return true;
}

/** Returns `label` elements by the id of their field. */
function collectLabels(root: Element): Map<string, Element> {
  const labels = new Map<string, Element>();
  for (const element of iterateElements(root, isUnseen)) {
    const id = element.tagName === 'label' ? findAttribute(element, 'for') : undefined;
    if (id) labels.set(id, element);
  }
  return labels;
}
