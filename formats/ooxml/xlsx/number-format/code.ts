/**
 * One element of a format code. The `text` of a digit placeholder is `0`, `#` or `?`, that of an exponent its sign. `elapsed` is
 * the unit of a duration (`[h]`), `half` the half of a day (`AM/PM`).
 */
export interface Token {
  kind:
    | 'literal'
    | 'digit'
    | 'point'
    | 'comma'
    | 'percent'
    | 'exponent'
    | 'slash'
    | 'text'
    | 'general'
    | 'date'
    | 'elapsed'
    | 'half';
  text: string;
}

/** One of the sections separated by semicolons. */
export interface Section {
  tokens: Token[];
  /** `[>=100]`: the values that the section applies to. */
  condition?: (value: number) => boolean;
  kind: 'number' | 'date' | 'text' | 'general';
  /** Language of the dates, such as `de`. */
  language?: string;
  /** Dates in the format of the user's system. */
  isSystemDate?: boolean;
}

/** Splits a format code (ECMA-376 part 1, 18.8.31) into sections. Characters without a meaning are literals. */
export function parseFormatCode(code: string): Section[] {
  const sections: Section[] = [];
  let section: Section = { tokens: [], kind: 'number' };
  const finish = () => {
    section.kind = getKind(section);
    sections.push(section);
  };
  for (let at = 0; at < code.length;) {
    if (code[at] === ';') {
      finish();
      section = { tokens: [], kind: 'number' };
      at += 1;
      continue;
    }
    at += readToken(code, at, section);
  }
  finish();
  return sections;
}

const general = /^general/i;
const halves = /^(?:am\/pm|a\/p|上午\/下午)/i;
const letters = /^(?:y+|m+|d+|h+|s+|e+|b+|g+|a{3,4})/i;

const kindsBySign: Readonly<Record<string, Token['kind']>> = {
  '.': 'point',
  ',': 'comma',
  '%': 'percent',
  '/': 'slash',
  '@': 'text',
};

/** Adds the token at a position to the section. Returns the number of characters read. */
function readToken(code: string, at: number, section: Section): number {
  const sign = code[at]!;
  const add = (kind: Token['kind'], text: string, length = text.length) => {
    section.tokens.push({ kind, text });
    return length;
  };
  const next = code.slice(at, at + 16);
  if (sign === '"') {
    const end = code.indexOf('"', at + 1);
    const text = code.slice(at + 1, end < 0 ? code.length : end);
    return add('literal', text, text.length + 2);
  }
  if (sign === '\\') return add('literal', code[at + 1] ?? '', 2);
  // `_` is a blank as wide as the next character, `*` fills the cell with it.
  if (sign === '_') return add('literal', ' ', 2);
  if (sign === '*') return 2;
  if (sign === '[') return readBrackets(code, at, section);
  if (sign === '0' || sign === '#' || sign === '?') return add('digit', sign);
  const kind = kindsBySign[sign];
  if (kind !== undefined) return add(kind, sign);
  if (general.test(next)) return add('general', 'General');
  if (/^e[+-]/i.test(next)) return add('exponent', next[1]!, 2);
  const half = halves.exec(next);
  if (half) return add('half', half[0]);
  const date = letters.exec(next);
  if (date) return add('date', date[0].toLowerCase());
  return add('literal', sign);
}

/** Reads colours, conditions, currencies with their language, and elapsed time such as `[h]`. */
function readBrackets(code: string, at: number, section: Section): number {
  const end = code.indexOf(']', at);
  const inner = code.slice(at + 1, end < 0 ? code.length : end);
  const length = inner.length + 2;
  if (/^(?:h+|m+|s+)$/i.test(inner)) section.tokens.push({ kind: 'elapsed', text: inner.toLowerCase() });
  else if (inner.startsWith('$')) {
    const [symbol = '', locale = ''] = inner.slice(1).split('-');
    if (symbol !== '') section.tokens.push({ kind: 'literal', text: symbol });
    if (/^f[48]00$/i.test(locale)) section.isSystemDate = true;
    const language = languages[Number.parseInt(locale, 16) & 0x3ff];
    if (language) section.language = language;
  } else {
    const [, operator = '', number = ''] = /^(<=|>=|<>|<|>|=)\s*(-?[\d.]+)$/.exec(inner) ?? [];
    const compare = comparisons[operator];
    const bound = Number(number);
    if (compare) section.condition = (value) => compare(value, bound);
  }
  return length;
}

const comparisons: Readonly<Record<string, (value: number, bound: number) => boolean>> = {
  '<': (value, bound) => value < bound,
  '<=': (value, bound) => value <= bound,
  '>': (value, bound) => value > bound,
  '>=': (value, bound) => value >= bound,
  '=': (value, bound) => value === bound,
  '<>': (value, bound) => value !== bound,
};

/** Windows primary languages (MS-LCID 2.2) with localized month names; all others use English. */
const languages: Readonly<Record<number, string>> = {
  0x03: 'ca',
  0x04: 'zh',
  0x05: 'cs',
  0x06: 'da',
  0x07: 'de',
  0x08: 'el',
  0x0a: 'es',
  0x0b: 'fi',
  0x0c: 'fr',
  0x0e: 'hu',
  0x10: 'it',
  0x11: 'ja',
  0x12: 'ko',
  0x13: 'nl',
  0x14: 'nb',
  0x15: 'pl',
  0x16: 'pt',
  0x18: 'ro',
  0x19: 'ru',
  0x1d: 'sv',
  0x1f: 'tr',
  0x22: 'uk',
};

function getKind({ tokens }: Section): Section['kind'] {
  const has = (kind: Token['kind']) => tokens.some((token) => token.kind === kind);
  if (has('date') || has('elapsed')) return 'date';
  if (has('text')) return 'text';
  return has('general') ? 'general' : 'number';
}
