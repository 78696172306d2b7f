import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Block, Line, Worker } from 'tesseract.js';
import { AppError } from '../../model/errors';
import type { OcrPage, OcrWord, PixelBox, PixelRule, RecognizeText } from '../../model/page/ocr';
import { findRules, type GreyImage, withoutRules } from './image-rules';
import { imageSize, readGrey, turnImage, writeGrey } from './images';
import { withTemporaryFolder } from '../storage/temporary-folder';

/** Tesseract's language code for ISO 639 codes, language tags and other common names. */
const languageCodes: Readonly<Record<string, string>> = {
  'zh-hant': 'chi_tra',
  'zh-hk': 'chi_tra',
  'zh-tw': 'chi_tra',
  ar: 'ara',
  bg: 'bul',
  ca: 'cat',
  ch_sim: 'chi_sim',
  ch_tra: 'chi_tra',
  chi: 'chi_sim',
  chinese: 'chi_sim',
  cs: 'ces',
  cze: 'ces',
  da: 'dan',
  de: 'deu',
  dut: 'nld',
  el: 'ell',
  en: 'eng',
  english: 'eng',
  es: 'spa',
  et: 'est',
  fa: 'fas',
  fi: 'fin',
  fr: 'fra',
  fre: 'fra',
  french: 'fra',
  ger: 'deu',
  german: 'deu',
  gre: 'ell',
  he: 'heb',
  hi: 'hin',
  hr: 'hrv',
  hu: 'hun',
  id: 'ind',
  it: 'ita',
  ja: 'jpn',
  ko: 'kor',
  lt: 'lit',
  lv: 'lav',
  nb: 'nor',
  nl: 'nld',
  no: 'nor',
  pl: 'pol',
  pt: 'por',
  ro: 'ron',
  ru: 'rus',
  rum: 'ron',
  sk: 'slk',
  sl: 'slv',
  slo: 'slk',
  spanish: 'spa',
  sr: 'srp',
  sv: 'swe',
  th: 'tha',
  tr: 'tur',
  uk: 'ukr',
  vi: 'vie',
  zh: 'chi_sim',
};
/** Names without a specific language: use the default. */
const anyLanguage = new Set(['auto', 'mul']);
const defaultLanguage = 'eng';

/** Blank, or a ruling of a table that was read as a letter. */
const isRuling = /^[|_\s]*$/;
/** Words with a lower confidence are specks. */
const leastConfidence = 30;
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
  const codes = codesOf(languages);
  let engine: Promise<Worker> | undefined;
  const absent: string[] = [];
  return {
    missing: () => absent,
    async recognize(image) {
      engine ??= startEngine(codes, modelsFolder, absent);
      const worker = await engine;
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

function codesOf(languages: readonly string[]): string[] {
  // Clients also send lists as one text: "eng,fra", "eng+fra", "eng, fra".
  const names = languages.flatMap((name) => name.split(/[\s,;+]+/)).filter((name) => name !== '');
  const codes = [...new Set(names.filter((name) => !anyLanguage.has(name.toLowerCase())).map(codeOf))];
  for (const code of codes) {
    if (!/^[a-zA-Z_]{2,20}$/.test(code))
      throw new AppError(
        'VALIDATION_ERROR',
        `'${code}' is not a text recognition language; expected a code such as eng or de.`,
      );
  }
  return codes.length > 0 ? codes : [defaultLanguage];
}

function codeOf(name: string): string {
  const tag = name.toLowerCase();
  return (
    languageCodes[tag] ??
    languageCodes[tag.split('-').slice(0, 2).join('-')] ??
    languageCodes[tag.split('-')[0] ?? ''] ??
    name
  );
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

/** The compressed data of a language. */
async function languageData(code: string, modelsFolder: string | undefined): Promise<Uint8Array> {
  const own = modelsFolder ? path.join(modelsFolder, 'tessdata', `${code}.traineddata`) : undefined;
  if (own && existsSync(`${own}.gz`)) return readFile(`${own}.gz`);
  if (own && existsSync(own)) return gzipSync(await readFile(own), { level: 1 });
  const name = `@tesseract.js-data/${code}`;
  try {
    const home = path.dirname(createRequire(__filename).resolve(`${name}/package.json`));
    return await readFile(path.join(home, '4.0.0_best_int', `${code}.traineddata.gz`));
  } catch (error) {
    throw new AppError(
      'OPTIONAL_PACKAGE_MISSING',
      `The data for reading text of the language '${code}' is not installed where documents are converted; it is in the package ${name}.`,
      {},
      error,
    );
  }
}

function missing(name: string, what: string, cause: unknown): AppError {
  return new AppError(
    'OPTIONAL_PACKAGE_MISSING',
    `${what} needs the optional package ${name}: npm install ${name}.`,
    {},
    cause,
  );
}

/** The text read in one orientation, and the image as the engine saw it, as a data URL. */
interface Reading {
  page: OcrPage;
  score: number;
  seen: string | null;
}

async function read(worker: Worker, image: Uint8Array, turned: OcrPage['turned']): Promise<Reading> {
  const outputs = { blocks: true, text: false, imageGrey: true };
  const { data } = await worker.recognize(Buffer.from(image), { rotateAuto: true }, outputs);
  const words = wordsOf(data.blocks ?? []);
  const score = isSideways(words) ? 0 : words.reduce((sum, { text, confidence }) => sum + text.length * confidence, 0);
  return { page: { words, turned, ...(await imageSize(image)) }, score, seen: data.imageGrey };
}

/** The engine takes a table that fills its image for a drawing and finds no text in it. Reads again without the rulings. */
async function readBare(worker: Worker, reading: Reading): Promise<Reading> {
  const grey = await greyOf(reading.seen);
  const bare = grey && withoutRules(grey, findRules(grey));
  if (!bare) return reading;
  const other = await read(worker, await writeGrey(bare), 0);
  return other.score > reading.score ? { ...other, seen: reading.seen } : reading;
}

async function greyOf(seen: Reading['seen']): Promise<GreyImage | undefined> {
  const start = seen?.indexOf(',') ?? -1;
  return seen && start >= 0 ? readGrey(Buffer.from(seen.slice(start + 1), 'base64')) : undefined;
}

/** Adds the rulings of the image as the engine saw it, because it may have straightened the image. Ignores strokes of letters. */
async function withRules({ page, seen }: Reading): Promise<OcrPage> {
  const grey = await greyOf(seen);
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
  const characters = lengthOf(words);
  const sure = words.reduce((sum, { text, confidence }) => sum + text.length * confidence, 0);
  return characters >= upright.characters && sure * 100 >= upright.confidence * characters && !isSideways(words);
}

function isSideways(words: readonly OcrWord[]): boolean {
  const long = words.filter(({ text }) => text.length >= 4);
  return lengthOf(long.filter(({ box }) => box.y1 - box.y0 > box.x1 - box.x0)) > lengthOf(long) / 2;
}

function lengthOf(words: readonly OcrWord[]): number {
  return words.reduce((sum, { text }) => sum + text.length, 0);
}

function wordsOf(blocks: readonly Block[]): OcrWord[] {
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
