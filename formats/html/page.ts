import type { DocumentBuilder } from '../../document/builder';
import type { ContentLayer, ImageRef, NodeItem, TextItem } from '../../document/model';
import type { ReadLimits } from '../format';
import type { Element } from './dom';
import { cleanText, buildFormatting, normaliseRuns, type Run, type Style } from './inline';

/**
 * The parts of a page that are furniture. `none`: nothing. `menus`: the navigation before the first heading. `lead`, as in the
 * reference: everything before the first heading outside tables, if there is one, and footers.
 */
export type Furniture = 'none' | 'menus' | 'lead';

/** State while a page is read. */
export interface Page {
  builder: DocumentBuilder;
  name: string;
  limits: ReadLimits;
  layer: ContentLayer;
  furniture: Furniture;
  /** True until the heading that ends the head of the page. */
  isBeforeHeading: boolean;
  /** Number of tables so far. */
  tables: number;
  /** Caption of the enclosing figure, until its first picture or table gets it. */
  caption: Element | undefined;
  /** `label` elements by the id of their field. */
  labels: Map<string, Element>;
  /** Ids of the checkboxes that use their label as text. */
  boxes: Set<string>;
  /** Returns the picture at an address. */
  image: ((address: string) => ImageRef | undefined) | undefined;
}

/** Content that is added below one node: a page, a cell, a list item. */
export interface Flow {
  /** The last node is the parent of new content. In a flow with sections, headings are pushed here. */
  parents: NodeItem[];
  hasSections: boolean;
  /** The current paragraph and its images. */
  runs: Run[];
  images: { element: Element; style: Style }[];
  /** Inside a `p`: its images come after it, and code that is its only content becomes a block. */
  isParagraph: boolean;
}

/** Creates an empty flow. */
export function createFlow(parent: NodeItem, hasSections = false): Flow {
  return { parents: [parent], hasSections, runs: [], images: [], isParagraph: false };
}

/** Returns the parent of new content. */
export function getParent(flow: Flow): NodeItem {
  return flow.parents.at(-1)!;
}

/** Adds the items of a paragraph: a single item, or an inline group of its runs. An empty line separates paragraphs. */
export function addParagraphs(page: Page, flow: Flow, runs: readonly Run[]): void {
  const parent = getParent(flow);
  const normalised = normaliseRuns(runs);
  const paragraphs = normalised.length === 1 ? [normalised] : splitParagraphs(normalised);
  for (const paragraph of paragraphs) {
    const [only] = paragraph;
    if (!only || paragraph.length > 1 || (only.style.isCode && !flow.isParagraph))
      addInlineGroup(page, parent, paragraph);
    else addRun(page, parent, only);
  }
}

/** Adds an inline group with one item per run. */
export function addInlineGroup(page: Page, parent: NodeItem, runs: readonly Run[]): void {
  const group = page.builder.group('inline', { parent, layer: page.layer });
  for (const run of runs) addRun(page, group, run);
}

function addRun({ builder, layer }: Page, parent: NodeItem, run: Run): TextItem {
  const options = {
    parent,
    layer,
    hyperlink: run.style.hyperlink,
    formatting: buildFormatting(run.style),
    orig: run.text,
    isRunOn: run.isRunOn,
  };
  if (run.style.isCode) return builder.code(cleanText(run.text), options);
  if (run.style.isFormula) return builder.text('formula', run.text, options);
  return builder.text('text', cleanText(run.text), options);
}

function splitParagraphs(runs: readonly Run[]): Run[][] {
  if (runs.length === 0) return [];
  const paragraphs: Run[][] = [[]];
  for (const { text, style, isRunOn } of runs) {
    for (const [index, part] of text.split(/\n\n+/).entries()) {
      if (index > 0) paragraphs.push([]);
      if (part.trim() !== '') paragraphs.at(-1)!.push({ text: part.trim(), style, isRunOn: index === 0 && isRunOn });
    }
  }
  return paragraphs.filter((paragraph) => paragraph.length > 0);
}

/** Joins the text of several runs into one line. */
export function joinRunTexts(runs: readonly Run[]): string {
  const text = runs.map((run) => run.text).join('');
  return cleanText(text.replace(/\s+/g, ' ').trim());
}

/** Returns the common style of all visible runs; undefined if they differ. */
export function findSingleStyle(runs: readonly Run[]): Style | undefined {
  const visible = normaliseRuns(runs);
  return visible.length === 1 ? visible[0]!.style : undefined;
}
