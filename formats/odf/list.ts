import type { GroupItem, NodeItem, TextItem } from '../../document/model';
import { addAll } from '../../model/lists/add-all';
import { listElements, type XmlElement } from '../xml/xml';
import { addComments } from './comments';
import { addStyled, type OdfContext, buildOptions, type Place } from './context';
import { normalise, type OdfRun, readText } from './runs';

/** A list that the next one may continue. */
export interface ListState {
  group: GroupItem;
  lastItem: TextItem | undefined;
  isNumbered: boolean;
  counter: number;
}

/** What a list inherits from the enclosing one. */
interface ListContext {
  level: number;
  style: string | undefined;
  /** Text after its numbers. */
  suffix: string;
}

/** True for a list around headings, which old documents use to number chapters. */
export function hasHeadings(list: XmlElement): boolean {
  return listItems(list).some((item) =>
    listElements(item).some((block) => block.name === 'text:h' || (block.name === 'text:list' && hasHeadings(block))),
  );
}

function listItems(list: XmlElement): XmlElement[] {
  return listElements(list).filter(({ name }) => name === 'text:list-item' || name === 'text:list-header');
}

function hasText(list: XmlElement): boolean {
  return listItems(list).some((item) =>
    listElements(item).some((block) => (block.name === 'text:list' ? hasText(block) : true)),
  );
}

/** True if the first item contains only a nested list, which continues below the last item of the previous list. */
function beginsDeeper(list: XmlElement): boolean {
  const [first] = listItems(list);
  return first !== undefined && listElements(first)[0]?.name === 'text:list' && hasText(list);
}

const outermost: ListContext = { level: 0, style: undefined, suffix: '.' };

/** Adds a list. Returns its state; a list directly after it gets that as `before`. */
export function addList(
  context: OdfContext,
  list: XmlElement,
  place: Place,
  { before, around = outermost }: { before?: ListState | undefined; around?: ListContext },
): ListState | undefined {
  const level = around.level + 1;
  // A nested list without its own style has that of the outer list (OpenDocument 1.3 part 3, 5.3.1).
  const style = list.attributes['text:style-name'] ?? around.style;
  // Nested lists keep the plain form of numbers, which Markdown supports, unless they have their own style.
  const suffix = context.styles.listLevel(list.attributes['text:style-name'], level)?.suffix ?? '';
  const inner: ListContext = { level, style, suffix: suffix === '' ? '.' : suffix };
  const items = listItems(list).filter((item) => listElements(item).length > 0);
  const isContinuation = before?.lastItem !== undefined && beginsDeeper(list);
  const hasOwnText = items.some((item) => listElements(item).some(({ name }) => name !== 'text:list'));
  if (!isContinuation && !hasOwnText) {
    for (const nested of items.flatMap((item) => listElements(item, 'text:list')))
      addList(context, nested, place, { around: inner });
    return undefined;
  }
  const state = isContinuation ? before : beginList(context, list, place, inner);
  for (const item of items) addItem(context, item, state, { place, inner });
  if (style !== undefined) context.counters.set(`${style}/${level}`, state.counter);
  return state;
}

function beginList(context: OdfContext, list: XmlElement, place: Place, { level, style }: ListContext): ListState {
  const listLevel = context.styles.listLevel(style, level);
  const continuesNumbers =
    list.attributes['text:continue-numbering'] === 'true' || list.attributes['text:continue-list'] !== undefined;
  const last = continuesNumbers ? context.counters.get(`${style}/${level}`) : undefined;
  const { prov: _, ...options } = buildOptions(place, '');
  return {
    group: context.builder.group('list', options),
    lastItem: undefined,
    isNumbered: listLevel?.isNumbered ?? false,
    counter: last ?? (listLevel?.start ?? 1) - 1,
  };
}

function addItem(
  context: OdfContext,
  item: XmlElement,
  state: ListState,
  { place, inner }: { place: Place; inner: ListContext },
): void {
  const blocks = listElements(item);
  const paragraphs = blocks.filter(({ name }) => name === 'text:p');
  const texts = paragraphs.map((paragraph) => readText(context.styles, paragraph));
  const runs = normalise(
    texts.flatMap(({ runs: itemRuns }, index): OdfRun[] => (index === 0 ? itemRuns : [blank, ...itemRuns])),
  );
  const otherBlocks = blocks.filter(({ name }) => name !== 'text:p' && name !== 'text:list');
  const nested = listElements(item, 'text:list').filter(hasText);
  const drawings = texts.flatMap((text) => text.drawings);
  if (runs.length > 0) addItemText(context, item, state, { runs, place, suffix: inner.suffix });
  const target: NodeItem = state.lastItem ?? state.group;
  addAll(
    context.notes,
    texts.flatMap(({ notes }) => notes),
  );
  if (runs.length > 0)
    addComments(
      context,
      texts.flatMap(({ comments }) => comments),
      state.lastItem,
    );
  context.addBlocks(context, [...drawings, ...otherBlocks], { ...place, parent: target });
  let before: ListState | undefined;
  for (const list of nested) before = addList(context, list, { ...place, parent: target }, { before, around: inner });
}

const blank: OdfRun = { text: ' ', formatting: null, hyperlink: null };

function addItemText(
  context: OdfContext,
  item: XmlElement,
  state: ListState,
  { runs, place, suffix }: { runs: OdfRun[]; place: Place; suffix: string },
): void {
  const start = Number(item.attributes['text:start-value']);
  // The header of a list has no number.
  const isNumbered = state.isNumbered && item.name === 'text:list-item';
  if (item.name === 'text:list-item') state.counter = start > 0 ? start : state.counter + 1;
  addStyled(context, runs, place, (text, marks) => {
    state.lastItem = context.builder.listItem(text, {
      ...buildOptions(place, text),
      ...marks,
      parent: state.group,
      enumerated: isNumbered,
      marker: isNumbered ? `${state.counter}${suffix}` : '',
    });
    return state.lastItem;
  });
}

/** Returns the texts of the items, one per line. */
export function listLines(context: OdfContext, list: XmlElement): string[] {
  return listItems(list).flatMap((item) =>
    listElements(item).flatMap((block) =>
      block.name === 'text:list' ? listLines(context, block) : [readText(context.styles, block).text],
    ),
  );
}
