import { type Box, measureOverlapX, measureOverlapY } from '../geometry/box';
import { divideAxis, findFirst } from '../geometry/strips';

/** An item above another reaches at most this share of the smaller height into it, and shares more than this part of the smaller width. */
const maxDip = 0.3;
const minSharedWidth = 0.1;
/** Items in one row share more than this part of the smaller height. */
const minSharedHeight = 0.5;

interface Ordered {
  box: Box;
  order: number;
  kind?: string;
  /** True for a block of code. */
  mono?: boolean;
  block?: { mono: boolean };
}

/**
 * The file's order, except that an item comes after whatever is above it. Side by side, the right one comes first with `rtl`;
 * otherwise a table, picture or code and its neighbour are read left to right: browsers draw
 * the buttons beside code before all text.
 */
export function sortForReading<T extends Ordered>(items: readonly T[], rtl = false): T[] {
  const waiting = items.toSorted((a, b) => a.order - b.order);
  const isDone = waiting.map(() => false);
  const findBlocker = createBlockerSearch(waiting, isDone, rtl);
  // Items that may be next, and for each item the items that wait for it.
  const ready = createHeap();
  const waiters: number[][] = waiting.map(() => []);
  for (const index of waiting.keys()) ready.push(index);
  const ordered: T[] = [];
  const place = (index: number) => {
    isDone[index] = true;
    ordered.push(waiting[index] as T);
    for (const waiter of waiters[index] as number[]) if (!isDone[waiter]) ready.push(waiter);
  };
  for (let first = 0; ordered.length < waiting.length;) {
    const next = ready.pop();
    if (next === undefined) {
      // Boxes that are above one another in a cycle keep the file's order.
      while (isDone[first]) first += 1;
      place(first);
      continue;
    }
    const blocker = isDone[next] ? undefined : findBlocker(next);
    if (blocker !== undefined) (waiters[blocker] as number[]).push(next);
    else if (!isDone[next]) place(next);
  }
  return ordered;
}

/** Finds an item that must come before another one and is not done yet. */
function createBlockerSearch(
  items: readonly Ordered[],
  isDone: readonly boolean[],
  rtl: boolean,
): (index: number) => number | undefined {
  const boxes = items.map(({ box }) => box);
  const boxAt = (index: number) => boxes[index] as Box;
  const above = createQueues(boxes, isDone, { span: ({ l, r }) => [l, r], key: ({ b }) => b });
  const findAbove = (index: number) => {
    const box = boxAt(index);
    return above(box, box.t - maxDip * (box.t - box.b), (other) => standsAbove(boxAt(other), box));
  };
  const hasSides = rtl || items.some(isSolid);
  if (!hasSides) return findAbove;
  const beside = createQueues(boxes, isDone, { span: ({ b, t }) => [b, t], key: rtl ? ({ l }) => l : ({ r }) => -r });
  return (index) => {
    const box = boxAt(index);
    const isBeside = (other: number) =>
      rtl
        ? standsRight(boxAt(other), box)
        : (isSolid(items[index] as Ordered) || isSolid(items[other] as Ordered)) && standsRight(box, boxAt(other));
    return findAbove(index) ?? beside(box, rtl ? box.r - 1 : -box.l - 1, isBeside);
  };
}

/** Finds a box that is not done, overlaps the span of `box`, has a key of at least `minKey` and passes the test. */
type Search = (box: Box, minKey: number, passes: (index: number) => boolean) => number | undefined;

/** Divides an axis into strips, with the boxes of each sorted by their keys; boxes that are done are skipped at once. */
function createQueues(
  boxes: readonly Box[],
  isDone: readonly boolean[],
  { span, key }: { span: (box: Box) => [number, number]; key: (box: Box) => number },
): Search {
  const { count, at } = divideAxis(boxes.map((box) => span(box)[0]));
  const queues = Array.from({ length: count }, () => ({ members: [] as number[], next: [] as number[] }));
  const keys = boxes.map(key);
  const byKey = [...boxes.keys()].toSorted((a, b) => (keys[a] as number) - (keys[b] as number));
  for (const index of byKey) {
    const [from, to] = span(boxes[index] as Box);
    const last = at(to);
    for (let strip = at(from); strip <= last; strip += 1) {
      const { members, next } = queues[strip] as { members: number[]; next: number[] };
      next.push(members.push(index));
    }
  }
  return (box, minKey, passes) => {
    const [from, to] = span(box);
    const last = at(to);
    for (let strip = at(from); strip <= last; strip += 1) {
      const { members, next } = queues[strip] as { members: number[]; next: number[] };
      const skip = (start: number) => {
        let place = start;
        while (place < members.length && isDone[members[place] as number]) place = next[place] as number;
        // The next search jumps over everything that this one passed.
        for (let passed = start; passed < place;) {
          const following = next[passed] as number;
          next[passed] = place;
          passed = following;
        }
        return place;
      };
      let place = skip(findFirst(members.length, (index) => (keys[members[index] as number] as number) >= minKey));
      for (; place < members.length; place = skip(place + 1))
        if (passes(members[place] as number)) return members[place];
    }
    return undefined;
  };
}

/** A heap of numbers; `pop` takes the smallest. */
function createHeap(): { push: (value: number) => void; pop: () => number | undefined } {
  const heap: number[] = [];
  const at = (index: number) => heap[index] as number;
  const swap = (a: number, b: number) => ([heap[a], heap[b]] = [at(b), at(a)]);
  return {
    push(value) {
      let index = heap.push(value) - 1;
      for (let parent = (index - 1) >> 1; index > 0 && at(parent) > at(index); parent = (index - 1) >> 1) {
        swap(index, parent);
        index = parent;
      }
    },
    pop() {
      const last = heap.pop();
      if (last === undefined || heap.length === 0) return last;
      const [first] = heap;
      heap[0] = last;
      for (let index = 0, child = 1; child < heap.length; child = 2 * index + 1) {
        if (child + 1 < heap.length && at(child + 1) < at(child)) child += 1;
        if (at(child) >= at(index)) break;
        swap(index, child);
        index = child;
      }
      return first;
    },
  };
}

function isSolid({ kind, mono, block }: Ordered): boolean {
  return (kind !== undefined && kind !== 'block') || (mono ?? block?.mono ?? false);
}

/** True if `a` is to the right of `b` in the same row. */
function standsRight(a: Box, b: Box): boolean {
  return measureOverlapY(a, b) > minSharedHeight * Math.min(a.t - a.b, b.t - b.b) && a.l >= b.r - 1;
}

function standsAbove(a: Box, b: Box): boolean {
  const shared = measureOverlapX(a, b);
  if (shared <= minSharedWidth * Math.min(a.r - a.l, b.r - b.l)) return false;
  return a.b >= b.t - maxDip * Math.min(a.t - a.b, b.t - b.b) && a.t > b.t;
}
