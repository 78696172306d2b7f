import { AppError } from '../../../model/errors';
import type { PageImage, PageModels, ShareBox } from '../../../model/page/page-models';
import type { ReadOptions } from '../../format';
import { areRightToLeft } from '../engine/characters';
import { type Box, holds } from '../geometry/box';
import { createCellReader } from '../table-model/read-cells';
import type { PageTable } from '../table/page-table';
import { buildTable } from '../table/table-parts';
import { mirrorTable } from '../table/tables';
import type { Line, Word } from '../text/line';
import { cutLine } from '../text/lines';
import type { ReadPage } from '../text/upright';
import type { Part, TablePart } from './part';
import type { LaidPage } from './write';

/** Applies the page models to the pages of a document. */
export interface PageModelReader {
  /** Adds the regions found by the layout model; returns the page unchanged without a model, or if it fails. */
  findRegions(page: ReadPage): Promise<ReadPage>;
  /** Replaces the tables' rows and columns with those found by the table model; keeps tables that it cannot read. */
  readTableStructure(page: LaidPage): Promise<LaidPage>;
}

/** The rendering scale for each model, in pixels per point. */
const scales = { layout: 1.5, tables: 2 } as const;
/** Margin around a table in the image for its model, in points. */
const margin = 10;

/**
 * Runs the available models on pages. A model that fails is reported once, with its error code, and not used again for this
 * document: the rules take over. `draw` renders a page.
 */
export function createPageModelReader({
  models,
  draw,
  modelFailed,
}: {
  models: PageModels;
  draw: (pageNo: number, scale: number) => Promise<Uint8Array>;
  modelFailed: ReadOptions['modelFailed'];
}): PageModelReader {
  const failed = new Set<keyof PageModels>();

  async function ask<Answer>(stage: keyof PageModels, question: () => Promise<Answer>): Promise<Answer | undefined> {
    if (failed.has(stage)) return undefined;
    try {
      return await question();
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      failed.add(stage);
      const what = stage === 'layout' ? 'The layout is' : 'Rows and columns of tables are';
      const message = `${what} found by rules, since the model cannot be used: ${error.message}`;
      modelFailed?.({ stage, code: error.code, message });
      return undefined;
    }
  }

  const readImage = async (page: ReadPage, scale: number): Promise<PageImage> => ({
    bytes: await draw(page.page.pageNo, scale),
    turned: page.turned ?? 0,
  });

  const { cells } = models;
  const readCells =
    cells &&
    createCellReader({
      find: (image, part) => ask('cells', () => cells(image, part)),
      drawPage: (page, scale) => ask('cells', () => readImage(page, scale)),
    });

  return {
    async findRegions(page) {
      const { layout } = models;
      const detections = layout && (await ask('layout', async () => layout(await readImage(page, scales.layout))));
      if (!detections) return page;
      const whole = { l: 0, b: 0, r: page.page.width, t: page.page.height };
      return { ...page, regions: detections.map((region) => ({ ...region, box: toPageBox(whole, region.box) })) };
    },
    async readTableStructure(laid) {
      const { tables } = models;
      if (readCells) {
        const { page: read, parts } = laid;
        return { ...laid, parts: await readCells({ read, parts, lines: listFreeLines(laid), listLines }) };
      }
      if (!tables || !laid.parts.some(isStructured)) return laid;
      const lines = listFreeLines(laid);
      const isRtl = areRightToLeft(lines);
      const image = await ask('tables', () => readImage(laid.page, scales.tables));
      const parts: Part[] = [];
      for (const part of laid.parts) {
        const table = image && isStructured(part) ? await readStructure(part, image) : undefined;
        parts.push(table && part.kind === 'table' ? { ...part, table: isRtl ? mirrorTable(table) : table } : part);
      }
      return { ...laid, parts };

      async function readStructure({ box }: TablePart, seen: PageImage): Promise<PageTable | undefined> {
        const { width, height } = laid.page.page;
        const wide = { l: box.l - margin, r: box.r + margin, b: box.b - margin, t: box.t + margin };
        const cut = {
          l: Math.max(wide.l, 0),
          r: Math.min(wide.r, width),
          b: Math.max(wide.b, 0),
          t: Math.min(wide.t, height),
        };
        const share = { x0: cut.l / width, x1: cut.r / width, y0: 1 - cut.t / height, y1: 1 - cut.b / height };
        const detections = await ask('tables', () => (tables as NonNullable<typeof tables>)(seen, share));
        return (
          detections &&
          buildTable(
            detections.map((part) => ({ ...part, box: toPageBox(cut, part.box) })),
            box,
            listLines(box, lines),
          )
        );
      }
    },
  };
}

function isStructured(part: Part): part is TablePart {
  return part.kind === 'table' && !part.isIndex;
}

/** Converts a box in shares of an area, from its top, to page coordinates. */
function toPageBox(area: Box, { x0, y0, x1, y1 }: ShareBox): Box {
  const [width, height] = [area.r - area.l, area.t - area.b];
  return { l: area.l + x0 * width, r: area.l + x1 * width, t: area.t - y0 * height, b: area.t - y1 * height };
}

/** The lines, or parts of lines, outside text blocks, page headers and page footers. */
function listFreeLines({ page, parts, header, footer }: LaidPage): Line[] {
  const used = new Set<Word>(
    [...header, ...footer, ...parts.flatMap((part) => (part.kind === 'block' ? part.block.lines : []))].flatMap(
      ({ words }) => words,
    ),
  );
  return [...page.lines, ...page.aside].flatMap((line) => keepWords(line, (word) => !used.has(word)));
}

function listLines(box: Box, lines: readonly Line[]): Line[] {
  return lines.flatMap((line) => keepWords(line, (word) => holds(box, word.box, 1)));
}

function keepWords(line: Line, keepsWord: (word: Word) => boolean): Line[] {
  const words = line.words.filter(keepsWord);
  if (words.length === line.words.length) return [line];
  return words.length > 0 ? [cutLine(line, words)] : [];
}
