/** A piece of source. `end` is the position after the closing character. */
export interface Piece {
  text: string;
  end: number;
}

/** Returns the argument in braces at a position, skipping white space before it; else a single character or control word. */
export function readArgument(text: string, at: number): Piece {
  let from = at;
  while (from < text.length && /\s/.test(text[from]!)) from += 1;
  const group = findGroup(text, from, '{', '}');
  if (group) return group;
  const single = /^\\(?:[A-Za-z@]+|.)|^[^\\{}]/s.exec(text.slice(from, from + 64))?.[0] ?? '';
  return { text: single, end: from + single.length };
}

/** Returns the argument in brackets at a position; undefined if there is none on the same line. */
export function findOption(text: string, at: number): Piece | undefined {
  let from = at;
  while (text[from] === ' ') from += 1;
  return findGroup(text, from, '[', ']');
}

/** A longer argument counts as unclosed, so that a file full of open braces is read in linear time. */
const maxArgumentLength = 10_000;

/** Returns the group with balanced braces; undefined if it does not start here or is not closed. */
export function findGroup(text: string, at: number, open: '{' | '[', close: '}' | ']'): Piece | undefined {
  if (text[at] !== open) return undefined;
  let braces = 0;
  let nested = 0;
  const last = Math.min(text.length, at + maxArgumentLength);
  if (!text.slice(at, last).includes(close)) return undefined;
  for (let place = at; place < last; place++) {
    const character = text[place]!;
    if (character === '\\') {
      place += 1;
      continue;
    }
    if (character === open) nested += 1;
    if (character === '{') braces += 1;
    if (character === '}') braces -= 1;
    if (character === close) nested -= 1;
    if (character === close && nested === 0 && braces === 0) return { text: text.slice(at + 1, place), end: place + 1 };
    if (close === ']' && braces < 0) return undefined;
  }
  return undefined;
}

/**
 * Returns the content of the environment whose `\begin{name}` ends at `at`; without an `\end{name}` it extends to the end of
 * the text.
 */
export function readEnvironment(text: string, at: number, name: string): Piece {
  const marks = new RegExp(`\\\\(begin|end)\\s*\\{${name.replace(/[^\w ]/g, '\\$&')}\\}`, 'g');
  marks.lastIndex = at;
  let depth = 1;
  for (let match = marks.exec(text); match; match = marks.exec(text)) {
    depth += match[1] === 'begin' ? 1 : -1;
    if (depth === 0) return { text: text.slice(at, match.index), end: marks.lastIndex };
  }
  return { text: text.slice(at), end: text.length };
}

const verbatimStart = /\\begin\s*\{(verbatim\*?|lstlisting|minted|Verbatim|comment)\}|\\verb\*?[^A-Za-z\s*]/g;

/** Applies a change to everything except verbatim text. */
export function mapOutsideVerbatim(text: string, change: (part: string) => string): string {
  let changed = '';
  let at = 0;
  const unclosed = new Set<string>();
  for (const { 0: opening, 1: name, index } of text.matchAll(verbatimStart)) {
    if (index < at || unclosed.has(name ?? '')) continue;
    const close = name === undefined ? opening.at(-1)! : `\\end{${name}}`;
    const end = text.indexOf(close, index + opening.length);
    if (end < 0) {
      if (name !== undefined) unclosed.add(name);
      continue;
    }
    // `\verb` ends on its line.
    if (name === undefined && text.slice(index, Math.min(end, index + 1000)).includes('\n')) continue;
    changed += change(text.slice(at, index)) + text.slice(index, end + close.length);
    at = end + close.length;
  }
  return changed + change(text.slice(at));
}

/** Marks the position where a comment or macro ended the leading words of a paragraph. */
export const leadingWordsMark = '\uFDD0';

/** Removes the marks of leading words. */
export function removeMarks(text: string): string {
  return text.includes(leadingWordsMark) ? text.replaceAll(leadingWordsMark, '') : text;
}

/** True if the text ends with an empty line and plain words, so that a mark must follow. */
export function endsWithLeadingWords(text: string): boolean {
  const minStart = Math.max(0, text.length - 4_000);
  let from = text.length;
  while (from > minStart && !endsOfWords.has(text[from - 1]!)) from -= 1;
  return /\n[ \t]*\n/.test(text.slice(from));
}

const endsOfWords = new Set(['\\', '$', '{', '}', '~', '&', '#', leadingWordsMark]);

/**
 * Removes comments with their line end and the blanks after it, but keeps empty lines. A line that contains only a comment is
 * removed completely. A comment after the leading words of a paragraph leaves a mark.
 */
export function removeComments(text: string): string {
  const commented = /^[ \t]*%.*(?:\n|$)|%(?<=(?:^|[^\\])(?:\\\\)*%).*(?:\n(?![ \t]*\n)[ \t]*|$)/gm;
  return mapOutsideVerbatim(removeMarks(text), (part) => {
    let [output, at] = ['', 0];
    const append = (next: string) => {
      const isMarked = at > 0 && next !== '' && !/^[ \t]*\n/.test(next) && endsWithLeadingWords(output);
      output += isMarked ? leadingWordsMark + next : next;
    };
    for (const { 0: comment, index } of part.matchAll(commented)) {
      append(part.slice(at, index));
      at = index + comment.length;
    }
    append(part.slice(at));
    return output;
  });
}
