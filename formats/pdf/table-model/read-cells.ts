import type { FindTableCells, PageImage, ShareBox } from '../../../model/page/page-models';
import { areRightToLeft } from '../engine/characters';
import type { Box } from '../geometry/box';
import type { Rule } from '../geometry/page';
import type { Part, TablePart } from '../layout/part';
import type { PageTable } from '../table/page-table';
import { mirrorTable } from '../table/tables';
import type { Line } from '../text/line';
import type { ReadPage } from '../text/upright';
import { fillStructure } from './fill-structure';

/** Bounds of the time that a document can take: the model takes some tenths of a second for each table. */
const maxTables = { page: 20, document: 200 } as const;
/** The model writes at most some 500 tokens, of which each cell is one. */
const maxCells = 450;
/** The longer side of the picture of a page, in pixels. */
const maxSide = 4_000;
const scale = 2;
/** Margin around a table in its picture, in points. */
const margin = 4;

/** A page whose tables are read. */
interface CellPage {
  read: ReadPage;
  parts: readonly Part[];
  /** The lines of tables: neither text blocks nor page headers and footers. */
  lines: readonly Line[];
  listLines: (box: Box, lines: readonly Line[]) => Line[];
}

/** The model with what it needs, for one document. */
export interface CellReading {
  /** Undefined if the model cannot be used or sees no table. */
  find: (image: PageImage, part: ShareBox) => ReturnType<FindTableCells>;
  drawPage: (page: ReadPage, scale: number) => Promise<PageImage | undefined>;
}

/**
 * Replaces tables without rulings by what a model sees in them, where it finds other rows or columns and its cells agree with the
 * words.
 */
export function createCellReader({ find, drawPage }: CellReading): (page: CellPage) => Promise<Part[]> {
  let left: number = maxTables.document;

  async function readTable(
    { box, table }: TablePart,
    image: PageImage,
    { read, lines, listLines }: CellPage,
  ): Promise<PageTable | undefined> {
    const { width, height } = read.page;
    const cut = {
      l: Math.max(box.l - margin, 0),
      r: Math.min(box.r + margin, width),
      b: Math.max(box.b - margin, 0),
      t: Math.min(box.t + margin, height),
    };
    const part = { x0: cut.l / width, x1: cut.r / width, y0: 1 - cut.t / height, y1: 1 - cut.b / height };
    const seen = await find(image, part);
    if (!seen) return undefined;
    const [across, down] = [cut.r - cut.l, cut.t - cut.b];
    const cells = seen.cells.map((cell) => ({
      ...cell,
      box: {
        l: cut.l + cell.box.x0 * across,
        r: cut.l + cell.box.x1 * across,
        t: cut.t - cell.box.y0 * down,
        b: cut.t - cell.box.y1 * down,
      },
    }));
    const filled = fillStructure({ ...seen, cells }, box, listLines(box, lines));
    return filled && (filled.rows !== table.rows || filled.columns !== table.columns) ? filled : undefined;
  }

  return async (page) => {
    const { read, parts, lines } = page;
    const isRtl = areRightToLeft(lines);
    const bare = new Set(
      parts.filter((part) => isCandidate(part, read.page.rules)).slice(0, Math.min(maxTables.page, left)),
    );
    if (bare.size === 0) return [...parts];
    left -= bare.size;
    const image = await drawPage(read, Math.min(scale, maxSide / Math.max(read.page.width, read.page.height)));
    if (!image) return [...parts];
    const replaced: Part[] = [];
    for (const part of parts) {
      const table = part.kind === 'table' && bare.has(part) ? await readTable(part, image, page) : undefined;
      replaced.push(table && part.kind === 'table' ? { ...part, table: isRtl ? mirrorTable(table) : table } : part);
    }
    return replaced;
  };
}

/** True for a table of a size that the model can see, whose columns no rulings separate. */
function isCandidate(part: Part, rules: readonly Rule[]): boolean {
  if (part.kind !== 'table' || part.isIndex || part.table.rows * part.table.columns > maxCells) return false;
  const { box } = part;
  return !rules.some(
    ({ axis, at, from, to }) =>
      axis === 'v' &&
      at > box.l + margin &&
      at < box.r - margin &&
      Math.min(to, box.t) - Math.max(from, box.b) > 0.3 * (box.t - box.b),
  );
}
