import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { AppError } from '../../model/errors';

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

/** Languages in Tesseract's notation; VALIDATION_ERROR for invalid ones. Default: English. */
export function listCodes(languages: readonly string[]): string[] {
  // Clients send lists as one text, too: "eng,fra", "eng+fra", "eng, fra".
  const names = languages.flatMap((name) => name.split(/[\s,;+]+/)).filter((name) => name !== '');
  const codes = [...new Set(names.filter((name) => !anyLanguage.has(name.toLowerCase())).map(toCode))];
  for (const code of codes) {
    if (!/^[a-zA-Z_]{2,20}$/.test(code))
      throw new AppError(
        'VALIDATION_ERROR',
        `'${code}' is not a text recognition language; expected a code such as eng or de.`,
      );
  }
  return codes.length > 0 ? codes : [defaultLanguage];
}

function toCode(name: string): string {
  const tag = name.toLowerCase();
  return (
    languageCodes[tag] ??
    languageCodes[tag.split('-').slice(0, 2).join('-')] ??
    languageCodes[tag.split('-')[0] ?? ''] ??
    name
  );
}

/** The languages with and without data on this machine, in Tesseract's notation. */
export function separateLanguages(
  languages: readonly string[],
  modelsFolder: string | undefined,
): { present: string[]; absent: string[] } {
  const codes = listCodes(languages);
  const isPresent = (code: string) => findDataFile(code, modelsFolder) !== undefined;
  return { present: codes.filter(isPresent), absent: codes.filter((code) => !isPresent(code)) };
}

/** The npm packages with the data of languages. */
export function listLanguagePackages(codes: readonly string[]): string[] {
  return codes.map((code) => `@tesseract.js-data/${code}`);
}

/** The compressed data of a language; OPTIONAL_PACKAGE_MISSING if it is not installed. */
export async function readLanguageData(code: string, modelsFolder: string | undefined): Promise<Uint8Array> {
  const file = findDataFile(code, modelsFolder);
  if (file === undefined)
    throw new AppError(
      'OPTIONAL_PACKAGE_MISSING',
      `The data for reading text of the language '${code}' is not installed where documents are converted.`,
    );
  return file.endsWith('.gz') ? readFile(file) : gzipSync(await readFile(file), { level: 1 });
}

/** In `tessdata` of the models folder, else in the package of the language. */
function findDataFile(code: string, modelsFolder: string | undefined): string | undefined {
  const trainedData = modelsFolder ? path.join(modelsFolder, 'tessdata', `${code}.traineddata`) : undefined;
  const [packed] = listLanguagePackages([code]);
  const candidates = [
    ...(trainedData ? [`${trainedData}.gz`, trainedData] : []),
    ...listPackageFiles(`${packed}/package.json`, code),
  ];
  return candidates.find((file) => existsSync(file));
}

function listPackageFiles(name: string, code: string): string[] {
  try {
    const home = path.dirname(createRequire(__filename).resolve(name));
    return [path.join(home, '4.0.0_best_int', `${code}.traineddata.gz`)];
  } catch {
    // Not installed.
    return [];
  }
}
