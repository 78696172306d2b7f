import type { DocumentBuilder } from '../../../document/builder';
import type { GroupItem, TextItem } from '../../../document/model';
import type { Box } from '../geometry/box';

/** Tracks the open list groups while items are written. */
export interface NestedLists {
  /** The group for an item: a new list under the last item if it is indented further, or a separate new list if it is next to the last item or has a different type of marker. */
  findGroup(item: { box: Box; size: number; enumerated: boolean }, place: string): GroupItem;
  setLastItem(item: TextItem): void;
  endLists(): void;
}

interface OpenList {
  group: GroupItem;
  x: number;
  item?: TextItem;
  enumerated: boolean;
}

/** Indents smaller than this share of the type size are uneven typesetting. */
const minIndent = 0.7;

/** Nests lists by indent. `place` names the column: a list may start at another x in the next one. */
export function createNestedLists(builder: DocumentBuilder): NestedLists {
  let open: OpenList[] = [];
  let lastPlace: string | undefined;
  let lastBox: Box | undefined;
  /** A column further to the right begins with an item of the outermost list with markers of its type. */
  const continueInColumn = (x: number, enumerated: boolean) => {
    const same = Math.max(
      0,
      open.findIndex((list) => list.enumerated === enumerated),
    );
    const shift = x - (open[same]?.x ?? x);
    open = open.slice(0, same + 1);
    for (const list of open) list.x += shift;
  };
  return {
    findGroup({ box, size, enumerated }, place) {
      const x = box.l;
      const rightEdge = lastBox?.r ?? Infinity;
      if (lastBox && place === lastPlace && box.l > lastBox.r && box.t > lastBox.b) open = [];
      lastBox = box;
      if (lastPlace !== undefined && place !== lastPlace && box.l > rightEdge) continueInColumn(x, enumerated);
      const only = open.length === 1 ? open[0] : undefined;
      if (only && place !== lastPlace) only.x = x;
      lastPlace = place;
      while (open.length > 1 && x < (open.at(-1) as OpenList).x - minIndent * size) open.pop();
      const last = open.at(-1);
      if (last?.item && x > last.x + minIndent * size)
        open.push({ group: builder.group('list', { parent: last.item }), x, enumerated });
      else if (!last || (open.length === 1 && last.enumerated !== enumerated))
        open = [{ group: builder.group('list'), x, enumerated }];
      return (open.at(-1) as OpenList).group;
    },
    setLastItem(item) {
      const last = open.at(-1);
      if (last) last.item = item;
    },
    endLists() {
      open = [];
    },
  };
}
