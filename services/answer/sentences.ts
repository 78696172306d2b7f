/** A sentence with the numbers of the passages that it cites, from 1. */
export interface CitedSentence {
  text: string;
  passages: number[];
}

/** Reads an answer piece by piece and returns its sentences as soon as they are complete. */
export interface SentenceReader {
  push(piece: string): CitedSentence[];
  end(): CitedSentence[];
  /** Dropped sentences: without citations, or not supported by their passages. */
  dropped(): number;
}

/** Citations in the form that the model is instructed to write: `[1]`, `[1][2]` or `[1, 2]`. */
const citations = /(?:\s*\[\d{1,3}(?:\s*,\s*\d{1,3})*\])+/g;
/** Facts that a sentence may state only if a passage contains them: numbers, addresses, names of files and hosts. */
const facts = /https?:\/\/[^\s\])"'<>]+|[\w.+-]+@[\w-]+\.[\w.]+|\b[\w-]+(?:\.[\w-]+)+\b|\d+(?:[.,:/]\d+)*/gi;
const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

/**
 * Reads an answer whose sentences each end with citations. Only verifiable sentences are passed on: the citation refers to a
 * given passage, and every number, address and dotted name occurs in the cited passages. So a passage with instructions for
 * the model cannot make it send words to other addresses, or cite passages that were not given.
 */
export function readSentences(passages: readonly string[]): SentenceReader {
  let unread = '';
  let dropped = 0;
  const texts = passages.map(normalize);

  /** Whether all facts occur in the cited passages. Addresses must match as a whole. */
  const isSupported = (text: string, cited: readonly number[]) => {
    const citedText = cited.map((number) => texts[number - 1] ?? '').join('\n');
    return [...normalize(text).matchAll(facts)].every(([fact]) =>
      citedText.includes(fact.replace(/(?<![.,:/])[.,:/]+$/, '')),
    );
  };
  /** Only the sentence right before the citations can be checked; those before it have none and are dropped. */
  const checkSentence = (segment: string, marks: string): CitedSentence[] => {
    const sentences = [...segmenter.segment(segment)].map(({ segment: sentence }) => sentence.trim()).filter(hasWords);
    const text = sentences.pop();
    dropped += sentences.length;
    if (text === undefined) return [];
    const numbers = [...new Set([...marks.matchAll(/\d+/g)].map(Number))];
    const validNumbers = numbers.filter((number) => number >= 1 && number <= passages.length);
    const plain = toPlainText(text);
    if (validNumbers.length > 0 && validNumbers.length === numbers.length && isSupported(segment, validNumbers))
      return [{ text: plain, passages: validNumbers }];
    dropped += 1;
    return [];
  };
  const takeSentences = (isEnd: boolean): CitedSentence[] => {
    const sentences: CitedSentence[] = [];
    let from = 0;
    for (const match of unread.matchAll(citations)) {
      const after = match.index + match[0].length;
      // More citations, or the full stop after them, may still arrive.
      if (!isEnd && !/^\s*[.!?]?\s*[^\s[.!?]/.test(unread.slice(after))) break;
      const stop = /^\s*[.!?]/.exec(unread.slice(after))?.[0] ?? '';
      sentences.push(...checkSentence(unread.slice(from, match.index) + stop.trim(), match[0]));
      from = after + stop.length;
    }
    unread = unread.slice(from);
    return sentences;
  };
  return {
    push: (piece) => {
      unread += piece;
      return takeSentences(false);
    },
    end: () => {
      const sentences = takeSentences(true);
      dropped += [...segmenter.segment(unread)].filter(({ segment }) => hasWords(segment)).length;
      unread = '';
      return sentences;
    },
    dropped: () => dropped,
  };
}

function hasWords(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}

function normalize(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

/** Neither pictures nor links nor markup: a client that shows Markdown would load and offer them. */
function toPlainText(text: string): string {
  return text
    .replaceAll(/!?\[([^\]]*)\]\(([^)]*)\)/g, '$1 $2')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/[*_`#]+/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
