import type { DocumentBuilder } from '../../document/builder';
import type { ContentLayer, NodeItem, TextItem } from '../../document/model';
import type { ReadLimits } from '../format';
import type { Element } from './dom';
import { cleanText, formattingOf, normaliseRuns, type Run, type Style } from './inline';

/**
 * What of a page is furniture: for `none` nothing; for `menus` the navigation before the first heading; for `lead`, as the
 * reference has it, all that stands before the first heading outside tables, if there is such a heading, and footers.
 */
export type Furniture = 'none' | 'menus' | 'lead';

/** What is known while a page is read. */
export interface Page {
  builder: DocumentBuilder;
  name: string;
  limits: ReadLimits;
  layer: ContentLayer;
  furniture: Furniture;
  /** Whether a heading is still to come that ends the head of the page. */
  isBeforeHeading: boolean;
  tables: number;
  /** Caption of the figure around, until its first picture or table takes it. */
  caption: Element | undefined;
  /** `label` elements by the id of their field. */
  labels: Map<string, Element>;
  /** Ids of the checkboxes that took their label as text. */
  boxes: Set<string>;
}

/** Content that is added under one node: a page, a cell, a list item. */
export interface Flow {
  /** The node that content goes under is the last; headings put themselves there in a flow with sections. */
  parents: NodeItem[];
  hasSections: boolean;
  /** The paragraph that is being read, and its images. */
  runs: Run[];
  images: { element: Element; style: Style }[];
  /** Inside a `p`: its images follow it, and code alone in it is a block. */
  isParagraph: boolean;
}

/** A flow that begins empty. */
export function createFlow(parent: NodeItem, hasSections = false): Flow {
  return { parents: [parent], hasSections, runs: [], images: [], isParagraph: false };
}

/** The node that content goes under now. */
export function parentOf(flow: Flow): NodeItem {
  return flow.parents.at(-1)!;
}

/** Adds the items of one paragraph: a single one, or an inline group of its runs, which an empty line parts. */
export function addParagraphs(page: Page, flow: Flow, runs: readonly Run[]): void {
  const parent = parentOf(flow);
  const normalised = normaliseRuns(runs);
  const paragraphs = normalised.length === 1 ? [normalised] : splitParagraphs(normalised);
  for (const paragraph of paragraphs) {
    const [only] = paragraph;
    if (!only || paragraph.length > 1 || (only.style.isCode && !flow.isParagraph))
      addInlineGroup(page, parent, paragraph);
    else addRun(page, parent, only);
  }
}

/** Adds an inline group with an item per run. */
export function addInlineGroup(page: Page, parent: NodeItem, runs: readonly Run[]): void {
  const group = page.builder.group('inline', { parent, layer: page.layer });
  for (const run of runs) addRun(page, group, run);
}

function addRun({ builder, layer }: Page, parent: NodeItem, run: Run): TextItem {
  const options = {
    parent,
    layer,
    hyperlink: run.style.hyperlink,
    formatting: formattingOf(run.style),
    orig: run.text,
  };
  if (run.style.isCode) return builder.code(cleanText(run.text), options);
  if (run.style.isFormula) return builder.text('formula', run.text, options);
  return builder.text('text', cleanText(run.text), options);
}

function splitParagraphs(runs: readonly Run[]): Run[][] {
  if (runs.length === 0) return [];
  const paragraphs: Run[][] = [[]];
  for (const { text, style } of runs) {
    for (const [index, part] of text.split(/\n\n+/).entries()) {
      if (index > 0) paragraphs.push([]);
      if (part.trim() !== '') paragraphs.at(-1)!.push({ text: part.trim(), style });
    }
  }
  return paragraphs.filter((paragraph) => paragraph.length > 0);
}

/** The text of several runs as one line. */
export function textOfRuns(runs: readonly Run[]): string {
  return cleanText(collapseAll(runs.map(({ text }) => text).join('')));
}

function collapseAll(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** The style that all visible runs have in common, when there is but one. */
export function singleStyle(runs: readonly Run[]): Style | undefined {
  const visible = normaliseRuns(runs);
  return visible.length === 1 ? visible[0]!.style : undefined;
}
