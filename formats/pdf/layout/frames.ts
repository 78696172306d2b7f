import { type Box, computeCoverage, measureOverlapX, measureOverlapY } from '../geometry/box';
import { groupBy } from '../geometry/group-by';
import { getRuleBox } from '../geometry/rulings';
import type { Line } from '../text/line';
import type { ReadPage } from '../text/upright';

/** A coloured or bordered box whose text is read on its own: a card, a sidebar, a part of a form. */
export interface Frame {
  box: Box;
  lines: Line[];
}

/** In points; gaps between table cells are smaller than `gap`. */
const minSize = { width: 50, height: 24, gap: 4 };
const maxOfPage = 0.5;
const maxBoxes = 400;

/** The innermost text boxes beside other boxes or text, with the lines inside each. */
export function findFrames(page: ReadPage['page'], lines: readonly Line[]): Frame[] {
  const boxes = listBoxes(page);
  if (boxes.length === 0 || boxes.length > maxBoxes) return [];
  const all = boxes.map((box) => ({ box, lines: lines.filter((line) => isWithin(box, line.box)) }));
  const filled = all.filter((frame) => isTextual(frame));
  const innermost = filled.filter(({ box }) => !filled.some((other) => other.box !== box && isWithin(box, other.box)));
  return innermost.filter((frame) => isApart(frame, boxes, lines) && hasNeighbour(frame, innermost, lines));
}

/** Fills and rounded boxes of a suitable size, without duplicates. */
function listBoxes({ fills, panels = [], width, height }: ReadPage['page']): Box[] {
  const seen = new Set<string>();
  return [...fills, ...panels].filter((box) => {
    const { l, r, b, t } = box;
    const key = [l, r, b, t].map((side) => Math.round(side / 2)).join();
    const isSized =
      r - l >= minSize.width &&
      t - b >= minSize.height &&
      computeCoverage({ l: 0, b: 0, r: width, t: height }, box) < maxOfPage;
    if (!isSized || seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

function isWithin(outer: Box, inner: Box): boolean {
  return inner.l >= outer.l - 1 && inner.r <= outer.r + 1 && inner.b >= outer.b - 2 && inner.t <= outer.t + 2;
}

/** True for three rows of text, or two in different type, which table cells rarely contain. */
function isTextual({ lines }: Frame): boolean {
  const rows = [...groupBy(lines, ({ baseline }) => Math.round(baseline / 3)).values()];
  if (rows.length > 2) return true;
  const [first, second] = rows.map(([line]) => line as Line);
  if (!first || !second) return false;
  return Math.abs(first.size - second.size) > 0.5 || first.bold !== second.bold;
}

/** True if no line crosses the box's sides and no other box touches it, as table cells do. */
function isApart({ box }: Frame, boxes: readonly Box[], lines: readonly Line[]): boolean {
  const isCut = lines.some(
    (line) => measureOverlapX(line.box, box) > 1 && measureOverlapY(line.box, box) > 2 && !isWithin(box, line.box),
  );
  const isCell = boxes.some(
    (other) =>
      !isWithin(box, other) &&
      !isWithin(other, box) &&
      measureOverlapX(other, box) > -minSize.gap &&
      measureOverlapY(other, box) > -minSize.gap,
  );
  return !isCut && !isCell;
}

/** True if another frame or text is beside the box, so that rows of the page run through both. */
function hasNeighbour({ box, lines: frameLines }: Frame, frames: readonly Frame[], lines: readonly Line[]): boolean {
  return (
    frames.some(
      (other) =>
        other.box !== box &&
        measureOverlapY(other.box, box) > 0.5 * Math.min(computeHeight(other.box), computeHeight(box)),
    ) || lines.some((line) => !frameLines.includes(line) && measureOverlapY(line.box, box) > 0.5 * line.size)
  );
}

function computeHeight({ t, b }: Box): number {
  return t - b;
}

/** The page with only the graphics inside the boxes (`inside`), without their borders, or with only those outside. */
export function selectGraphics(page: ReadPage['page'], boxes: readonly Box[], inside: boolean): ReadPage['page'] {
  const keeps = (mark: Box) => {
    const holder = boxes.find((box) => isWithin(box, mark));
    if (!inside) return holder === undefined;
    return holder !== undefined && computeCoverage(holder, mark) < 0.9;
  };
  return {
    ...page,
    rules: page.rules.filter((rule) => keeps(getRuleBox(rule)) && !(inside && isEdge(getRuleBox(rule), boxes))),
    fills: page.fills.filter(keeps),
    drawings: page.drawings.filter(keeps),
    ...(page.panels ? { panels: page.panels.filter(keeps) } : {}),
    images: page.images.filter(keeps),
  };
}

function isEdge({ l, r, b, t }: Box, boxes: readonly Box[]): boolean {
  const near = (x: number, y: number) => Math.abs(x - y) < 4;
  return boxes.some((box) =>
    r - l > t - b
      ? (near(t, box.t) || near(b, box.b)) && r - l > 0.9 * (box.r - box.l)
      : (near(l, box.l) || near(r, box.r)) && t - b > 0.9 * (box.t - box.b),
  );
}
