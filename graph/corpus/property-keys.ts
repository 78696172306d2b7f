import { jsonText } from '../core/json-text';
import { type Attributes, type GraphValue, TypedValue } from '../core/value';
import { listWords } from '../resolve/name-words';

/** The key by which a property value is found: 12.50 and 12.5 are one value. */
function buildPropertyKey(property: string, value: GraphValue): string {
  const text = (typeof value === 'string' ? value : jsonText(value)).trim().toLowerCase().slice(0, 200);
  return `${property}=${text.replace(/^(-?\d+)\.(\d*?)0*$/, (_all, whole, rest) => (rest ? `${whole}.${rest}` : whole))}`;
}

const maxKeys = 64;

/** The keys of a node's properties, including single items of lists. */
export function listPropertyKeys(attributes: Attributes): string[] {
  const keys = Object.entries(attributes).flatMap(([property, value]) =>
    (Array.isArray(value) ? value : [value])
      .filter((one) => isScalar(one))
      .flatMap((one) => [`${property}=`, buildPropertyKey(property, one)]),
  );
  return [...new Set(keys)].slice(0, maxKeys);
}

/** The text that is searched for words of a node: its scalar values in lower case. */
export function searchText(attributes: Attributes): string {
  return Object.values(attributes)
    .flatMap((value) => (Array.isArray(value) ? value : [value]))
    .filter((value) => isScalar(value))
    .map((value) => (typeof value === 'string' ? value : jsonText(value)))
    .join('\n')
    .toLowerCase()
    .slice(0, 4_000);
}

const maxWords = 60;

/** The words of a node's scalar values, as questions name them: in lower case, without accents. */
export function searchWords(attributes: Attributes): string[] {
  const own = Object.fromEntries(Object.entries(attributes).filter(([name]) => !name.startsWith('__')));
  return [...new Set(listWords(searchText(own)))].filter((word) => word.length <= 60).slice(0, maxWords);
}

/** The key that a query for a property looks for; undefined without a property. */
export function findWantedKey({ property, value }: { property?: string; value?: string }): string | undefined {
  if (property === undefined) return undefined;
  return value === undefined ? `${property}=` : buildPropertyKey(property, value);
}

function isScalar(value: GraphValue): boolean {
  return value !== null && (typeof value !== 'object' || value instanceof TypedValue);
}
