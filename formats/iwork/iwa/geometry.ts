import type { Provenance } from '../../../document/model';
import type { Message } from './message';
import { placeholder, types } from './message-types';
import type { IwaObject } from './objects';

/** Position and size in points; y grows downwards. */
export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** A page, and the point on it from which positions are counted: the corner of the page or of a group. */
export interface IwaPage {
  no: number;
  left: number;
  top: number;
}

/** Number of messages of more specific types that enclose the one that describes a drawable. */
const enclosingLevels: ReadonlyMap<number, number> = new Map([
  [types.tableInfo, 1],
  [types.image, 1],
  [types.movie, 1],
  [types.group, 1],
  [types.chart, 1],
  [types.shape, 2],
  [placeholder, 3],
  [types.caption, 3],
]);

/** Returns the message that all drawables have: position, comment, title and caption. */
export function findDrawable({ type, message }: IwaObject): Message | undefined {
  let ancestor: Message | undefined = message;
  for (let level = enclosingLevels.get(type) ?? 0; level > 0; level--) ancestor = ancestor?.message(1);
  return enclosingLevels.has(type) ? ancestor : undefined;
}

/** Returns the position of a drawable on its page, without rotation; undefined if it has none. */
export function findBox(object: IwaObject, { left, top }: Pick<IwaPage, 'left' | 'top'>): Box | undefined {
  const geometry = findDrawable(object)?.message(1);
  const [position, size] = [geometry?.message(1), geometry?.message(2)];
  const [x, y] = [left + (position?.number(1) ?? 0), top + (position?.number(2) ?? 0)];
  const [width, height] = [size?.number(1) ?? 0, size?.number(2) ?? 0];
  if (![x, y, width, height].every(Number.isFinite)) return undefined;
  return { left: x, top: y, right: x + Math.max(0, width), bottom: y + Math.max(0, height) };
}

/** Returns the place of an item on its page; empty if positions are not known, as in the text of Pages. */
export function createProvenance(page: IwaPage | undefined, box: Box | undefined, length: number): Provenance[] {
  if (!page) return [];
  const { left: l, top: t, right: r, bottom: b } = box ?? { left: 0, top: 0, right: 0, bottom: 0 };
  return [{ page_no: page.no, bbox: { l, t, r, b, coord_origin: 'TOPLEFT' }, charspan: [0, length] }];
}
