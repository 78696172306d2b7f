import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Block, Line, Worker } from 'tesseract.js';
import { AppError } from '../../model/errors';
import type { OcrPage, OcrWord, PixelBox, PixelRule, RecognizeText } from '../../model/page/ocr';
import { findRules, type GreyImage, withoutRules } from './image-rules';
import { cutImage, imageSize, readGrey, turnImage, writeGrey } from './images';
import { findDensestPatch } from './dense-patch';
import { getCodes, languageData } from './ocr-languages';
import { withTemporaryFolder } from '../storage/temporary-folder';

/** Blank, or a ruling of a table that was read as a letter. */
const isRuling = /^[|_\s]*$/;
/** Words with a lower confidence are specks. */
const leastConfidence = 30;
/** This many characters with an average confidence no higher than this are not text in the requested languages. */
const unreadable = { characters: 40, certainty: 45 };
/** Text with a lower average confidence, or fewer characters, may be rotated by 90 degrees. */
const upright = { confidence: 75, characters: 20 };

/** An OCR engine that stays loaded until `close`. */
export interface Ocr {
  recognize: RecognizeText;
  /** Requested languages without data, known once the engine has started. Their text is read with the other languages. */
  missing(): readonly string[];
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
  const codes = getCodes(languages);
  let engine: Promise<Worker> | undefined;
  const absent: string[] = [];
  return {
    missing: () => absent,
    async recognize(image) {
      engine ??= startEngine(codes, modelsFolder, absent);
      const worker = await engine;
      const sample = await readSample(worker, image);
      if (sample === 'unreadable') return { words: [], turned: 0, isUnreadable: true, ...(await imageSize(image)) };
      if (sample?.turned) return withRules(await read(worker, await turnImage(image, sample.turned), sample.turned));
      let best = await read(worker, image, 0);
      if (isUpright(best.page)) return withRules(best);
      best = await readBare(worker, best);
      if (isUpright(best.page)) return withRules(best);
      for (const turned of [90, 270, 180] as const) {
        const other = await read(worker, await turnImage(image, turned), turned);
        if (other.score > best.score) best = other;
        if (isUpright(best.page)) break;
      }
      return withRules(best);
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
    throw missing('tesseract.js', 'Reading text in images', error);
  });
  return withTemporaryFolder(async (folder) => {
    const found: string[] = [];
    const problems: unknown[] = [];
    absent.length = 0;
    for (const code of codes) {
      const data = await languageData(code, modelsFolder).catch((error: unknown) => void problems.push(error));
      if (data) await writeFile(path.join(folder, `${code}.traineddata.gz`), data);
      (data ? found : absent).push(code);
    }
    if (found.length === 0) throw problems[0];
    const worker = await tesseract.createWorker(found, tesseract.OEM.LSTM_ONLY, {
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

function missing(name: string, value: string, cause: unknown): AppError {
  return new AppError(
    'OPTIONAL_PACKAGE_MISSING',
    `${value} needs the optional package ${name}: npm install ${name}.`,
    {},
    cause,
  );
}

/** The text read in one orientation, and the image as the engine saw it, as a data URL. */
interface Reading {
  page: OcrPage;
  score: number;
  seen: string | null;
  /** All characters, including those of dropped words, and their confidence, from 0 to 100. */
  raw: { characters: number; certainty: number };
}

async function read(worker: Worker, image: Uint8Array, turned: OcrPage['turned']): Promise<Reading> {
  const outputs = { blocks: true, text: false, imageGrey: true };
  const { data } = await worker.recognize(Buffer.from(image), { rotateAuto: true }, outputs);
  const words = getWords(data.blocks ?? []);
  const score = isSideways(words) ? 0 : words.reduce((sum, { text, confidence }) => sum + text.length * confidence, 0);
  const all = (data.blocks ?? []).flatMap((block) =>
    block.paragraphs.flatMap(({ lines }) => lines.flatMap((line) => line.words)),
  );
  const characters = getLength(all);
  const certainty = all.reduce((sum, { text, confidence }) => sum + text.length * confidence, 0) / (characters || 1);
  const page = { words, turned, ...(await imageSize(image)) };
  return { page, score, seen: data.imageGrey, raw: { characters, certainty } };
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
    const { page, raw } = await read(worker, turned === 0 ? part : await turnImage(part, turned), turned);
    if (isUpright(page)) return { turned };
    if (!isGarbage(raw)) guessed += 1;
  }
  return guessed === 0 ? 'unreadable' : undefined;
}

/** Many characters with low confidence: letters of another script, or text too poor to be read. */
function isGarbage({ characters, certainty }: Reading['raw']): boolean {
  return characters >= unreadable.characters && certainty < unreadable.certainty;
}

/** The engine treats a table that fills its image as a drawing and finds no text in it. Reads again without the rulings. */
async function readBare(worker: Worker, reading: Reading): Promise<Reading> {
  const grey = await computeGrey(reading.seen);
  const bare = grey && withoutRules(grey, findRules(grey));
  if (!bare) return reading;
  const other = await read(worker, await writeGrey(bare), 0);
  return other.score > reading.score ? { ...other, seen: reading.seen } : reading;
}

async function computeGrey(seen: Reading['seen']): Promise<GreyImage | undefined> {
  const start = seen?.indexOf(',') ?? -1;
  return seen && start >= 0 ? readGrey(Buffer.from(seen.slice(start + 1), 'base64')) : undefined;
}

/** Adds the rulings of the image as the engine saw it, because it may have straightened the image. Ignores strokes of letters. */
async function withRules({ page, seen }: Reading): Promise<OcrPage> {
  const grey = await computeGrey(seen);
  if (!grey) return page;
  const rules = findRules(grey);
  return { ...page, rules: rules.filter((rule) => page.words.every(({ box }) => !isStroke(rule, box))) };
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
  const characters = getLength(words);
  const sure = words.reduce((sum, { text, confidence }) => sum + text.length * confidence, 0);
  return characters >= upright.characters && sure * 100 >= upright.confidence * characters && !isSideways(words);
}

function isSideways(words: readonly OcrWord[]): boolean {
  const long = words.filter(({ text }) => text.length >= 4);
  return getLength(long.filter(({ box }) => box.y1 - box.y0 > box.x1 - box.x0)) > getLength(long) / 2;
}

function getLength(words: readonly { text: string }[]): number {
  return words.reduce((sum, { text }) => sum + text.length, 0);
}

function getWords(blocks: readonly Block[]): OcrWord[] {
  const lines = blocks.flatMap(({ paragraphs }) => paragraphs.flatMap((paragraph) => paragraph.lines));
  return lines.flatMap(({ words, baseline, rowAttributes, bbox }, line) =>
    words
      .filter(({ text, confidence }) => confidence >= leastConfidence && !isRuling.test(text))
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
