import type { Row } from '../../model/flow/row';
import { type KnownWords, languageOf } from '../lang_detect/run';
import { documentOf } from './record';

/** A chunk of fewer characters is taken for one in the language of its document. */
const leastOwn = 400;
/** How sure the detector is of a chunk that is in another language than its document. */
const sure = 0.75;
/** Characters of a document that are looked at. */
const sample = 4_000;

/** The language (ISO 639-1) of each row by id, as the operator lang_detect has written or would find it; absent where it is unknown. */
export function languagesOf(rows: readonly Row[]): Map<string, string> {
  const known: KnownWords = new Map();
  const texts = new Map<string, string>();
  for (const row of rows) {
    const id = documentOf(row);
    const text = texts.get(id) ?? '';
    if (text.length < sample) texts.set(id, `${text}\n${row.content ?? ''}`.slice(0, sample));
  }
  const documents = new Map([...texts].map(([id, text]) => [id, languageOf(text, known).lang_name]));
  const found = new Map<string, string>();
  for (const row of rows) {
    const language = written(row) ?? own(row, known) ?? documents.get(documentOf(row));
    if (language !== undefined && language !== 'UNKNOWN') found.set(row.id, language);
  }
  return found;
}

function written({ lang_name: name }: Row): string | undefined {
  return typeof name === 'string' && /^[a-z]{2}$/.test(name) ? name : undefined;
}

function own({ content }: Row, known: KnownWords): string | undefined {
  if (typeof content !== 'string' || content.length < leastOwn) return undefined;
  const { lang_name: name, lang_score: score } = languageOf(content, known);
  return score >= sure ? name : undefined;
}
