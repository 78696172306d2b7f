import type { DocumentBuilder } from '../../document/builder';
import type { ContentLayer, NodeItem, Provenance } from '../../document/model';
import type { OdfPackage } from './package';
import { addComments } from './comments';
import { addDrawing } from './drawing';
import { addList, hasHeadings, type ListState } from './list';
import { type OdfRun, readText } from './runs';
import type { OdfStyles } from './styles';
import { addTable } from './table';
import { child, elements, textOf, type XmlElement } from '../xml/xml';

/** State while a document is read. */
export interface OdfContext {
  builder: DocumentBuilder;
  office: OdfPackage;
  styles: OdfStyles;
  /** Notes found so far; they are added after the text. */
  notes: XmlElement[];
  /** Comment groups by the name of their first comment. */
  threads: Map<string, NodeItem>;
  /** Last number of each list style, for lists that continue it. */
  counters: Map<string, number>;
}

/** Where content is added. `isTitle` turns paragraphs into titles. */
export interface Place {
  parent?: NodeItem;
  layer?: ContentLayer;
  /** Returns the provenance of an item with that many characters. */
  prov?: (length: number) => Provenance[];
  isTitle?: boolean;
}

/** Creates an empty context. */
export function createContext(builder: DocumentBuilder, office: OdfPackage, styles: OdfStyles): OdfContext {
  return { builder, office, styles, notes: [], threads: new Map(), counters: new Map() };
}

// Elements whose content is read like the rest of the document. A table of contents is not among them, as it only repeats
// headings.
const wrappers: ReadonlySet<string> = new Set([
  'text:section',
  'text:bibliography',
  'text:index-body',
  'text:numbered-paragraph',
]);

/** Adds paragraphs, headings, lists, tables and drawings in order. */
export function addBlocks(context: OdfContext, blocks: readonly XmlElement[], place: Place): void {
  let list: ListState | undefined;
  for (const block of blocks) {
    if (block.name === 'text:list' && !hasHeadings(block)) {
      list = addList(context, block, place, list);
      continue;
    }
    if (block.name !== 'text:soft-page-break') list = undefined;
    if (block.name === 'text:h') addHeading(context, block, place);
    else if (block.name === 'text:p') addParagraph(context, block, place);
    else if (block.name === 'table:table') addTable(context, block, place);
    else if (block.name.startsWith('draw:')) addDrawing(context, block, place);
    else if (block.name === 'text:list') {
      for (const item of elements(block)) addBlocks(context, elements(item), place);
    } else if (wrappers.has(block.name)) addBlocks(context, elements(block), place);
  }
}

function addHeading(context: OdfContext, heading: XmlElement, place: Place): void {
  const { runs, notes, comments, drawings } = readText(context.styles, heading);
  context.notes.push(...notes);
  for (const drawing of drawings) addDrawing(context, drawing, place);
  const level = Number(heading.attributes['text:outline-level'] ?? 1) || 1;
  const item = addStyled(context, runs, place, (text, marks) =>
    context.builder.heading(level, text, { ...optionsOf(place, text), ...marks }),
  );
  addComments(context, comments, item);
}

function addParagraph(context: OdfContext, paragraph: XmlElement, place: Place): void {
  const { builder, styles } = context;
  const { runs, notes, comments, drawings } = readText(styles, paragraph);
  context.notes.push(...notes);
  for (const drawing of drawings) addDrawing(context, drawing, { ...place, isTitle: false });
  const lineage = styles.lineage(paragraph.attributes['text:style-name']);
  let item: NodeItem | undefined;
  if (place.isTitle === true || lineage.has('Title')) {
    item = addStyled(context, runs, place, (text, marks) =>
      builder.text('title', text, { ...optionsOf(place, text), ...marks }),
    );
  } else if (lineage.has('Subtitle')) {
    item = addStyled(context, runs, place, (text, marks) =>
      builder.heading(1, text, { ...optionsOf(place, text), ...marks }),
    );
  } else item = addRuns(context, runs, place);
  addComments(context, comments, item);
}

/** Returns the options of the builder for a place. */
export function optionsOf({ parent, layer, prov }: Place, text: string) {
  return {
    ...(parent === undefined ? {} : { parent }),
    ...(layer === undefined ? {} : { layer }),
    ...(prov === undefined ? {} : { prov: prov(text.length) }),
  };
}

type Marks = Pick<OdfRun, 'formatting' | 'hyperlink'>;

/** Adds one item if all runs have the same style, else an empty item with a group of runs. Returns the node for comments. */
export function addStyled(
  context: OdfContext,
  runs: readonly OdfRun[],
  place: Place,
  add: (text: string, marks?: Marks) => NodeItem,
): NodeItem | undefined {
  const [first, second] = runs;
  if (first === undefined) return undefined;
  if (second === undefined) return add(first.text, { formatting: first.formatting, hyperlink: first.hyperlink });
  return addRuns(context, runs, { ...place, parent: add('') });
}

function addRuns({ builder }: OdfContext, runs: readonly OdfRun[], place: Place): NodeItem | undefined {
  const add = ({ text, formatting, hyperlink }: OdfRun, within: Place) =>
    builder.text('text', text, { ...optionsOf(within, text), formatting, hyperlink });
  const [first, second] = runs;
  if (first === undefined || second === undefined) return first && add(first, place);
  const { prov: _, ...options } = optionsOf(place, '');
  const group = builder.group('inline', options);
  for (const run of runs) add(run, { ...place, parent: group });
  return group;
}

/** Adds the footnotes and endnotes found so far as furniture. */
export function addNotes(context: OdfContext): void {
  for (const note of context.notes) {
    const body = elements(child(note, 'text:note-body')).flatMap((block) =>
      block.name === 'text:list' ? elements(block).flatMap((item) => elements(item)) : [block],
    );
    const texts = body.map((block) => readText(context.styles, block).text);
    const text = texts.filter(Boolean).join('\n');
    if (text !== '') context.builder.text('footnote', text, { layer: 'furniture' });
  }
}

/** Returns all text below an element on one line. */
export function lineOf(element: XmlElement | undefined): string {
  return textOf(element).replace(/\s+/g, ' ').trim();
}
