import { type Box, covered, overlapX, overlapY, union } from './box';
import type { RawPage } from './page';

const leastSide = 14;
/** A drawing of fewer strokes is a frame, an arrow or a decoration. */
const leastStrokes = 10;

/** Images and dense drawings of a page, overlapping ones joined. Decorations and full-page backgrounds are left out. */
export function findPictures(page: RawPage, hasText: boolean): Box[] {
  const pageBox = { l: 0, b: 0, r: page.width, t: page.height };
  const isBackground = (box: Box) => hasText && covered(pageBox, box) > 0.85;
  const images = page.images.filter(
    (box) => box.r - box.l >= leastSide && box.t - box.b >= leastSide && !isBackground(box),
  );
  const drawings = clusters(
    page.drawings.filter((box) => !isBackground(box)),
    4,
  )
    .filter(
      ({ count, box }) => count >= leastStrokes && box.r - box.l >= 4 * leastSide && box.t - box.b >= 4 * leastSide,
    )
    .map(({ box }) => box)
    .filter((box) => !isBackground(box));
  return clusters([...images, ...drawings], 1).map(({ box }) => box);
}

/** Boxes that lie within `slack` of each other, as one. */
function clusters(boxes: readonly Box[], slack: number): { box: Box; count: number }[] {
  let groups = boxes.slice(0, 3000).map((box) => ({ box, count: 1 }));
  for (let changed = true; changed;) {
    changed = false;
    const next: typeof groups = [];
    for (const group of groups) {
      const near = next.find(({ box }) => overlapX(box, group.box) >= -slack && overlapY(box, group.box) >= -slack);
      if (near) {
        near.box = union([near.box, group.box]);
        near.count += group.count;
        changed = true;
      } else next.push({ ...group });
    }
    groups = next;
  }
  return groups;
}
