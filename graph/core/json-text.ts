import {
  type GraphValue,
  formatFloat,
  floatValue,
  findPythonType,
  setMember,
  TypedValue,
  type Attributes,
} from './value';

const maxDepth = 400;
const [quoteCode, backslashCode, spaceCode] = [34, 92, 32];

/**
 * Parses JSON without the losses of `JSON.parse`: `2.0` stays a float, and big integers keep their digits. Also accepts the
 * bare `NaN` and `Infinity` that Python writes. Throws a SyntaxError with the offset. The last of duplicate keys wins.
 */
export function parseJsonText(text: string): GraphValue {
  const reader = new JsonReader(text);
  const value = reader.value(0);
  reader.end();
  return value;
}

// A class, because it keeps state: the position in the text.
class JsonReader {
  private position = 0;
  private readonly number = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
  constructor(private readonly text: string) {}

  value(depth: number): GraphValue {
    if (depth > maxDepth) this.fail(`is nested deeper than ${maxDepth} levels`);
    this.space();
    const char = this.text[this.position];
    if (char === '"') return this.string();
    if (char === '{') return this.object(depth);
    if (char === '[') return this.array(depth);
    if (char !== undefined && char >= '0' && char <= '9') return this.numeral();
    return this.literal('true', true) ?? this.literal('false', false) ?? this.other();
  }

  end(): void {
    this.space();
    if (this.position < this.text.length) this.fail('has text after the end');
  }

  private other(): GraphValue {
    if (this.literal('null', true)) return null;
    if (this.literal('NaN', true)) return Number.NaN;
    if (this.literal('Infinity', true)) return Number.POSITIVE_INFINITY;
    if (this.literal('-Infinity', true)) return Number.NEGATIVE_INFINITY;
    return this.numeral();
  }

  private numeral(): GraphValue {
    this.number.lastIndex = this.position;
    const match = this.number.exec(this.text);
    if (!match) return this.fail('has no value');
    this.position += match[0].length;
    if (match[1] !== undefined || match[2] !== undefined) return floatValue(Number(match[0]));
    const value = Number(match[0]);
    return Number.isSafeInteger(value) ? value : BigInt(match[0]);
  }

  private string(): string {
    const { text } = this;
    let end = this.position + 1;
    let hasEscape = false;
    for (; ; end++) {
      const code = text.charCodeAt(end);
      if (code === quoteCode) break;
      if (code === backslashCode) {
        end++;
        hasEscape = true;
      } else if (code < spaceCode || Number.isNaN(code))
        this.fail('has a string without an end or with a control character');
    }
    const start = this.position;
    this.position = end + 1;
    const raw = text.slice(start + 1, end);
    if (!hasEscape) return raw;
    try {
      return JSON.parse(`"${raw}"`) as string;
    } catch {
      return this.fail('has a string with an unknown escape');
    }
  }

  private object(depth: number): Attributes {
    const value: Attributes = {};
    this.position++;
    this.space();
    if (this.take('}')) return value;
    for (;;) {
      this.space();
      if (this.text[this.position] !== '"') this.fail('lacks a quoted key');
      const key = this.string();
      this.space();
      if (!this.take(':')) this.fail("lacks a ':'");
      setMember(value, key, this.value(depth + 1));
      this.space();
      if (this.take('}')) return value;
      if (!this.take(',')) this.fail("lacks a ',' or '}'");
    }
  }

  private array(depth: number): GraphValue[] {
    const value: GraphValue[] = [];
    this.position++;
    this.space();
    if (this.take(']')) return value;
    for (;;) {
      value.push(this.value(depth + 1));
      this.space();
      if (this.take(']')) return value;
      if (!this.take(',')) this.fail("lacks a ',' or ']'");
    }
  }

  private literal(word: string, value: boolean): boolean | undefined {
    if (!this.text.startsWith(word, this.position)) return undefined;
    this.position += word.length;
    return value;
  }

  private take(char: string): boolean {
    if (this.text[this.position] !== char) return false;
    this.position++;
    return true;
  }

  private space(): void {
    for (; ; this.position++) {
      const code = this.text.charCodeAt(this.position);
      if (code !== spaceCode && code !== 10 && code !== 13 && code !== 9) return;
    }
  }

  private fail(problem: string): never {
    throw new SyntaxError(`The JSON text ${problem} at offset ${this.position}`);
  }
}

/** How JSON is written; without members, on one line. */
export interface JsonStyle {
  indent?: number;
  isAscii?: boolean;
  isSorted?: boolean;
  /** How to write NaN and infinities: as in Python, which is not valid JSON, or as null. Default `bare`. */
  nonFinite?: 'bare' | 'null';
}

/** Writes a value as JSON: times as ISO strings, decimals as floats. */
export function jsonText(value: GraphValue, style: JsonStyle = {}, level = 0): string {
  if (typeof value === 'string') return quote(value, style.isAscii ?? false);
  if (value === null) return 'null';
  if (typeof value === 'number') return writeNumber(value, style);
  if (value instanceof TypedValue) return writeTyped(value, style);
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value)) {
    const items = findPythonType(value) === 'set' ? sortSet(value) : value;
    return encloseMembers(
      '[]',
      items.map((member) => jsonText(member, style, level + 1)),
      style,
      level,
    );
  }
  const keys = style.isSorted ? Object.keys(value).sort(compareCodePoints) : Object.keys(value);
  const members = keys.map(
    (key) => `${quote(key, style.isAscii ?? false)}: ${jsonText(value[key] ?? null, style, level + 1)}`,
  );
  return encloseMembers('{}', members, style, level);
}

// Sets are unordered, so their members are sorted.
const sortSet = (value: GraphValue[]) =>
  [...value].sort((left, right) => compareCodePoints(jsonText(left), jsonText(right)));

/** Python's string order: by code point. UTF-16 order would place astral characters too early. */
export function compareCodePoints(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}

function encloseMembers(brackets: string, members: string[], { indent }: JsonStyle, level: number): string {
  if (members.length === 0) return brackets;
  if (!indent) return `${brackets[0]}${members.join(', ')}${brackets[1]}`;
  const inner = `\n${' '.repeat(indent * (level + 1))}`;
  return `${brackets[0]}${inner}${members.join(`,${inner}`)}\n${' '.repeat(indent * level)}${brackets[1]}`;
}

function quote(text: string, isAscii: boolean): string {
  const json = JSON.stringify(text);
  if (!isAscii) return json;
  return json.replace(/[\u007f-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function writeNumber(value: number, style: JsonStyle): string {
  if (Number.isFinite(value)) return Number.isInteger(value) ? String(value) : formatFloat(value);
  if (style.nonFinite === 'null') return 'null';
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? 'Infinity' : '-Infinity';
}

function writeTyped(value: TypedValue, style: JsonStyle): string {
  if (value.kind === 'float') return value.text;
  if (value.kind !== 'decimal') return quote(value.text, style.isAscii ?? false);
  const number = Number(value.text);
  return Number.isFinite(number) ? formatFloat(number) : writeNumber(number, style);
}
