import { createHash } from 'node:crypto';
import { hashBlake2b } from '../peer/blake2b';
import { writePythonJson, writePythonText } from '../peer/python-text';
import type { TemplateClass } from '../template/model';
import { compareCodePoints, jsonText } from './json-text';
import { type Attributes, type GraphValue, isRecord, findPythonType, TypedValue } from './value';

/** `spec` keeps differences that distinguish values; `peer` normalizes exactly like the Python library. */
export type Profile = 'spec' | 'peer';

const nameFields = new Set(['name', 'title', 'nom']);

/** Normalizes an identity value so that different spellings compare equal; empty when nothing is left. */
export function canonicalText(field: string, value: GraphValue, profile: Profile = 'spec'): string {
  if (value === null) return '';
  const name = nameFields.has(field) ? findString(value) : undefined;
  if (name !== undefined) return canonicalizeName(name);
  const text = writePythonText(value).trim();
  return profile === 'peer' ? foldCase(text.normalize('NFKD')).replace(/[^a-z0-9]/g, '') : canonicalizeOther(text);
}

// A member of a string enumeration is also a string.
function findString(value: GraphValue): string | undefined {
  if (typeof value === 'string') return value;
  return value instanceof TypedValue && value.member?.isString ? value.text : undefined;
}

function canonicalizeName(text: string): string {
  const plain = trim(
    Array.from(text.normalize('NFKD'))
      .filter((char) => !isCombining(char))
      .join(''),
  );
  const name = trim(plain.replace(/^(?:The|the|A|a|An|an) /, ''));
  if (/^(?:The|the|A|a|An|an)$/.test(name)) return '';
  return name
    .split(separators)
    .map((word) => word.replace(/['’]s$/, ''))
    .filter((word) => word !== '')
    .join('_')
    .toUpperCase();
}

/** Python's white space as a regex character class: with the ASCII separators, without the byte order mark. */
export const whiteSpace = '\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';
const separators = new RegExp(`[${whiteSpace}_-]+`, 'u');
const spacePattern = new RegExp(`^[${whiteSpace}]$`, 'u');

/** Not a regular expression, which would read a long run of spaces within the text once per space. */
function trim(text: string): string {
  let [from, to] = [0, text.length];
  while (from < to && spacePattern.test(text.charAt(from))) from += 1;
  while (to > from && spacePattern.test(text.charAt(to - 1))) to -= 1;
  return text.slice(from, to);
}

// Characters with a combining class change places with characters of another class during normalization.
function isCombining(char: string): boolean {
  if (char < '\u0300') return false;
  return `${char}\u0334`.normalize('NFD') !== `${char}\u0334` || `\u0345${char}`.normalize('NFD') !== `\u0345${char}`;
}

// Keeps letters and digits of every script, a sign before a number, and decimal points; removes accents from Latin letters.
function canonicalizeOther(text: string): string {
  return foldCase(text.normalize('NFKD'))
    .replace(/(?<=[a-z])[\u0300-\u036f]+/g, '')
    .normalize('NFC')
    .replace(/[\u2212\ufe63\uff0d]/g, '-')
    .replace(/((?<![\p{L}\p{N}\p{M}])-(?=\p{N})|(?<=\p{N})\.(?=\p{N}))|[^\p{L}\p{N}\p{M}]/gu, '$1');
}

/** Case folding, as in Python. */
export const foldCase = (text: string) => text.toLowerCase().replace(/ß/g, 'ss').replace(/ς/g, 'σ');

/** The canonical form of an identity value: a string, or for lists the sorted distinct strings. */
export function canonicalizeValue(field: string, value: GraphValue, profile: Profile = 'spec'): GraphValue {
  if (!Array.isArray(value) || findPythonType(value) !== undefined) return canonicalText(field, value, profile);
  return [...new Set(value.map((member) => canonicalText(field, member, profile)))].sort(compareCodePoints);
}

/** The text that is hashed for a node id: id fields in canonical form, else all non-empty scalars. */
export function createIdentityText(
  templateClass: TemplateClass,
  values: Attributes,
  profile: Profile = 'spec',
): string {
  const content: Attributes = { __class__: templateClass.name };
  if (templateClass.idFields.length > 0) {
    for (const field of templateClass.idFields)
      content[field] = canonicalizeValue(field, values[field] ?? null, profile);
  } else {
    for (const { name, model } of templateClass.fields) {
      const value = values[name] ?? null;
      const isOpen = Array.isArray(value) ? findPythonType(value) === undefined : isRecord(value);
      if (!model && !isOpen && isTruthy(value)) content[name] = value;
    }
  }
  return writePythonJson(content, { isSorted: true, isAscii: true });
}

/** `<Class>_<16 hex digits>`: equal for equal identities on every machine and in the Python library. */
export function nodeId(templateClass: TemplateClass, values: Attributes, profile: Profile = 'spec'): string {
  const text = createIdentityText(templateClass, values, profile);
  return `${templateClass.name}_${createHash('blake2b512').update(text).digest('hex').slice(0, 16)}`;
}

/** A hash that shows whether two graphs were built with the same template. */
export function schemaHash(schema: Attributes): string {
  return hashBlake2b(jsonText(schema, { isSorted: true, isAscii: true }), 16);
}

/** As in Python, where NaN is true and empty lists are false. */
function isTruthy(value: GraphValue): boolean {
  if (value instanceof TypedValue)
    return value.kind === 'float' || value.kind === 'decimal' ? Number(value.text) !== 0 : true;
  if (Array.isArray(value)) return value.length > 0;
  return typeof value === 'number' && Number.isNaN(value) ? true : Boolean(value);
}
