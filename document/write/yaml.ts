import { gridOf } from '../grid';
import { createCellWriter, type JsonOptions, getOrigin } from '../json/write';
import type { DoclingDocument, TableItem } from '../model';

/** Approximate length in characters at which text is encoded and yielded. */
const pieceLength = 256 * 1024;
type YamlOptions = Omit<JsonOptions, 'indent'>;

/**
 * Yields the document as YAML 1.2 in UTF-8, with the members of `documentToJson`. Strings that YAML could read as something
 * else are quoted as in JSON.
 */
export function* documentToYamlPieces(document: DoclingDocument, options: YamlOptions = {}): Generator<Uint8Array> {
  const encoder = new TextEncoder();
  let text = '';
  for (const line of writeDocumentLines(document, options)) {
    text += line;
    if (text.length < pieceLength) continue;
    yield encoder.encode(text);
    text = '';
  }
  if (text !== '') yield encoder.encode(text);
}

function* writeDocumentLines(document: DoclingDocument, options: YamlOptions): Generator<string> {
  const omitNulls = options.omitNulls ?? false;
  for (const [key, value] of Object.entries(document)) {
    if (key === 'tables' && document.tables.length > 0) {
      yield 'tables:\n';
      // The grid of a table is computed only when it is written.
      for (const table of document.tables) yield* iterateLines([addGrid(table, options)], { pad: '  ', omitNulls });
    } else {
      const member = key === 'origin' && document.origin ? getOrigin(document.origin, options) : value;
      yield* iterateLines({ [key]: member }, { pad: '', omitNulls });
    }
  }
}

function addGrid(table: TableItem, options: YamlOptions): object {
  const cell = createCellWriter(options);
  const grid = gridOf(table.data).map((row) => row.map(cell));
  return { ...table, data: { ...table.data, table_cells: table.data.table_cells.map(cell), grid } };
}

/** `first` replaces the indentation of the first line, which may follow the hyphen of a list. */
interface Lines {
  pad: string;
  first?: string;
  omitNulls: boolean;
}

function* iterateLines(value: object, { pad, first = pad, omitNulls }: Lines): Generator<string> {
  const inner = { pad: `${pad}  `, omitNulls };
  let start = first;
  if (Array.isArray(value)) {
    for (const item of value) {
      if (isNested(item, omitNulls)) yield* iterateLines(item, { ...inner, first: `${start}- ` });
      else yield `${start}- ${writeScalar(item)}\n`;
      start = pad;
    }
    return;
  }
  for (const [key, member] of listMembers(value, omitNulls)) {
    if (isNested(member, omitNulls)) {
      yield `${start}${writeScalar(key)}:\n`;
      yield* iterateLines(member, inner);
    } else yield `${start}${writeScalar(key)}: ${writeScalar(member)}\n`;
    start = pad;
  }
}

function listMembers(value: object, omitNulls: boolean): [string, unknown][] {
  return Object.entries(value).filter(([, member]) => member !== undefined && !(omitNulls && member === null));
}

function isNested(value: unknown, omitNulls: boolean): value is object {
  if (typeof value !== 'object' || value === null) return false;
  return Array.isArray(value) ? value.length > 0 : listMembers(value, omitNulls).length > 0;
}

/** Words that YAML 1.1 or 1.2 reads as a value of another type. */
const reserved = /^(?:true|false|null|yes|no|on|off|y|n|inf|nan)$/i;

function writeScalar(value: unknown): string {
  if (typeof value === 'string') {
    if (/^[$A-Za-z_][\w/$-]*$/.test(value) && !reserved.test(value)) return value;
    return quote(value);
  }
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? '[]' : '{}';
  return JSON.stringify(value) ?? 'null';
}

/** JSON strings are YAML strings except for characters that YAML does not allow or reads as line ends. */
function quote(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
