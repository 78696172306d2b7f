import type { EntityField } from '../../model/entity/entity-fields';
import { collectColumnLabels, listLabels, splitLabel } from '../../model/entity/entity-labels';
import { findDate } from './dates';
import { type Cell, buildLayout, type Segment, type TextTable } from './entity-layout';
import { findNumber } from './numbers';
import type { Evidence } from './quotes';
import { weightToKilograms } from './weights';

/** The entities of a document: values by field name, null if not found. */
export interface Extracted {
  entities: Record<string, unknown>;
  evidence: Evidence[];
}

/** Longer values are prose that happens to follow a label. */
const longestValue = 200;
/** A longer text after the label of a yes-or-no field says more than yes or no. */
const longestBoolean = 20;
/** Currency and other signs before a number. */
const longestSigns = 20;

/**
 * Extracts entities with rules: a value after the label of a field (`Invoice no.: 17`, or a row or column of a table) that
 * matches the field's type. Values are quoted from the text, each with its evidence. Deterministic.
 */
export function extractByRules(text: string, fields: readonly EntityField[]): Extracted {
  const { segments, tables } = buildLayout(text, new Set(fields.flatMap(listAllLabels)));
  const index = indexSegments(segments);
  const evidence: Evidence[] = [];
  const quoteValue = (field: EntityField, path: string, parent?: EntityField): string | null => {
    const value = findBehindLabel(field, listLabels(field, parent), index);
    if (!value) return null;
    evidence.push({ field: path, quote: text.slice(value.start, value.end), start: value.start, end: value.end });
    return value.value;
  };
  const entities = Object.fromEntries(
    fields.map((field) => {
      const { name, fields: parts, isList } = field;
      if (!parts) return [name, isList ? splitList(quoteValue(field, name)) : quoteValue(field, name)];
      if (isList) return [name, listRows(field, tables, evidence)];
      const partValues = parts.map((part) => [part.name, quoteValue(part, `${name}/${part.name}`, field)] as const);
      return [name, partValues.some(([, value]) => value !== null) ? Object.fromEntries(partValues) : null];
    }),
  );
  return { entities, evidence };
}

function listAllLabels(field: EntityField): string[] {
  return [...listLabels(field), ...(field.fields ?? []).flatMap((part) => listLabels(part, field))];
}

function splitList(value: string | null): string[] {
  return (value ?? '')
    .split(/[,;]/)
    .map((part) => part.trim())
    .filter(Boolean);
}

interface SegmentIndex {
  /** Segments with a separator, by key. */
  keyed: Map<string, Segment[]>;
  /** All other segments, by first word. */
  loose: Map<string, Segment[]>;
}

function indexSegments(segments: readonly Segment[]): SegmentIndex {
  const index: SegmentIndex = { keyed: new Map(), loose: new Map() };
  for (const segment of segments) {
    const map = segment.key === undefined ? index.loose : index.keyed;
    const key = segment.key ?? segment.words[0]?.word ?? '';
    const earlier = map.get(key);
    if (earlier) earlier.push(segment);
    else map.set(key, [segment]);
  }
  return index;
}

interface Found {
  value: string;
  start: number;
  end: number;
}

/** The value after the most specific label. For amounts the last one, since totals come after their items. */
function findBehindLabel(
  field: EntityField,
  labels: readonly string[],
  { keyed, loose }: SegmentIndex,
): Found | undefined {
  for (const label of labels) {
    const strict = (keyed.get(label) ?? []).flatMap((segment) => acceptValue(field, segment.text, segment.valueStart));
    const count = label.split(' ').length;
    const others = (loose.get(label.split(' ')[0] ?? '') ?? []).flatMap(({ words, text, start }) => {
      const next = words[count];
      const beginning = words.slice(0, count).map(({ word }) => word);
      if (!next || beginning.join(' ') !== label) return [];
      // Without a separator, words count as a label only if the value contains a digit.
      if (!/\d/.test(text.slice(next.index))) return [];
      const valueStart = findSignStart(text, next.index);
      return acceptValue(field, text.slice(valueStart), start + valueStart);
    });
    const candidates = strict.length > 0 ? strict : others;
    const best = field.type === 'money' ? candidates.at(-1) : candidates[0];
    if (best) return best;
  }
  return undefined;
}

/** The start of the currency and other signs before a number, which belong to it. */
function findSignStart(text: string, index: number): number {
  const signs = /[\p{Sc}(+\-−]*$/u.exec(text.slice(Math.max(0, index - longestSigns), index));
  return index - (signs?.[0].length ?? 0);
}

/** The value, if it matches the field's type. */
function acceptValue(field: EntityField, raw: string, offset: number): Found[] {
  const lead = raw.length - raw.trimStart().length;
  const value = raw.trim().replace(/(?<![\s,;])[\s,;]+$/, '');
  if (value === '' || value.length > longestValue) return [];
  const start = offset + lead;
  const location = { value, start, end: start + value.length };
  if (field.options) {
    const option = field.options.find(
      (candidate) => candidate.toLowerCase() === value.toLowerCase() || findWord(value, candidate),
    );
    return option === undefined ? [] : [{ ...location, value: option }];
  }
  return matchesType(field, value) ? [location] : [];
}

function findWord(value: string, option: string): boolean {
  return splitLabel(value).join(' ').split(' ').includes(option.toLowerCase());
}

function matchesType({ name, type }: EntityField, value: string): boolean {
  switch (type) {
    case 'date':
      return findDate(value) !== undefined;
    case 'money':
      // A tax rate is not a tax amount.
      return findNumber(value, { threeAreGrouped: true }) !== undefined && !/^[\d.,\s]+%$/.test(value);
    case 'number':
    case 'integer':
      return findNumber(value) !== undefined;
    case 'weight':
      return weightToKilograms(value) !== undefined;
    case 'boolean':
      return value.length <= longestBoolean;
    case 'string':
      if (/email/.test(name)) return /\S+@\S+\.\S+/.test(value);
      return /(?:^|_)(?:number|no|id|code|digits|phone)$/.test(name) ? /\d/.test(value) : /[\p{L}\p{N}]/u.test(value);
  }
}

/** The rows of the table whose columns match the most nested fields, at least two. Totals at the bottom are left out. */
function listRows(
  field: EntityField,
  tables: readonly TextTable[],
  evidence: Evidence[],
): Record<string, string | null>[] {
  const parts = field.fields ?? [];
  const [best] = tables
    .map((table) => ({ table, columns: buildColumns(parts, table) }))
    .filter(({ columns }) => columns.size >= Math.min(2, parts.length))
    .toSorted((item, other) => other.columns.size - item.columns.size);
  if (!best) return [];
  const first = Math.min(...best.columns.values());
  const rows = best.table.rows.filter((row) => !isTotal(row, first));
  return rows.map((row, index) => {
    const cells = parts.map((part) => [part.name, row[best.columns.get(part.name) ?? -1]] as const);
    for (const [name, cell] of cells) {
      if (cell && cell.text !== '')
        evidence.push({
          field: `${field.name}/${index}/${name}`,
          quote: cell.text,
          start: cell.start,
          end: cell.start + cell.text.length,
        });
    }
    return Object.fromEntries(cells.map(([name, cell]) => [name, cell?.text ? cell.text : null]));
  });
}

/** The index of the column of each field, by field name. */
function buildColumns(parts: readonly EntityField[], { header }: TextTable): Map<string, number> {
  const columns = new Map<string, number>();
  const headerLabels = header.map((cell) => splitLabel(cell.text).join(' '));
  // Exact field names first, then synonyms: `price` may be a synonym for another column.
  for (const isExact of [true, false]) {
    for (const part of parts) {
      if (columns.has(part.name)) continue;
      const columnLabels = collectColumnLabels(part);
      const partLabel = part.name.replaceAll('_', ' ');
      const taken = new Set(columns.values());
      const column = headerLabels.findIndex(
        (label, index) => !taken.has(index) && (isExact ? label === partLabel : columnLabels.has(label)),
      );
      if (column >= 0) columns.set(part.name, column);
    }
  }
  return columns;
}

/** True for a row of totals: its first matched column is empty, or it begins with a word such as `Total`. */
function isTotal(row: readonly Cell[], first: number): boolean {
  const label = splitLabel(row.find(({ text }) => text !== '')?.text ?? '')[0] ?? '';
  return (
    (row[first]?.text ?? '') === '' ||
    /^(?:sub|sub.?total|total|totals|grand|tax|vat|sum|summe|zwischensumme|gesamt\w*|mwst|tva|iva)$/.test(label)
  );
}
