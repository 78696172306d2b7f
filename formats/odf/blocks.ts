import type { DocumentBuilder } from '../../document/builder';
import type { NodeItem } from '../../document/model';
import { addAll } from '../../model/lists/add-all';
import type { ReadOptions } from '../format';
import { createFormulaBudget } from '../ooxml/xlsx/formulas';
import { findChild, listElements, type XmlElement } from '../xml/xml';
import { addComments } from './comments';
import { addRuns, addStyled, type OdfContext, buildOptions, type Place } from './context';
import { addDrawing } from './drawing';
import { addList, hasHeadings, type ListState } from './list';
import type { OdfPackage } from './package';
import { readText } from './runs';
import { readOdfStyles } from './styles';
import { addTable } from './table';

/** Creates an empty context. */
export function createContext(
  builder: DocumentBuilder,
  office: OdfPackage,
  { profile, includeFormulas }: Pick<ReadOptions, 'profile' | 'includeFormulas'>,
): OdfContext {
  const formulas = includeFormulas ? createFormulaBudget() : undefined;
  const [styles, keepsBlanks] = [readOdfStyles(office), profile === 'reference'];
  return {
    builder,
    office,
    styles,
    keepsBlanks,
    formulas,
    notes: [],
    threads: new Map(),
    counters: new Map(),
    addBlocks,
  };
}

// Elements whose content is read like the rest of the document. Excludes tables of contents, which only repeat headings.
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
      list = addList(context, block, place, { before: list });
      continue;
    }
    if (block.name !== 'text:soft-page-break') list = undefined;
    if (block.name === 'text:h') addHeading(context, block, place);
    else if (block.name === 'text:p') addParagraph(context, block, place);
    else if (block.name === 'table:table') addTable(context, block, place);
    else if (block.name.startsWith('draw:')) addDrawing(context, block, place);
    else if (block.name === 'text:list') {
      for (const item of listElements(block)) addBlocks(context, listElements(item), place);
    } else if (wrappers.has(block.name)) addBlocks(context, listElements(block), place);
  }
}

function addHeading(context: OdfContext, heading: XmlElement, place: Place): void {
  const { runs, notes, comments, drawings } = readText(context.styles, heading);
  addAll(context.notes, notes);
  for (const drawing of drawings) addDrawing(context, drawing, place);
  const level = Number(heading.attributes['text:outline-level'] ?? 1) || 1;
  const item = addStyled(context, runs, place, (text, marks) =>
    context.builder.heading(level, text, { ...buildOptions(place, text), ...marks }),
  );
  addComments(context, comments, item);
}

function addParagraph(context: OdfContext, paragraph: XmlElement, place: Place): void {
  const { builder, styles } = context;
  const { runs, notes, comments, drawings } = readText(styles, paragraph);
  addAll(context.notes, notes);
  for (const drawing of drawings) addDrawing(context, drawing, { ...place, isTitle: false });
  const lineage = styles.lineage(paragraph.attributes['text:style-name']);
  let item: NodeItem | undefined;
  if (place.isTitle === true || lineage.has('Title')) {
    item = addStyled(context, runs, place, (text, marks) =>
      builder.text('title', text, { ...buildOptions(place, text), ...marks }),
    );
  } else if (lineage.has('Subtitle')) {
    item = addStyled(context, runs, place, (text, marks) =>
      builder.heading(1, text, { ...buildOptions(place, text), ...marks }),
    );
  } else item = addRuns(context, runs, place);
  addComments(context, comments, item);
}

/** Adds the footnotes and endnotes found so far as furniture. */
export function addNotes(context: OdfContext): void {
  for (const note of context.notes) {
    const body = listElements(findChild(note, 'text:note-body')).flatMap((block) =>
      block.name === 'text:list' ? listElements(block).flatMap((item) => listElements(item)) : [block],
    );
    const texts = body.map((block) => readText(context.styles, block).text);
    const text = texts.filter(Boolean).join('\n');
    if (text !== '') context.builder.text('footnote', text, { layer: 'furniture' });
  }
}
