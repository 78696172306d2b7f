import { ConfigurationError } from '../core/errors';
import { parseJsonText } from '../core/json-text';
import { isRecord, type Attributes } from '../core/value';

/** A member of an export: one node, one edge, or the data about the whole graph. */
export interface GraphRecord {
  list: 'nodes' | 'edges' | 'graph';
  value: Attributes;
}

const codes = {
  space: 32,
  quote: 34,
  comma: 44,
  openBracket: 91,
  backslash: 92,
  closeBracket: 93,
  openBrace: 123,
  closeBrace: 125,
} as const;

/** Maximum length of a single node or edge. */
const maxCharacters = 16 * 2 ** 20;

/**
 * Reads a `graph.json` record by record, so that memory does not grow with the file. Takes JSON text in pieces of bytes
 * and yields the records of the wanted lists in file order, all records of a piece at once. Unless edges are wanted,
 * reading stops at the end of the wanted lists. Throws a ConfigurationError if the file is not an export. References
 * between records are not checked.
 */
export async function* readGraphRecords(
  bytes: AsyncIterable<Uint8Array>,
  path: string,
  lists: readonly GraphRecord['list'][] = ['nodes', 'edges', 'graph'],
): AsyncGenerator<GraphRecord[]> {
  const cutter = new RecordCutter(new Set(lists));
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const fail = (error: unknown) => new ConfigurationError(`Cannot read graph export: ${path}`, { path }, error);
  const decode = (piece?: Uint8Array): string => {
    try {
      return decoder.decode(piece, { stream: piece !== undefined });
    } catch (error) {
      throw fail(error);
    }
  };
  try {
    for await (const piece of bytes) {
      const records = cutter.take(decode(piece));
      if (records.length > 0) yield records;
      // Reading the edges also checks that the file is complete.
      if (cutter.hasAll && !lists.includes('edges')) return;
    }
    const last = cutter.take(decode());
    if (last.length > 0) yield last;
  } catch (error) {
    throw error instanceof SyntaxError ? fail(error) : error;
  }
  if (!cutter.isComplete) throw fail(new SyntaxError('The JSON text ends too early'));
  for (const list of ['nodes', 'edges'])
    if (!cutter.seen.has(list))
      throw new ConfigurationError('Not a graph export: it must be an object with nodes and edges', { source: path });
}

// A class, because it keeps state between pieces: the depth, and the text of the open record.
class RecordCutter {
  /** The members of the file seen so far. */
  readonly seen = new Set<string>();
  isComplete = false;
  private depth = 0;
  private inText = false;
  private isEscaped = false;
  /** Wanted lists that have ended. */
  private readonly closed = new Set<string>();
  /** The name of the open member of the file. */
  private member = '';
  /** The text of an open name or record before the current piece. */
  private open: string | undefined;

  constructor(private readonly lists: ReadonlySet<string>) {}

  /** True when each wanted list has ended, so that the rest of the file holds none of its records. */
  get hasAll(): boolean {
    return this.closed.size === this.lists.size;
  }

  /** The records that end in the piece. */
  take(piece: string): GraphRecord[] {
    const records: GraphRecord[] = [];
    let start = 0;
    for (let at = 0; at < piece.length; at++) {
      const code = piece.charCodeAt(at);
      if (this.inText) {
        at = this.findEndOfText(piece, at);
        if (!this.inText && this.depth === 1) this.member = this.close(piece.slice(start, at));
        continue;
      }
      if (code === codes.quote) {
        this.inText = true;
        if (this.depth === 1) {
          this.open = '';
          start = at + 1;
        }
      } else if (code === codes.openBrace || code === codes.openBracket) {
        if (this.isRecordDepth(this.depth) && code === codes.openBrace) {
          this.open = '';
          start = at;
        }
        this.enter(code);
      } else if (code === codes.closeBrace || code === codes.closeBracket) {
        this.depth--;
        if (this.depth < 0) throw new SyntaxError('The JSON text closes more than it opens');
        if (this.depth === 0) this.isComplete = true;
        if (this.depth === 1 && this.lists.has(this.member)) this.closed.add(this.member);
        if (this.open === undefined || !this.isRecordDepth(this.depth)) continue;
        records.push(this.parseRecord(this.close(piece.slice(start, at + 1))));
      } else if (this.depth === 0 && code > codes.space) throw new SyntaxError('The JSON text is not an object');
      else if (this.depth === 2 && this.isList() && code > codes.space && code !== codes.comma)
        throw new ConfigurationError('Malformed graph export: nodes and edges must be objects', { list: this.member });
    }
    if (this.open !== undefined) {
      this.open += piece.slice(start);
      if (this.open.length > maxCharacters) throw new SyntaxError('A record of the JSON text is too long');
    }
    return records;
  }

  /** The offset of the quote that ends the open text, or the end of the piece. Quotes after a backslash belong to the text. */
  private findEndOfText(piece: string, from: number): number {
    for (let at = from; at < piece.length; at++) {
      if (this.isEscaped) {
        this.isEscaped = false;
        continue;
      }
      const code = piece.charCodeAt(at);
      if (code === codes.backslash) this.isEscaped = true;
      else if (code === codes.quote) {
        this.inText = false;
        return at;
      }
    }
    return piece.length;
  }

  private enter(code: number): void {
    if (this.depth === 0 && (code !== codes.openBrace || this.isComplete))
      throw new SyntaxError('The JSON text is not an object');
    if (this.depth === 1) {
      this.seen.add(this.member);
      if (this.isList() && code !== codes.openBracket)
        throw new ConfigurationError('Malformed graph export: nodes and edges must be lists', { list: this.member });
    }
    this.depth++;
  }

  private isList(): boolean {
    return this.member === 'nodes' || this.member === 'edges';
  }

  // Records begin inside their list; the data about the graph is a member itself.
  private isRecordDepth(depth: number): boolean {
    if (!this.lists.has(this.member)) return false;
    return this.isList() ? depth === 2 : this.member === 'graph' && depth === 1;
  }

  private close(end: string): string {
    const text = (this.open ?? '') + end;
    this.open = undefined;
    return text;
  }

  private parseRecord(text: string): GraphRecord {
    const value = parseJsonText(detachText(text));
    if (!isRecord(value)) throw new SyntaxError('A record of the JSON text is not an object');
    return { list: this.member as GraphRecord['list'], value };
  }
}

/**
 * Copies a text. A substring keeps the whole text in memory, so an id would keep the piece of the file that contained
 * it.
 */
const detachText = (text: string): string => Buffer.from(text).toString();
