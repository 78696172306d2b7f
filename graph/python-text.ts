import { floatText, type GraphValue, isRecord, TypedValue } from './value';

/** Python's `str()` of a value: ids and the peer's files are made of it. */
export function pythonText(value: GraphValue): string {
  if (value === null) return 'None';
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'number') return Number.isInteger(value) ? String(value) : floatText(value);
  if (value instanceof TypedValue) return typedText(value);
  return pythonRepr(value);
}

/** Python's `repr()` of a value: strings in quotes, lists and dicts spelled out. */
export function pythonRepr(value: GraphValue): string {
  if (typeof value === 'string') return stringRepr(value);
  if (Array.isArray(value)) return `[${value.map(pythonRepr).join(', ')}]`;
  if (isRecord(value)) {
    const members = Object.entries(value).map(([key, member]) => `${stringRepr(key)}: ${pythonRepr(member)}`);
    return `{${members.join(', ')}}`;
  }
  return value instanceof TypedValue ? typedRepr(value) : pythonText(value);
}

function typedText(value: TypedValue): string {
  if (value.kind === 'enum') return value.member?.name ?? value.text;
  return value.kind === 'datetime' ? value.text.replace('T', ' ') : value.text;
}

function typedRepr(value: TypedValue): string {
  const { kind, text } = value;
  if (kind === 'enum') return `<${value.member?.name ?? text}: ${stringRepr(text)}>`;
  if (kind === 'decimal') return `Decimal('${text}')`;
  if (kind === 'uuid') return `UUID('${text}')`;
  if (kind === 'float') return text;
  const numbers = text.replace(/(Z|[+-]\d\d:\d\d)$/, '').match(/\d+/g) ?? [];
  const parts = numbers.map((digits, index) =>
    index === (kind === 'time' ? 3 : 6) ? Number(digits.padEnd(6, '0')) : Number(digits),
  );
  return `datetime.${kind}(${parts.join(', ')})`;
}

function stringRepr(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text
    .replace(/\\/g, '\\\\')
    .replace(/\n/g, '\\n')
    .replace(/\r/g, '\\r')
    .replace(/\t/g, '\\t')
    .replace(/[\p{Cc}\u00ad]/gu, (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`)
    .replace(/[\p{Cf}\p{Zl}\p{Zp}\ufeff]/gu, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return quote + (quote === "'" ? escaped.replace(/'/g, "\\'") : escaped) + quote;
}
