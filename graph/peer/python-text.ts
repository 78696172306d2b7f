import { jsonText } from '../core/json-text';
import { formatFloat, type GraphValue, isRecord, findPythonType, TypedValue } from '../core/value';

/** Python's `str()` of a value, used in ids and in the peer's files. */
export function writePythonText(value: GraphValue): string {
  if (value === null) return 'None';
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'number') return Number.isInteger(value) ? String(value) : formatFloat(value);
  if (value instanceof TypedValue) return writeTypedText(value);
  if (isModel(value)) return writeMembers(value).join(' ');
  return writePythonRepr(value);
}

/** Python's `repr()` of a value: quoted strings, full lists and dicts. */
export function writePythonRepr(value: GraphValue): string {
  if (typeof value === 'string') return writeStringRepr(value);
  if (Array.isArray(value)) return writeListRepr(value);
  if (isRecord(value)) {
    const type = findPythonType(value);
    if (typeof type === 'object') return `${type.model}(${writeMembers(value).join(', ')})`;
    const members = Object.entries(value).map(([key, member]) => `${writeStringRepr(key)}: ${writePythonRepr(member)}`);
    return `{${members.join(', ')}}`;
  }
  return value instanceof TypedValue ? writeTypedRepr(value) : writePythonText(value);
}

/** Python's `json.dumps(value, default=str)`: types unknown to JSON become strings. */
export function writePythonJson(value: GraphValue, style: { isSorted?: boolean; isAscii?: boolean } = {}): string {
  return jsonText(toPlainValue(value), style);
}

function toPlainValue(value: GraphValue): GraphValue {
  if (value instanceof TypedValue) {
    if (value.kind === 'float') return value;
    return value.member?.isString ? value.text : writePythonText(value);
  }
  if (findPythonType(value) === 'set' || isModel(value)) return writePythonText(value);
  if (Array.isArray(value)) return value.map(toPlainValue);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, toPlainValue(member)]));
}

const isModel = (value: GraphValue) => typeof findPythonType(value) === 'object';
const writeMembers = (value: GraphValue) =>
  Object.entries(isRecord(value) ? value : {}).map(([key, member]) => `${key}=${writePythonRepr(member)}`);

function writeListRepr(value: GraphValue[]): string {
  const items = value.map(writePythonRepr).join(', ');
  const type = findPythonType(value);
  if (type === 'set') return value.length === 0 ? 'set()' : `{${items}}`;
  if (type === 'tuple') return value.length === 1 ? `(${items},)` : `(${items})`;
  return `[${items}]`;
}

function writeTypedText(value: TypedValue): string {
  if (value.kind === 'enum') return value.member?.name ?? value.text;
  if (value.kind === 'bytes') return writeTypedRepr(value);
  return value.kind === 'datetime' ? value.text.replace('T', ' ') : value.text;
}

function writeTypedRepr(value: TypedValue): string {
  const { kind, text } = value;
  if (kind === 'enum') return `<${value.member?.name ?? text}: ${writeStringRepr(text)}>`;
  if (kind === 'decimal') return `Decimal('${text}')`;
  if (kind === 'uuid') return `UUID('${text}')`;
  if (kind === 'path') return `PosixPath(${writeStringRepr(text)})`;
  if (kind === 'bytes') return writeBytesRepr(text);
  return kind === 'float' ? text : writeTimeRepr(kind, text);
}

const minTimeParts: Readonly<Record<string, number>> = { date: 3, time: 2, datetime: 5 };

// Trailing zero seconds and microseconds are omitted.
function writeTimeRepr(kind: string, text: string): string {
  const zone = /([+-])(\d\d):(\d\d)$/.exec(text);
  const numbers = text.replace(/(Z|[+-]\d\d:\d\d)$/, '').match(/\d+/g) ?? [];
  const micros = kind === 'time' ? 3 : 6;
  const parts = numbers.map((digits, index) => Number(index === micros ? digits.padEnd(6, '0') : digits));
  while (parts.length > (minTimeParts[kind] ?? 5) && parts.at(-1) === 0) parts.pop();
  const texts = parts.map(String);
  if (zone) {
    const seconds = (Number(zone[2]) * 3600 + Number(zone[3]) * 60) * (zone[1] === '-' ? -1 : 1);
    texts.push(`tzinfo=TzInfo(${seconds})`);
  }
  return `datetime.${kind}(${texts.join(', ')})`;
}

const named: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function writeStringRepr(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text
    .replace(/[\\\n\r\t]/g, (char) => named[char] ?? char)
    .replace(/(?! )[\p{C}\p{Z}]/gu, (char) => escapePoint(char.codePointAt(0) ?? 0));
  return quote + (quote === "'" ? escaped.replace(/'/g, "\\'") : escaped) + quote;
}

function escapePoint(point: number): string {
  const digits = point.toString(16);
  if (point < 0x100) return `\\x${digits.padStart(2, '0')}`;
  return point < 0x10000 ? `\\u${digits.padStart(4, '0')}` : `\\U${digits.padStart(8, '0')}`;
}

function writeBytesRepr(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = [...Buffer.from(text, 'utf8')].map((byte) => {
    const char = String.fromCharCode(byte);
    if (char === quote || named[char]) return named[char] ?? `\\${char}`;
    return byte < 32 || byte > 126 ? escapePoint(byte) : char;
  });
  return `b${quote}${escaped.join('')}${quote}`;
}
