import type { Row } from '../../model/flow/row';
import type { OperatorContext, OperatorResult } from '../operator';
import { runInSteps } from '../rows/steps';
import type { DocQualityConfig } from './schema';

const commonWords = new Set(['the', 'be', 'to', 'of', 'and', 'that', 'have', 'with']);
const bullet = /^\s*(?:[-*+•‣◦●▪▫■□–—·]|\d{1,3}[.)])\s/;

/** Shares are rounded to six decimals. */
const precision = 1e6;

/** Adds statistics of the text to each row. A row without text counts as empty text. */
export async function run(
  rows: readonly Row[],
  { doc_content_column: column = 'content', bad_words: badWords = [] }: DocQualityConfig,
  context: OperatorContext<never>,
): Promise<OperatorResult> {
  const bad = indexBadWords(badWords);
  const ratedRows = await runInSteps(rows, context, (row): Row => {
    const text = row[column];
    return { ...row, ...computeQuality(typeof text === 'string' ? text : '', bad) };
  });
  return { rows: ratedRows };
}

/** Phrases by their first word, so that a text is compared with few phrases even if the list is long. */
export type BadWords = ReadonlyMap<string, string[][]>;

/** Indexes the list. Phrases are compared word by word. */
export function indexBadWords(list: readonly string[]): BadWords {
  const byFirst = new Map<string, string[][]>();
  for (const phrase of list) {
    const words = phrase.split(/\s+/).map(stripWord).filter(Boolean);
    const [first] = words;
    if (first !== undefined) byFirst.set(first, [...(byFirst.get(first) ?? []), words]);
  }
  return byFirst;
}

/** The columns of `doc_quality` for a text. Linear time. */
export function computeQuality(text: string, bad: BadWords) {
  const words = text.split(/\s+/).filter(Boolean);
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const bareWords = words.map(stripWord);
  const characters = words.reduce((sum, word) => sum + word.length, 0);
  const share = (part: number, total: number) => (total === 0 ? 0 : Math.round((part / total) * precision) / precision);
  return {
    docq_total_words: words.length,
    docq_mean_word_len: share(characters, words.length),
    docq_symbol_to_word_ratio: share(
      countOccurrences(text, '#') + countOccurrences(text, '…') + countOccurrences(text, '...'),
      words.length,
    ),
    docq_sentence_count: countSentences(text),
    docq_lorem_ipsum_ratio: share(countOccurrences(text.toLowerCase(), 'lorem ipsum'), text.length),
    docq_curly_bracket_ratio: share(countOccurrences(text, '{') + countOccurrences(text, '}'), text.length),
    docq_contain_bad_word: bad.size > 0 && bareWords.some((word, index) => isBad(word, index, bareWords, bad)),
    docq_bullet_point_ratio: share(lines.filter((line) => bullet.test(line)).length, lines.length),
    docq_ellipsis_line_ratio: share(lines.filter(endsInEllipsis).length, lines.length),
    docq_alphabet_word_ratio: share(words.filter((word) => /\p{L}/u.test(word)).length, words.length),
    docq_contain_common_en_words: new Set(bareWords.filter((word) => commonWords.has(word))).size >= 2,
  };
}

function isBad(word: string, index: number, words: readonly string[], bad: BadWords): boolean {
  const phrases = bad.get(word);
  return phrases?.some((phrase) => phrase.every((part, offset) => words[index + offset] === part)) ?? false;
}

/** A word in lower case, without surrounding punctuation. */
function stripWord(word: string): string {
  return word
    .toLowerCase()
    .replace(/^[^\p{L}\p{N}]+/u, '')
    .replace(/(?<=[\p{L}\p{N}])[^\p{L}\p{N}]+$/u, '');
}

/** Counts the non-overlapping occurrences of `part`. */
function countOccurrences(text: string, part: string): number {
  let occurrences = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) occurrences += 1;
  return occurrences;
}

function countSentences(text: string): number {
  if (text.trim() === '') return 0;
  const ends = text.match(/[.!?](?=[\s"')\]]|$)|[。！？]/g)?.length ?? 0;
  return Math.max(1, ends);
}

function endsInEllipsis(line: string): boolean {
  const end = line.trimEnd();
  return end.endsWith('…') || end.endsWith('...');
}
