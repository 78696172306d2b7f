import type { DocumentBuilder } from '../../../document/builder';
import type { ContentLayer, GroupItem, NodeItem } from '../../../document/model';
import type { Numbering } from './numbering';

/**
 * Tracks where the next item is added: below the title and the headings so far, inside the open lists. Slot n holds the node n
 * levels below the root; the next item goes into the first free slot.
 */
export interface Outline {
  /** Returns the parent of the next item; undefined means the body. */
  parent(): NodeItem | undefined;
  title(text: string): NodeItem;
  /** Level 0 replaces the title and counts as level 1. */
  heading(level: number, text: string, numbering: HeadingNumbering, number?: string): NodeItem;
  /** Returns the group for an item of this list and level; opens and closes groups as needed. */
  listGroup(number: string, level: number): GroupItem;
  /** Adds a paragraph without text. After a list item it is postponed, because the list may continue after it. */
  blank(add: (parent: NodeItem | undefined) => void): void;
  /** Ends an open list before other content. */
  endList(): void;
  /**
   * Call it before a picture or table. Directly after an item, the picture is part of the list; after a blank paragraph, it
   * ends the list.
   */
  beforeFloating(): void;
  /** Makes an item the current parent until the returned function is called. */
  enter(item: NodeItem): () => void;
}

/** Whether a heading is numbered, and whether its number is visible. */
export type HeadingNumbering = 'none' | 'hidden' | 'shown';

interface OpenList {
  /** Slot of the outermost group. */
  base: number;
  number: string;
  level: number;
}

/** Creates an outline below `root` (default: the body). Heading numbers continue across all outlines of a document. */
export function createOutline(
  builder: DocumentBuilder,
  layer: ContentLayer,
  headingNumbers: Map<number, number>,
  root?: () => NodeItem,
): Outline {
  let slots: (NodeItem | undefined)[] = [];
  let list: OpenList | undefined;
  let waiting: ((parent: NodeItem | undefined) => void)[] = [];
  let isAfterNumberedHeading = false;

  const findFreeSlot = (): number => {
    const free = slots.indexOf(undefined);
    return free < 0 ? slots.length : free;
  };
  const findAbove = (slot: number): NodeItem | undefined => {
    for (let at = slot - 1; at >= 0; at--) if (slots[at] !== undefined) return slots[at];
    return root?.();
  };
  const cutAt = (slot: number): void => {
    slots = slots.slice(0, slot);
  };
  const getParent = () => findAbove(findFreeSlot());
  const place = (at: NodeItem | undefined) => ({ ...(at === undefined ? {} : { parent: at }), layer });
  const openGroup = (slot: number): GroupItem => {
    const group = builder.group('list', place(findAbove(slot)));
    while (slots.length < slot) slots.push(findAbove(slots.length));
    slots[slot] = group;
    return group;
  };

  function endList(): void {
    if (list !== undefined) cutAt(list.base);
    // The reference treats numbered headings as list items, and content after them as the end of everything open.
    else if (isAfterNumberedHeading) slots = [];
    list = undefined;
    isAfterNumberedHeading = false;
    const blanks = waiting;
    waiting = [];
    for (const add of blanks) add(getParent());
  }
  function listGroup(number: string, level: number): GroupItem {
    waiting = list?.number === number ? [] : waiting;
    if (waiting.length > 0) endList();
    isAfterNumberedHeading = false;
    if (list === undefined) {
      list = { base: findFreeSlot(), number, level };
      return openGroup(list.base);
    }
    const before = list;
    list = { base: before.base, number, level };
    if (before.number !== number) {
      cutAt(before.base + level);
      return openGroup(before.base + level);
    }
    if (level > before.level) {
      const from = findFreeSlot();
      for (let slot = from; slot < from + level - before.level; slot++) openGroup(slot);
      return slots[findFreeSlot() - 1] as GroupItem;
    }
    if (level < before.level) cutAt(before.base + Math.max(level, 0) + 1);
    const innermost = slots[findFreeSlot() - 1];
    return isList(innermost) ? innermost : openGroup(findFreeSlot());
  }
  function addHeading(level: number, text: string, numbering: HeadingNumbering, number?: string): NodeItem {
    // As in the reference, a numbered heading directly after a list item is part of the list.
    if (numbering === 'none' || list === undefined || waiting.length > 0) endListBeforeHeading();
    const open = findFreeSlot();
    for (let slot = open; slot < level; slot++) {
      slots[slot] = builder.group('section', { ...place(findAbove(slot)), name: `header-${slot}` });
    }
    cutAt(level);
    const shownLevel = Math.max(level, 1);
    const counted = number ?? (numbering === 'shown' ? getNextHeadingNumber(headingNumbers, shownLevel) : '');
    const numbered = counted === '' ? text : `${counted} ${text}`;
    const item = builder.heading(shownLevel, numbered, place(findAbove(level)));
    slots[level] = item;
    isAfterNumberedHeading = numbering !== 'none';
    return item;
  }
  function endListBeforeHeading(): void {
    isAfterNumberedHeading = false;
    endList();
  }
  return {
    parent: getParent,
    title(text) {
      endListBeforeHeading();
      slots = [];
      const item = builder.text('title', text, place(root?.()));
      slots[0] = item;
      return item;
    },
    heading: addHeading,
    listGroup,
    blank(add) {
      if (list !== undefined) waiting.push(add);
      else {
        endList();
        add(getParent());
      }
    },
    endList,
    beforeFloating() {
      if (list === undefined || waiting.length > 0) endList();
    },
    enter(item) {
      const slot = findFreeSlot();
      const saved = { slots: slots.slice(), list, waiting };
      slots[slot] = item;
      list = undefined;
      waiting = [];
      return () => {
        endList();
        ({ slots, list, waiting } = saved);
      };
    },
  };
}

function isList(item: NodeItem | undefined): item is GroupItem {
  return item?.label === 'list';
}

/** Returns `1.2.1`. Deeper levels restart, and a skipped level counts as 1. */
function getNextHeadingNumber(numbers: Map<number, number>, level: number): string {
  numbers.set(level, (numbers.get(level) ?? 0) + 1);
  for (let deeper = level + 1; numbers.has(deeper); deeper++) numbers.set(deeper, 0);
  const path = [numbers.get(level)!];
  for (let upper = level - 1; numbers.has(upper); upper--) {
    if (numbers.get(upper) === 0) numbers.set(upper, 1);
    path.unshift(numbers.get(upper)!);
  }
  return path.join('.');
}

/** Returns how the numbering of a paragraph applies to a heading. */
export function getHeadingNumbering(
  numbering: Numbering,
  place: { number: string; level: number } | undefined,
): HeadingNumbering {
  if (place === undefined) return 'none';
  return numbering.isEnumerated(place.number, place.level) ? 'shown' : 'hidden';
}
