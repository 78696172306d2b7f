import { jsonText, parseJsonText } from '../core/json-text';
import { type Attributes, type GraphValue, isRecord, TypedValue } from '../core/value';
import { listWords } from '../resolve/name-words';
import { listCodes } from './codes';

const maxKeyLength = 200;

/** The key by which a property value is found: 12.50 and 12.5 are one value. */
function buildPropertyKey(property: string, value: GraphValue): string {
  const text = (typeof value === 'string' ? value : jsonText(value)).trim().toLowerCase().slice(0, maxKeyLength);
  return `${property}=${text.replace(/^(-?\d+)\.(\d*?)0*$/, (_all, whole, fraction) => (fraction ? `${whole}.${fraction}` : whole))}`;
}

const maxKeys = 64;
const maxTextLength = 4_000;

/** The keys of a node's properties, including single items of lists. */
export function listPropertyKeys(attributes: Attributes): string[] {
  const keys = Object.entries(attributes).flatMap(([property, value]) =>
    (Array.isArray(value) ? value : [value])
      .filter((item) => isScalar(item))
      .flatMap((item) => [`${property}=`, buildPropertyKey(property, item)]),
  );
  return [...new Set(keys)].slice(0, maxKeys);
}

/** The text that is searched for words of a node: its scalar values in lower case. */
export function searchText(attributes: Attributes): string {
  return joinValues(attributes).toLowerCase().slice(0, maxTextLength);
}

function joinValues(attributes: Attributes): string {
  return Object.values(attributes)
    .flatMap((value) => (Array.isArray(value) ? value : [value]))
    .filter((value) => isScalar(value))
    .map((value) => (typeof value === 'string' ? value : jsonText(value)))
    .join('\n')
    .slice(0, maxTextLength);
}

const maxWords = 60;
const maxWordLength = 60;

/** What a node's scalar values contain, as questions name it: compound identifiers, then words in lower case without accents. */
export function listSearchWords(attributes: Attributes): string[] {
  const own = Object.fromEntries(Object.entries(attributes).filter(([name]) => !name.startsWith('__')));
  const text = joinValues(own);
  const words = [...new Set([...listCodes(text), ...listWords(text)])];
  return words.filter((word) => word.length <= maxWordLength).slice(0, maxWords);
}

/** The texts among the values of a node, from its JSON; long ones are not names. */
export function listTextValues(attributes: string): string[] {
  const value = parseJsonText(attributes);
  const values = isRecord(value) ? Object.entries(value).filter(([name]) => !name.startsWith('__')) : [];
  return values
    .flatMap(([, item]) => item)
    .filter((item): item is string => typeof item === 'string' && item.length <= maxKeyLength);
}

/** The key that a query for a property looks for; undefined without a property. */
export function findWantedKey({ property, value }: { property?: string; value?: string }): string | undefined {
  if (property === undefined) return undefined;
  return value === undefined ? `${property}=` : buildPropertyKey(property, value);
}

function isScalar(value: GraphValue): boolean {
  return value !== null && (typeof value !== 'object' || value instanceof TypedValue);
}
