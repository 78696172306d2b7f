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

/** Codes of ISO 639, tags of languages and other usual names, as Tesseract names its languages. */
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
/** No language of their own: as the engine has it. */
const anyLanguage = new Set(['auto', 'mul']);
const defaultLanguage = 'eng';

/** Blank, or a ruling of a table taken for a letter. */
const isRuling = /^[|_\s]*$/;
/** Words that are less certain are specks. */
const leastConfidence = 30;
/** Text that is read with less than this on average, or hardly any, may stand on its side. */
const upright = { confidence: 75, characters: 20 };

/** A text recogniser that keeps its engine until `close`. */
export interface Ocr {
  recognize: RecognizeText;
  /** Wanted languages that have no data here, once the engine has started; their text is read by the others. */
  missing(): readonly string[];
  close(): Promise<void>;
}

/**
 * Text recognition by Tesseract (LSTM models), which starts at the first image. `languages` are codes of ISO 639-1 or of
 * Tesseract; their data comes from `tessdata` of the models folder, else from the packages `@tesseract.js-data/…`. Nothing is
 * fetched; without data of any of them recognition is OPTIONAL_PACKAGE_MISSING.
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
  // Clients send lists as one text, too: "eng,fra", "eng+fra", "eng, fra".
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
      // It would throw in a callback, where nobody can catch it; the promise rejects as well.
      errorHandler: () => undefined,
    });
    // Its default takes a page for one block and loses tables.
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

/** What was read in one direction, and the image as the engine has seen it, as a data address. */
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

/** A table that fills its image is taken for a drawing, in which no text is sought; without its rulings it is text. */
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

/** With the rulings of the image that the engine has seen, which it may have set straight. Strokes of letters are none. */
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

/** The engine has no sign for bullets; it reads a letter or a sign of that shape before the first word. */
function isBullet(words: Line['words'], text: string): boolean {
  const [first, second] = words;
  return first?.text === text && /^[e°©¢»*+]$/.test(text) && /^[\p{Lu}\d]/u.test(second?.text ?? '');
}

/** Enough was read with certainty, and its words lie: the engine reads words that stand on their side, one by one. */
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
