import { listCompoundParts } from '../search/compounds/mark';
import type { IndexRecord } from '../search/ports';

/** The text search configurations of PostgreSQL 14 and later by ISO 639-1 code. Other languages are not stemmed. */
const configurations: Readonly<Record<string, string>> = {
  ar: 'arabic',
  ca: 'catalan',
  da: 'danish',
  de: 'german',
  el: 'greek',
  en: 'english',
  es: 'spanish',
  eu: 'basque',
  fi: 'finnish',
  fr: 'french',
  hi: 'hindi',
  hu: 'hungarian',
  id: 'indonesian',
  it: 'italian',
  nl: 'dutch',
  no: 'norwegian',
  pt: 'portuguese',
  ro: 'romanian',
  ru: 'russian',
  sv: 'swedish',
  tr: 'turkish',
};
/** The configuration of texts whose compounds are also found by their parts. */
export const compoundConfiguration = 'german';
/** The configuration of texts without a language. */
export const plainConfiguration = 'simple';

/** The configuration for a language; undefined if PostgreSQL has none. */
export function findConfiguration(language: unknown): string | undefined {
  return typeof language === 'string' && Object.hasOwn(configurations, language) ? configurations[language] : undefined;
}

/** Limits of one record, because PostgreSQL refuses a search vector of more than 1 MB. */
const maxWords = 50_000;
const maxBytes = 300_000;
/** The shares of these limits that titles and metadata may have. */
const [titleShare, metadataShare, partShare] = [0.05, 0.1, 0.3];
const word = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]+|[\p{L}\p{M}\p{N}]+/gu;
const joined = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]/u;

/** Columns for searches by words and by dates. Tables of earlier versions get them with the next write. */
export const searchColumns: Readonly<Record<string, string>> = {
  analysis: "text NOT NULL DEFAULT ''",
  words: 'tsvector',
  exact: 'tsvector',
  word_count: 'integer NOT NULL DEFAULT 0',
  created_time: 'timestamptz',
  updated_time: 'timestamptz',
};

/** The words of a text in lower case. Scripts without blanks become pairs of neighbouring characters, as in the index. */
export function splitText(text: string): string[] {
  return (text.toLowerCase().normalize('NFC').match(word) ?? []).flatMap((part) => {
    if (!joined.test(part)) return [part];
    const characters = Array.from(part);
    return characters.length < 2 ? characters : characters.slice(1).map((next, index) => `${characters[index]}${next}`);
  });
}

/** A word without accents. */
export function foldWord(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').normalize('NFC');
}

/** The expressions of `searchColumns` for one record; `add` adds a value and returns its place. */
export function listSearchValues(record: IndexRecord, add: (value: unknown) => string): string[] {
  const { metadata, content, title, created_at: created, updated_at: updated } = record;
  const analysis = findConfiguration(metadata['language']) ?? plainConfiguration;
  const words = limitWords(splitText(content));
  const headings = Array.isArray(metadata['headings']) ? metadata['headings'].filter(isText) : [];
  const titles = limitWords(splitText([...new Set([title, ...headings])].join('\n')), titleShare);
  const others = limitWords(splitText(listTexts(metadata).join('\n')), metadataShare);
  const parts =
    analysis === compoundConfiguration
      ? limitWords(listCompoundParts(`${content} ${title}`.normalize('NFC').match(word) ?? []), partShare)
      : [];
  const config = `${add(analysis)}::text::regconfig`;
  const vector = (texts: readonly string[], by: string) => `to_tsvector(${by}, ${add(texts.join(' '))}::text)`;
  const fold = (texts: readonly string[]) => texts.map(foldWord);
  return [
    add(analysis),
    `${vector(words, config)} || setweight(${vector(titles, config)}, 'A')${parts.length > 0 ? ` || ${vector(parts, config)}` : ''}`,
    `${vector(fold(words), "'simple'")} || setweight(${vector(fold(titles), "'simple'")}, 'A') || setweight(${vector(fold(others), "'simple'")}, 'C')`,
    add(words.length),
    add(getTime(created)),
    add(getTime(updated)),
  ];
}

const isText = (value: unknown): value is string => typeof value === 'string';

/** The first words, up to `share` of the limits of a record. */
function limitWords(words: readonly string[], share = 1): string[] {
  const kept: string[] = [];
  let bytes = 0;
  for (const next of words) {
    bytes += Buffer.byteLength(next) + 1;
    if (kept.length >= maxWords * share || bytes > maxBytes * share) break;
    kept.push(next);
  }
  return kept;
}

/** Texts and numbers anywhere in metadata, without values that nobody searches for by words. */
function listTexts(metadata: Readonly<Record<string, unknown>>): string[] {
  const {
    document_id: _document,
    mimetype: _type,
    bbox: _boxes,
    chunk_index: _at,
    start_index: _start,
    ...searched
  } = metadata;
  const texts: string[] = [];
  const pending: unknown[] = [searched];
  for (let next = pending.pop(); pending.length > 0 || next !== undefined; next = pending.pop()) {
    if (typeof next === 'string' || typeof next === 'number') texts.push(String(next));
    else if (typeof next === 'object' && next !== null) pending.push(...Object.values(next));
  }
  return texts;
}

/** Null for a text that is not a date. */
function getTime(text: string): string | null {
  const time = Date.parse(text);
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}
