import type { OcrPage, OcrWord, PixelBox, PixelRule } from '../../../model/page/ocr';
import type { GreyImage } from '../grey-image';
import { cutGrey, levelGrey, turnGrey } from '../grey-turn';
import { findRules } from '../image-rules';
import { readGrey } from '../images';
import type { Ocr } from '../ocr';
import { eraseLines } from '../recognition/erase-lines';
import { findInk, findLetterHeight, whitenPaper } from '../recognition/ink';
import { prepareImage, shrinkPage } from '../recognition/prepare';
import { checkSigns } from '../recognition/second-reading';
import { hasIdeographs } from './languages';
import { cutToLetters, divideLine } from './line-words';
import { openTextModels, type TextModels } from './models';
import { refineSlope } from './page-slope';
import type { ReadSign } from './read-signs';
import { findTextRegions, growBox, isSideways, measureSlope } from './text-regions';

/** A page of small print has a thousand lines or parts of lines. */
const maxLines = 3_000;
/** Lines with a lower confidence are not text. */
const minConfidence = 0.5;
/** Lines turned by less than this are not worth a rotation. In radians. */
const minSlope = 0.0015;
/** More is not the slope of a page that was scanned askew. */
const maxSlope = 0.2;
/** This many long lines show whether the page is upside down; with this confidence, it is not. */
const sample = { lines: 6, confidence: 0.8 };
/** This many signs with an average confidence no higher than this are not text that the model can read. */
const unreadable = { signs: 40, confidence: 0.55 };
/** Assumed height of letters in images with too few letters to measure. */
const defaultLetters = 16;
/** A ruling crosses a line unless it ends further inside than this share of its height; strokes of letters do. */
const crossing = 0.2;
/** Narrower parts between a ruling and the edge have no room for a sign, in heights of the line. */
const minPart = 0.25;
/** Lines overlap by this share of the lower one if they are one printed line. */
const sameRow = 0.5;

/**
 * Text recognition by PP-OCRv5, with the pack of the models folder. It reads Chinese, Japanese and English; `languages` without
 * Chinese and Japanese excludes their signs. The models are opened with the first image.
 */
export function createPpOcr({
  languages,
  modelsFolder,
}: {
  languages: readonly string[];
  modelsFolder: string | undefined;
}): Ocr {
  const withIdeographs = languages.length === 0 || hasIdeographs(languages);
  let opening: Promise<TextModels> | undefined;
  return {
    listMissingLanguages: () => [],
    async recognize(image) {
      opening ??= openTextModels(modelsFolder, { withIdeographs });
      const models = await opening.catch((error: unknown) => {
        // After the pack is installed, the next page works without a restart.
        opening = undefined;
        throw error;
      });
      const prepared = await prepareImage(image);
      return shrinkPage(await recognizePage(models, await readGrey(prepared.image)), prepared);
    },
    async close() {
      const running = opening;
      opening = undefined;
      await running?.then((models) => models.close()).catch(() => undefined);
    },
  };
}

/** A page whose lines are level, and the places of its lines. */
interface FoundLines {
  page: GreyImage;
  boxes: PixelBox[];
}

async function recognizePage(models: TextModels, image: GreyImage): Promise<OcrPage> {
  let turned: OcrPage['turned'] = 0;
  let found = await findLines(models, image);
  if (found === 'sideways') {
    turned = 90;
    found = await findLines(models, turnGrey(image, turned));
  }
  if (found === 'sideways') return { words: [], turned: 0, width: image.width, height: image.height };
  if (await isUpsideDown(models, found)) {
    turned = turned === 0 ? 180 : 270;
    found = turnLines(found);
  }
  const { page, boxes } = found;
  const { width, height } = page;
  const rules = findRules(page);
  const bare = whitenPaper(eraseLines(page, findLetterHeight(findInk(page)) ?? defaultLetters));
  const parts = sortLines(boxes.flatMap((box) => cutAtRules(box, rules)));
  const words: OcrWord[] = [];
  for (const [line, box] of parts.entries()) {
    const image = cutGrey(bare, box);
    const signs = await models.readLine(cutGrey(page, cutToLetters(image, box)));
    words.push(...divideLine(signs, { image, box, line }));
  }
  const signs = words.reduce((sum, { text }) => sum + text.length, 0);
  const sure = words.reduce((sum, { text, confidence }) => sum + text.length * confidence, 0);
  if (signs >= unreadable.signs && sure <= unreadable.confidence * signs)
    return { words: [], turned, isUnreadable: true, width, height };
  const kept = words.filter(({ confidence }) => confidence >= minConfidence);
  return { ...checkSigns(kept, { image: bare, ink: findInk(bare) }), rules, turned, width, height };
}

/** Finds the lines of a page and levels it. */
async function findLines(models: TextModels, image: GreyImage): Promise<FoundLines | 'sideways'> {
  const map = await models.findText(image);
  const regions = findTextRegions(map, maxLines);
  if (isSideways(regions)) return 'sideways';
  const estimate = measureSlope(regions);
  const slope = Math.abs(estimate) > maxSlope ? 0 : refineSlope(image, estimate);
  const angle = Math.abs(slope) < minSlope ? 0 : slope;
  const page = angle === 0 ? image : levelGrey(image, angle);
  const boxes = regions.flatMap((region) => {
    const { x0, y0, x1, y1 } = growBox(region, map, angle);
    const box = {
      x0: Math.max(Math.floor(x0 / map.scale), 0),
      y0: Math.max(Math.floor(y0 / map.scale), 0),
      x1: Math.min(Math.ceil(x1 / map.scale), image.width),
      y1: Math.min(Math.ceil(y1 / map.scale), image.height),
    };
    return box.x1 > box.x0 && box.y1 > box.y0 ? [box] : [];
  });
  return { page, boxes };
}

function turnLines({ page, boxes }: FoundLines): FoundLines {
  const { width, height } = page;
  return {
    page: turnGrey(page, 180),
    boxes: boxes.map(({ x0, y0, x1, y1 }) => ({ x0: width - x1, y0: height - y1, x1: width - x0, y1: height - y0 })),
  };
}

/** True if the longest lines are read with more confidence upside down. */
async function isUpsideDown(models: TextModels, { page, boxes }: FoundLines): Promise<boolean> {
  const longest = boxes.toSorted((a, b) => b.x1 - b.x0 - (a.x1 - a.x0)).slice(0, sample.lines);
  let [upright, turned] = [0, 0];
  for (const box of longest) upright += computeConfidence(await models.readLine(cutGrey(page, box)));
  if (longest.length === 0 || upright >= sample.confidence * longest.length) return false;
  for (const box of longest) turned += computeConfidence(await models.readLine(turnGrey(cutGrey(page, box), 180)));
  return turned > upright;
}

function computeConfidence(signs: readonly ReadSign[]): number {
  return signs.length === 0 ? 0 : signs.reduce((sum, { confidence }) => sum + confidence, 0) / signs.length;
}

/** The parts of a line between the vertical rulings that cross it: the cells of a table are read one by one. */
export function cutAtRules(box: PixelBox, rules: readonly PixelRule[]): PixelBox[] {
  const height = box.y1 - box.y0;
  const places = rules
    .filter(({ axis, at }) => axis === 'v' && at > box.x0 && at < box.x1)
    .filter(({ from, to }) => from < box.y0 + crossing * height && to > box.y1 - crossing * height)
    .map(({ at }) => Math.round(at))
    .toSorted((a, b) => a - b);
  const edges = [box.x0, ...places, box.x1];
  return places
    .map((place, index) => ({ ...box, x0: edges[index] as number, x1: place }))
    .concat({ ...box, x0: edges.at(-2) as number })
    .filter(({ x0, x1 }) => x1 - x0 > minPart * height);
}

/** From top to bottom; parts of one printed line from left to right. */
function sortLines(boxes: readonly PixelBox[]): PixelBox[] {
  const rows: PixelBox[][] = [];
  for (const box of boxes.toSorted((a, b) => a.y0 + a.y1 - (b.y0 + b.y1))) {
    const [other] = rows.at(-1) ?? [];
    const overlap = other ? Math.min(box.y1, other.y1) - Math.max(box.y0, other.y0) : 0;
    if (other && overlap > sameRow * Math.min(box.y1 - box.y0, other.y1 - other.y0)) rows.at(-1)?.push(box);
    else rows.push([box]);
  }
  return rows.flatMap((row) => row.toSorted((a, b) => a.x0 - b.x0));
}
