import { getDocumentId, type Row } from '../../model/flow/row';
import { detectLanguage } from '../lang_detect/run';

/** Shorter chunks are assumed to be in the language of their document. */
const minCharactersToDetect = 400;
/** Minimum confidence for a chunk in another language than its document. */
const minConfidence = 0.75;
/** Number of characters sampled per document. */
const sampleLength = 4_000;
/** Minimum confidence for a document with few ordinary words, such as one that is mostly code. */
const minGuessConfidence = 0.55;
/** Minimum average weight of the words of such a document. Prose has 0.3 or more. */
const minShare = 0.1;
const unknown = 'UNKNOWN';

/** The language (ISO 639-1) of each row by id, from the operator lang_detect or detected the same way; absent when unknown. */
export function detectLanguages(rows: readonly Row[]): Map<string, string> {
  const texts = new Map<string, string>();
  for (const row of rows) {
    const id = getDocumentId(row);
    const text = texts.get(id) ?? '';
    if (text.length < sampleLength) texts.set(id, `${text}\n${row.content ?? ''}`.slice(0, sampleLength));
  }
  const documentLanguages = new Map([...texts].map(([id, text]) => [id, detectDocument(text)]));
  const languages = new Map<string, string>();
  for (const row of rows) {
    const language = readDetected(row) ?? detectChunk(row) ?? documentLanguages.get(getDocumentId(row));
    if (language !== undefined && language !== unknown) languages.set(row.id, language);
  }
  return languages;
}

/** Falls back to a guess, which is better than none: without a language, a search matches only words as written. */
function detectDocument(text: string): string {
  const { lang_name: detected } = detectLanguage(text);
  if (detected !== unknown || text.length < minCharactersToDetect) return detected;
  const { lang_name: guess, lang_score: score } = detectLanguage(text, minShare);
  return score >= minGuessConfidence ? guess : unknown;
}

/** The language that the operator lang_detect wrote. */
function readDetected({ lang_name: name }: Row): string | undefined {
  return typeof name === 'string' && /^[a-z]{2}$/.test(name) ? name : undefined;
}

function detectChunk({ content }: Row): string | undefined {
  if (typeof content !== 'string' || content.length < minCharactersToDetect) return undefined;
  const { lang_name: name, lang_score: score } = detectLanguage(content);
  return score >= minConfidence ? name : undefined;
}
