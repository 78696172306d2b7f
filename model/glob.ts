/** The limit of a glob: each character takes memory. */
const maxGlobCharacters = 4_096;
/** The limit of numbers in a range such as `{1..3}`; larger ranges are read as plain text. */
const maxRangeSize = 1_000;

/** True when the name contains glob syntax and can match other names. */
export function isGlob(name: string): boolean {
  return /(?<!\\)(?:[*?[{]|[@+!]\()/.test(name);
}

/** Why a glob is invalid; undefined when it is valid. */
export function findGlobProblem(glob: string): string | undefined {
  if (glob.length > maxGlobCharacters)
    return `it has ${glob.length} characters; at most ${maxGlobCharacters} are allowed`;
  return /(?<!\\)!\(/.test(glob) ? "'!(…)' is not supported; exclude files with a separate pattern" : undefined;
}

/**
 * Converts a glob to an RE2 expression, which runs in linear time, for paths separated by `/`. `*` and `?` match within a name,
 * `**` matches any number of names, including none. Supports `[ab]`, `[!ab]`, `{a,b}`, `{1..3}`, `@(a|b)`, `?(a)`, `+(a)`,
 * `*(a)`; `\` escapes the next character.
 */
export function toGlobExpression(glob: string): string {
  return `^(?:${readSequence(glob, true)})$`;
}

function readSequence(text: string, isAtStart: boolean): string {
  let out = '';
  let isStart = isAtStart;
  for (let at = 0; at < text.length;) {
    const [source, length] = readPiece(text, at, isStart);
    out += source;
    at += length;
    isStart = text[at - 1] === '/';
  }
  return out;
}

/** The expression for the glob syntax at `at`, and the number of characters it covers. */
function readPiece(text: string, at: number, isStart: boolean): [string, number] {
  const character = text[at] ?? '';
  if (character === '\\' && at + 1 < text.length) return [escapeCharacter(text[at + 1] ?? ''), 2];
  // `a/**` matches `a` itself and everything below it.
  if (character === '/' && text.slice(at) === '/**') return ['(?:/.*)?', 3];
  if ('@?+*'.includes(character) && text[at + 1] === '(') {
    const end = findClosing(text, at + 1, '(', ')');
    if (end !== -1) {
      const inner = splitOutsideBrackets(text.slice(at + 2, end), '|').map((part) => readSequence(part, false));
      return [`(?:${inner.join('|')})${character === '@' ? '' : character}`, end + 1 - at];
    }
  }
  if (character === '*') return readStars(text, at, isStart);
  if (character === '?') return ['[^/]', 1];
  if (character === '[') return readClass(text, at) ?? [escapeCharacter(character), 1];
  if (character === '{') return readAlternatives(text, at, isStart) ?? [escapeCharacter(character), 1];
  const whole = String.fromCodePoint(text.codePointAt(at) ?? 0);
  return [escapeCharacter(whole), whole.length];
}

function readStars(text: string, at: number, isStart: boolean): [string, number] {
  const length = /^\*+/.exec(text.slice(at))?.[0].length ?? 1;
  const next = text[at + length];
  if (isStart && length > 1 && next === undefined) return ['.*', length];
  if (isStart && length > 1 && next === '/') return ['(?:[^/]+/)*', length + 1];
  // A name has at least one character.
  return [isStart && (next === undefined || next === '/') ? '[^/]+' : '[^/]*', length];
}

function readClass(text: string, at: number): [string, number] | undefined {
  const match = /^\[([!^]?)(\]?[^\]]*)\]/u.exec(text.slice(at));
  const [whole = '', not, inner = ''] = match ?? [];
  if (inner === '' || /[/\\]/.test(inner)) return undefined;
  const members = Array.from(inner);
  const out: string[] = [];
  for (let index = 0; index < members.length; index += 1) {
    const [first = '', dash, last] = members.slice(index, index + 3);
    if (dash !== '-' || last === undefined) {
      out.push(escapeInClass(first));
      continue;
    }
    if ((first.codePointAt(0) ?? 0) > (last.codePointAt(0) ?? 0)) return undefined;
    out.push(formatRange(first, last));
    index += 2;
  }
  // A negated class must not match the slash: only `/` itself matches a path separator.
  const list = out.join('');
  return [not ? `[^/${list}]` : `[${list}]`, whole.length];
}

/** The range without `/`, which only `/` itself matches: `.` and `0` are the characters on either side of it. */
function formatRange(first: string, last: string): string {
  if (first > '/' || last < '/') return `${escapeInClass(first)}-${escapeInClass(last)}`;
  return `${escapeInClass(first)}-.0-${escapeInClass(last)}`;
}

function readAlternatives(text: string, at: number, isStart: boolean): [string, number] | undefined {
  const end = findClosing(text, at, '{', '}');
  if (end === -1) return undefined;
  const inner = text.slice(at + 1, end);
  const length = end + 1 - at;
  const [, from, to] = /^(-?\d{1,9})\.\.(-?\d{1,9})$/.exec(inner) ?? [];
  if (from !== undefined && to !== undefined) {
    const [low, high] = [Math.min(Number(from), Number(to)), Math.max(Number(from), Number(to))];
    if (high - low > maxRangeSize) return undefined;
    return [`(?:${Array.from({ length: high - low + 1 }, (_, index) => low + index).join('|')})`, length];
  }
  const list = splitOutsideBrackets(inner, ',');
  if (list.length < 2) return undefined;
  return [`(?:${list.map((part) => readSequence(part, isStart)).join('|')})`, length];
}

/** The position of the bracket that closes the one at `at`; -1 when there is none. */
function findClosing(text: string, at: number, open: string, close: string): number {
  let depth = 0;
  for (let index = at; index < text.length; index += 1) {
    if (text[index] === '\\') index += 1;
    else if (text[index] === open) depth += 1;
    else if (text[index] === close) {
      depth -= 1;
      if (depth === 0) return index;
    }
  }
  return -1;
}

/** Parentheses and braces count as brackets. */
function splitOutsideBrackets(text: string, separator: string): string[] {
  const pieces: string[] = [];
  let depth = 0;
  let start = 0;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index] ?? '';
    if (character === '\\') index += 1;
    else if ('({'.includes(character)) depth += 1;
    else if (')}'.includes(character)) depth -= 1;
    else if (character === separator && depth === 0) {
      pieces.push(text.slice(start, index));
      start = index + 1;
    }
  }
  return [...pieces, text.slice(start)];
}

function escapeCharacter(character: string): string {
  return /[\\^$.|?*+()[\]{}]/.test(character) ? `\\${character}` : character;
}

function escapeInClass(character: string): string {
  return '[]\\^-&~'.includes(character) ? `\\${character}` : character;
}
