import { AppError } from '../../model/errors';
import type { Data } from '../data/data';
import { readHtmlWords } from '../data/html-words';

/** Texts with more values are rejected: as items of a document they would not fit into memory. */
const maxValues = 2_000_000;

export interface JsonText {
  /** The name of the source in messages. */
  name: string;
  maxDepth: number;
  /** Called for each comment. */
  comment?: (text: string) => void;
}

/** A text that is not JSON, with the position of the problem. */
export class JsonProblem extends Error {}

const blank = /[\s\ufeff]*/y;
const comment = /\/\/[^\n]*|\/\*[^]*?\*\//y;
/** A string without escapes, after its opening quote. */
const plain = /[^\\"\n]*"/y;
const quoted = /"(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*'/y;
/** A number, constant or unquoted name. */
const word = /[+-]?(?:\d|\.\d|Infinity\b|NaN\b)[\w.+-]*|[\p{L}_$][\p{L}\p{N}_$-]*/uy;

/**
 * Parses JSON with the JSON5 extensions common in hand-written files: comments, trailing commas, single quotes, unquoted names.
 * Numbers stay as written and members keep their order, which JSON.parse does not guarantee. Returns all values of the text,
 * since there may be several. Throws JsonProblem, or DOCUMENT_TOO_LARGE.
 */
export function parseJsonValues(text: string, options: JsonText): Data[] {
  return new JsonParser(text, options).readValues();
}

class JsonParser {
  private at = 0;
  /** Number of values so far. */
  private count = 0;
  constructor(
    private readonly text: string,
    private readonly options: JsonText,
  ) {}

  readValues(): Data[] {
    const values: Data[] = [];
    this.skipBlank();
    while (this.at < this.text.length) {
      values.push(this.readValue(1));
      this.skipBlank();
      if (this.text[this.at] === ',') {
        this.at += 1;
        this.skipBlank();
      }
    }
    return values;
  }

  /** Skips white space and comments. */
  private skipBlank(): void {
    for (;;) {
      blank.lastIndex = this.at;
      blank.test(this.text);
      this.at = Math.max(this.at, blank.lastIndex);
      if (this.text[this.at] !== '/') return;
      comment.lastIndex = this.at;
      const [commentText] = comment.exec(this.text) ?? [];
      if (commentText === undefined) return;
      this.options.comment?.(commentText);
      this.at += commentText.length;
    }
  }

  private readValue(depth: number): Data {
    const { name, maxDepth } = this.options;
    if (depth > maxDepth) throw new AppError('DOCUMENT_TOO_LARGE', `'${name}' nests deeper than ${maxDepth} levels.`);
    this.count += 1;
    if (this.count > maxValues)
      throw new AppError('DOCUMENT_TOO_LARGE', `'${name}' has more than ${maxValues} values.`);
    const sign = this.text[this.at];
    if (sign === '{') return this.readMap(depth);
    if (sign === '[') return this.readList(depth);
    return sign === '"' || sign === "'" ? readHtmlWords(this.readString()) : this.readLiteral();
  }

  private readMap(depth: number): Data {
    const entries: [string, Data][] = [];
    this.at += 1;
    for (this.skipBlank(); this.text[this.at] !== '}'; this.skipBlank()) {
      const sign = this.text[this.at];
      const key = sign === '"' || sign === "'" ? this.readString() : this.readLiteral();
      this.skipBlank();
      if (this.text[this.at] !== ':') throw this.createProblem("expected ':' after a name");
      this.at += 1;
      this.skipBlank();
      entries.push([key, this.readValue(depth + 1)]);
      this.skipComma('}');
    }
    this.at += 1;
    return entries.length === 0 ? '{}' : { kind: 'map', entries };
  }

  private readList(depth: number): Data {
    const items: Data[] = [];
    this.at += 1;
    for (this.skipBlank(); this.text[this.at] !== ']'; this.skipBlank()) {
      items.push(this.readValue(depth + 1));
      this.skipComma(']');
    }
    this.at += 1;
    return items.length === 0 ? '[]' : { kind: 'list', items };
  }

  /** Skips the comma after a value, unless the map or list ends. */
  private skipComma(end: string): void {
    this.skipBlank();
    if (this.text[this.at] === ',') this.at += 1;
    else if (this.text[this.at] !== end) throw this.createProblem(`expected ',' or '${end}'`);
  }

  private readString(): string {
    plain.lastIndex = this.at + 1;
    if (this.text[this.at] === '"' && plain.test(this.text)) {
      const simple = this.text.slice(this.at + 1, plain.lastIndex - 1);
      this.at = plain.lastIndex;
      return simple;
    }
    quoted.lastIndex = this.at;
    if (!quoted.test(this.text)) throw this.createProblem('a string is not closed');
    const raw = this.text.slice(this.at + 1, quoted.lastIndex - 1);
    this.at = quoted.lastIndex;
    return unescape(raw);
  }

  private readLiteral(): string {
    word.lastIndex = this.at;
    const [wordText] = word.exec(this.text) ?? [];
    const sign = this.text[this.at];
    if (wordText === undefined)
      throw this.createProblem(sign === undefined ? 'the text ends too early' : `unexpected '${sign}'`);
    this.at += wordText.length;
    return wordText;
  }

  private createProblem(reason: string): JsonProblem {
    const before = this.text.slice(0, this.at);
    const line = before.split('\n').length;
    return new JsonProblem(`${reason} in line ${line}, column ${this.at - before.lastIndexOf('\n')}`);
  }
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '', f: '\n', '0': '', '\n': '' };

function unescape(raw: string): string {
  if (!raw.includes('\\')) return raw;
  const text = raw.replace(/\\(?:u([\da-fA-F]{4})|([^]))/g, (_, code: string | undefined, sign: string) =>
    code === undefined ? (escapes[sign] ?? sign) : String.fromCharCode(Number.parseInt(code, 16)),
  );
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}
