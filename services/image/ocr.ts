import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Block, Line, Worker } from 'tesseract.js';
import { AppError } from '../../model/errors';
import type { OcrPage, OcrWord, PixelBox, PixelRule, RecognizeText } from '../../model/page/ocr';
import { withTemporaryFolder } from '../storage/temporary-folder';
import { findDensestPatch } from './dense-patch';
import type { GreyImage } from './grey-image';
import { findRules } from './image-rules';
import { cutImage, readImageSize, readGrey, resizeGrey, turnImage, writeGrey } from './images';
import { listCodes, readLanguageData } from './ocr-languages';
import { eraseLines } from './recognition/erase-lines';
import { findInk, findLetterHeight, mayBeText, whitenPaper } from './recognition/ink';
import { prepareImage, shrinkPage } from './recognition/prepare';
import { readTwice } from './recognition/second-reading';
import { measureSlope } from './recognition/slope';
import { computeUnreadShare } from './recognition/unread-ink';

/** Blank, or a ruling of a table that was read as a letter. */
const isRuling = /^[|_\s]*$/;
/** Words with a lower confidence are specks. */
const minConfidence = 30;
/** This many characters with an average confidence no higher than this are not text in the requested languages. */
const unreadable = { characters: 40, certainty: 45 };
/** Assumed height of letters in images with too few letters to measure. */
const defaultLetters = 16;
/** The angle of lines is as good with letters of this height as with larger ones, and takes less time. */
const minLetters = 12;
/** The engine left out text if it has no word for this share of the pieces of ink that may be letters. */
const maxUnread = 0.04;
/** Text with a lower average confidence, or fewer characters, may be rotated by 90 degrees. */
const upright = { confidence: 75, characters: 20 };

/** An OCR engine that stays loaded until `close`. */
export interface Ocr {
  recognize: RecognizeText;
  /** Requested languages without data, known once the engine has started. Their text is read with the other languages. */
  listMissingLanguages(): readonly string[];
  close(): Promise<void>;
}

/**
 * Text recognition by Tesseract (LSTM models), started with the first image. `languages` are codes of ISO 639-1 or of Tesseract.
 * Their data comes from `tessdata` in the models folder, or else from the packages `@tesseract.js-data/…`; nothing is downloaded.
 * Without data for any of the languages, recognition fails with OPTIONAL_PACKAGE_MISSING.
 */
export function createOcr({
  languages,
  modelsFolder,
}: {
  languages: readonly string[];
  modelsFolder?: string | undefined;
}): Ocr {
  const codes = listCodes(languages);
  let engine: Promise<Worker> | undefined;
  const absent: string[] = [];
  return {
    listMissingLanguages: () => absent,
    async recognize(image) {
      engine ??= startEngine(codes, modelsFolder, absent);
      const worker = await engine;
      const prepared = await prepareImage(image);
      return shrinkPage(await recognizePage(worker, prepared.image), prepared);
    },
    async close() {
      const running = engine;
      engine = undefined;
      await running?.then((worker) => worker.terminate()).catch(() => undefined);
    },
  };
}

async function startEngine(
  codes: readonly string[],
  modelsFolder: string | undefined,
  absent: string[],
): Promise<Worker> {
  const tesseract = await import('tesseract.js').catch((error: unknown) => {
    throw createMissingError('tesseract.js', 'Reading text in images', error);
  });
  return withTemporaryFolder(async (folder) => {
    const languages: string[] = [];
    const problems: unknown[] = [];
    absent.length = 0;
    for (const code of codes) {
      const data = await readLanguageData(code, modelsFolder).catch((error: unknown) => void problems.push(error));
      if (data) await writeFile(path.join(folder, `${code}.traineddata.gz`), data);
      (data ? languages : absent).push(code);
    }
    if (languages.length === 0) throw problems[0];
    const worker = await tesseract.createWorker(languages, tesseract.OEM.LSTM_ONLY, {
      langPath: folder,
      gzip: true,
      cacheMethod: 'none',
      // The default handler throws in a callback, where it cannot be caught. The promise rejects anyway.
      errorHandler: () => undefined,
    });
    // The default mode treats a page as one block and loses tables.
    await worker.setParameters({ tessedit_pageseg_mode: tesseract.PSM.AUTO, debug_file: '/dev/null' });
    return worker;
  });
}

function createMissingError(name: string, purpose: string, cause: unknown): AppError {
  return new AppError(
    'OPTIONAL_PACKAGE_MISSING',
    `${purpose} needs the optional package ${name}: npm install ${name}.`,
    {},
    cause,
  );
}

async function recognizePage(worker: Worker, image: Uint8Array): Promise<OcrPage> {
  const sample = await readSample(worker, image);
  if (sample === 'unreadable') return { words: [], turned: 0, isUnreadable: true, ...(await readImageSize(image)) };
  const turned = sample?.turned ?? 0;
  let best = await readPage(worker, turned === 0 ? image : await turnImage(image, turned), turned);
  if (!turned)
    for (const other of [90, 270, 180] as const) {
      if (isUpright(best.page)) break;
      const reading = await readPage(worker, await turnImage(image, other), other);
      if (reading.score > best.score) best = reading;
    }
  return finishPage(worker, await readLeftOut(worker, best));
}

/** The text read in one orientation. */
interface Reading {
  page: OcrPage;
  score: number;
  /** All characters, including those of dropped words, and their confidence, from 0 to 100. */
  raw: { characters: number; certainty: number };
}

/** The reading of a page, and its image: straightened, with and without its rulings; `png` is the one without. */
interface PageReading extends Reading {
  seen: GreyImage;
  bare: GreyImage;
  png: Uint8Array;
  ink: PixelBox[];
}

/**
 * Straightens the page, whitens its paper, and erases its rulings, which the engine reads as letters, or which make it take a table
 * for a drawing.
 */
async function readPage(worker: Worker, image: Uint8Array, turned: OcrPage['turned']): Promise<PageReading> {
  const { seen, letterHeight } = await straighten(worker, image);
  const bare = whitenPaper(eraseLines(seen, letterHeight ?? defaultLetters));
  const png = await writeGrey(bare);
  return { ...(await readImage(worker, png, turned)), seen, bare, png, ink: findInk(bare) };
}

/** Reads the page as a single block where the engine left out text, but not noise, which takes minutes as a block. */
async function readLeftOut(worker: Worker, reading: PageReading): Promise<PageReading> {
  const { ink, page, png, score } = reading;
  if (!mayBeText(ink, page)) return reading;
  if (score > 0 && computeUnreadShare(ink, page.words) < maxUnread) return reading;
  const block = await readAsBlock(worker, png, page.turned);
  return block.score > score ? { ...reading, ...block } : reading;
}

/** Reads an image as one block of lines. */
async function readAsBlock(worker: Worker, image: Uint8Array, turned: OcrPage['turned']): Promise<Reading> {
  const { PSM } = await import('tesseract.js');
  await worker.setParameters({ tessedit_pageseg_mode: PSM.SINGLE_BLOCK });
  try {
    return await readImage(worker, image, turned);
  } finally {
    await worker.setParameters({ tessedit_pageseg_mode: PSM.AUTO });
  }
}

/** The page with level lines, and the height of its letters, where it has any. */
async function straighten(
  worker: Worker,
  image: Uint8Array,
): Promise<{ seen: GreyImage; letterHeight: number | undefined }> {
  const grey = await readGrey(image);
  const letterHeight = findLetterHeight(findInk(grey));
  const rotateRadians = await measureAngle(worker, grey, letterHeight ?? defaultLetters);
  if (rotateRadians === 0) return { seen: grey, letterHeight };
  const { data } = await worker.recognize(
    Buffer.from(image),
    { rotateRadians },
    { imageGrey: true, blocks: false, text: false },
  );
  const seen = await readGrey(Buffer.from(data.imageGrey!.slice(data.imageGrey!.indexOf(',') + 1), 'base64'));
  return { seen, letterHeight: findLetterHeight(findInk(seen)) };
}

/**
 * By how much lines are turned, in radians, measured in a smaller image if letters are large. 0 if a rotation is not worth its time, or if
 * there are no lines.
 */
async function measureAngle(worker: Worker, grey: GreyImage, letterHeight: number): Promise<number> {
  const png = await resizeGrey(grey, Math.min(1, minLetters / letterHeight));
  return measureSlope(worker, png);
}

async function readImage(worker: Worker, image: Uint8Array, turned: OcrPage['turned']): Promise<Reading> {
  const blocks = await readBlocks(worker, image);
  const words = listWords(blocks);
  const score = isSideways(words) ? 0 : words.reduce((sum, { text, confidence }) => sum + text.length * confidence, 0);
  const all = blocks.flatMap((block) => block.paragraphs.flatMap(({ lines }) => lines.flatMap((line) => line.words)));
  const characters = computeLength(all);
  const certainty = all.reduce((sum, { text, confidence }) => sum + text.length * confidence, 0) / (characters || 1);
  const page = { words, turned, ...(await readImageSize(image)) };
  return { page, score, raw: { characters, certainty } };
}

async function readBlocks(worker: Worker, image: Uint8Array): Promise<Block[]> {
  try {
    const { data } = await worker.recognize(Buffer.from(image), {}, { blocks: true, text: false });
    return data.blocks ?? [];
  } catch (error) {
    // The library does not expect an image in which the engine finds nothing at all.
    if (String(error).includes('Unexpected end of JSON input')) return [];
    throw error;
  }
}

/** Reads the figures again, and adds the rulings of the image. Ignores strokes of letters. */
async function finishPage(worker: Worker, { page, seen, bare, ink }: PageReading): Promise<OcrPage> {
  const readRows = async (rows: GreyImage) => (await readAsBlock(worker, await writeGrey(rows), 0)).page.words;
  const checked = await readTwice(bare, page.words, { ink, readRows });
  const rules = findRules(seen).filter((rule) => checked.words.every(({ box }) => !isStroke(rule, box)));
  return { ...page, ...checked, rules };
}

/**
 * The rotation of the page, detected from its densest part in a tenth of the time of the whole page. Undefined if that part is
 * inconclusive; `unreadable` if it is full of characters that are not letters of the languages in any direction.
 */
async function readSample(
  worker: Worker,
  image: Uint8Array,
): Promise<Pick<OcrPage, 'turned'> | 'unreadable' | undefined> {
  const patch = findDensestPatch(await readGrey(image));
  if (!patch) return undefined;
  const part = await cutImage(image, patch);
  let guessed = 0;
  for (const turned of [0, 90, 270, 180] as const) {
    const { page, raw } = await readImage(worker, turned === 0 ? part : await turnImage(part, turned), turned);
    if (isUpright(page)) return { turned };
    if (!isGarbage(raw)) guessed += 1;
  }
  return guessed === 0 ? 'unreadable' : undefined;
}

/** Many characters with low confidence: letters of another script, or text too poor to be read. */
function isGarbage({ characters, certainty }: Reading['raw']): boolean {
  return characters >= unreadable.characters && certainty < unreadable.certainty;
}

function isStroke({ axis, at, from, to }: PixelRule, { x0, x1, y0, y1 }: PixelBox): boolean {
  const [start, end, low, high] = axis === 'h' ? [x0, x1, y0, y1] : [y0, y1, x0, x1];
  const slack = 0.2 * (end - start);
  return at > low && at < high && from > start - slack && to < end + slack;
}

/** The engine has no bullet character. It reads a letter or sign of similar shape before the first word. */
function isBullet(words: Line['words'], text: string): boolean {
  const [first, second] = words;
  return first?.text === text && /^[e°©¢»*+]$/.test(text) && /^[\p{Lu}\d]/u.test(second?.text ?? '');
}

/**
 * True when enough text was read with confidence and its words are horizontal. The engine also reads rotated words, one by one.
 */
function isUpright({ words }: OcrPage): boolean {
  const characters = computeLength(words);
  const sure = words.reduce((sum, { text, confidence }) => sum + text.length * confidence, 0);
  return characters >= upright.characters && sure * 100 >= upright.confidence * characters && !isSideways(words);
}

function isSideways(words: readonly OcrWord[]): boolean {
  const long = words.filter(({ text }) => text.length >= 4);
  return computeLength(long.filter(({ box }) => box.y1 - box.y0 > box.x1 - box.x0)) > computeLength(long) / 2;
}

function computeLength(words: readonly { text: string }[]): number {
  return words.reduce((sum, { text }) => sum + text.length, 0);
}

function listWords(blocks: readonly Block[]): OcrWord[] {
  const lines = blocks.flatMap(({ paragraphs }) => paragraphs.flatMap((paragraph) => paragraph.lines));
  return lines.flatMap(({ words, baseline, rowAttributes, bbox }, line) =>
    words
      .filter(({ text, confidence }) => confidence >= minConfidence && !isRuling.test(text))
      .map(({ text, confidence, bbox: box }) => ({
        text: isBullet(words, text) ? '•' : text,
        confidence: confidence / 100,
        box,
        line,
        baseline: (baseline.y0 + baseline.y1) / 2,
        height: rowAttributes?.rowHeight ?? bbox.y1 - bbox.y0,
      })),
  );
}
