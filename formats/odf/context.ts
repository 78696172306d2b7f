import type { DocumentBuilder } from '../../document/builder';
import type { ContentLayer, NodeItem, Provenance } from '../../document/model';
import type { FormulaBudget } from '../ooxml/xlsx/formulas';
import { joinText, type XmlElement } from '../xml/xml';
import type { OdfPackage } from './package';
import type { OdfRun } from './runs';
import type { OdfStyles } from './styles';

/** State while a document is read. */
export interface OdfContext {
  builder: DocumentBuilder;
  office: OdfPackage;
  styles: OdfStyles;
  /** Runs keep the white space at their ends, as in the reference. In Markdown, marks next to such white space are not recognized. */
  keepsBlanks: boolean;
  /** Undefined: cells have no formulas. */
  formulas: FormulaBudget | undefined;
  /** Notes found so far; they are added after the text. */
  notes: XmlElement[];
  /** Comment groups by the name of their first comment. */
  threads: Map<string, NodeItem>;
  /** Last number of each list style, for lists that continue it. */
  counters: Map<string, number>;
  /** Adds paragraphs, headings, lists, tables and drawings in order. */
  addBlocks: (context: OdfContext, blocks: readonly XmlElement[], place: Place) => void;
}

/** Where content is added. */
export interface Place {
  parent?: NodeItem;
  layer?: ContentLayer;
  /** Returns the provenance of an item with that many characters. */
  prov?: (length: number) => Provenance[];
  /** True: paragraphs become titles. */
  isTitle?: boolean;
}

/** Returns the options of the builder for a place. */
export function buildOptions({ parent, layer, prov }: Place, text: string) {
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

/** Adds a single run as a text, several as a group. */
export function addRuns(context: OdfContext, originalRuns: readonly OdfRun[], place: Place): NodeItem | undefined {
  const { builder, keepsBlanks } = context;
  const runs = keepsBlanks
    ? originalRuns
    : originalRuns.flatMap((run) => (run.text.trim() === '' ? [] : [{ ...run, text: run.text.trim() }]));
  const add = ({ text, formatting, hyperlink, isRunOn }: OdfRun, within: Place) =>
    builder.text('text', text, { ...buildOptions(within, text), formatting, hyperlink, isRunOn });
  const [first, second] = runs;
  if (first === undefined || second === undefined) return first && add(first, place);
  const { prov: _, ...options } = buildOptions(place, '');
  const group = builder.group('inline', options);
  for (const run of runs) add(run, { ...place, parent: group });
  return group;
}

/** Returns all text below an element on one line. */
export function readLine(element: XmlElement | undefined): string {
  return joinText(element).replace(/\s+/g, ' ').trim();
}
