import { accessColumns, isAccessField } from '../../model/access-list';
import { type ColumnFacts, commonColumns } from '../../model/flow/columns';
import { anyColumn } from '../../model/flow/flow-columns';
import type { OperatorProblem } from '../../model/flow/operator';
import type { Row } from '../../model/flow/row';
import { suggestName } from '../../model/nearest-name';
import type { FieldType } from '../../services/search/ports';

/** The settings of vectordb that select the columns to write. */
export interface FeatureSettings {
  available_features?: Record<string, { type?: string; available_for_vector_db?: boolean | null }>;
  feature_mappings?: Record<string, string>;
}

/** A column written under `metadata`, or as the title. */
export interface Feature {
  column: string;
  /** `title`, or a path under `metadata`. */
  field: string;
  type: FieldType;
}

/** Columns with their own fields in every record, regardless of the flow. */
const ownColumns = new Set([
  'id',
  'content',
  ...accessColumns,
  'metadata',
  'embeddings',
  'document_id',
  'chunk_index',
  'start_index',
  'headings',
  'page_numbers',
  'bbox',
  'name',
  'path',
  'source',
  'mimetype',
  'modified_time',
]);
/** Fields needed for access control, paging and deletion. Columns cannot replace them. */
const ownFields = new Set([
  'id',
  'document_id',
  'job_id',
  'run_id',
  'content',
  ...accessColumns,
  'metadata',
  'embedding',
]);
const longestField = 200;

/**
 * The additional columns to write: those declared by earlier operators and those named in the flow. `available_features` adds or
 * removes columns, `feature_mappings` renames them.
 */
export function listFeatures(
  { available_features: available = {}, feature_mappings: mappings = {} }: FeatureSettings,
  declared: ReadonlyMap<string, ColumnFacts>,
): Feature[] {
  const types = new Map<string, FieldType>();
  for (const [column, { type, indexed }] of declared)
    if (indexed && type !== 'vector') types.set(column, getFieldType(type));
  for (const [column, { type, available_for_vector_db: isAvailable }] of Object.entries(available)) {
    if (isAvailable === false) types.delete(column);
    if (isAvailable) types.set(column, getFieldType(type ?? declared.get(column)?.type));
  }
  for (const column of Object.keys(mappings))
    if (!types.has(column))
      types.set(column, getFieldType(available[column]?.type ?? (declared.get(column) ?? commonColumns[column])?.type));
  return [...types].flatMap(([column, type]) => {
    const mapping = mappings[column];
    if (isIdentity(column, mapping ?? column) || findFieldProblem(mapping ?? column) !== undefined) return [];
    return [{ column, field: (mapping ?? column).replace(/^metadata\./, ''), type }];
  });
}

/** Validation problems in the feature settings. */
export function findFeatureProblems(input: Record<string, unknown>, columns: ReadonlySet<string>): OperatorProblem[] {
  const { available_features: available = {}, feature_mappings: mappings = {} } = input as FeatureSettings;
  const listEntries = (value: unknown) => (typeof value === 'object' && value !== null ? Object.entries(value) : []);
  const problems: OperatorProblem[] = [];
  for (const [column, field] of listEntries(mappings)) {
    const problem = typeof field === 'string' && !isIdentity(column, field) ? findFieldProblem(field) : undefined;
    const pointer = `/feature_mappings/${column}`;
    if (problem)
      problems.push({ severity: 'warning', messageCode: 'FEATURE_MAPPING_IGNORED', message: problem, pointer });
  }
  const featureNames = [
    ...Object.keys(mappings),
    ...listEntries(available).flatMap(([column, facts]) =>
      (facts as { available_for_vector_db?: unknown } | null)?.available_for_vector_db === true ? [column] : [],
    ),
  ];
  if (columns.size === 0 || columns.has(anyColumn)) return problems;
  for (const column of new Set(featureNames)) {
    if (columns.has(column) || Object.hasOwn(commonColumns, column)) continue;
    problems.push({
      severity: 'warning',
      messageCode: 'MISSING_FEATURES',
      message: `The column '${column}' is to be indexed, but no earlier operator provides it${suggestName(column, [...columns])}`,
      pointer: Object.hasOwn(mappings, column) ? `/feature_mappings/${column}` : `/available_features/${column}`,
    });
  }
  return problems;
}

/**
 * The values of a row for its features. Lists of objects and nested objects are left out, because an index cannot mix them with
 * other values.
 */
export function readFeatures(row: Row, features: readonly Feature[]): Record<string, unknown> {
  const indexedFeatures: Record<string, unknown> = {};
  for (const { column, field, type } of features) {
    const value = toPlainValue(row[column], type);
    if (value !== undefined) indexedFeatures[field] = value;
  }
  return indexedFeatures;
}

function isIdentity(column: string, field: string): boolean {
  return column === field && (ownFields.has(field) || ownColumns.has(column));
}

function findFieldProblem(field: string): string | undefined {
  const bare = field.replace(/^metadata\./, '');
  if (isAccessField(bare) || (field === bare && ownFields.has(field)))
    return `The field '${field}' is written by vectordb itself; the mapping is ignored.`;
  if (bare.length > longestField || bare.split('.').some((part) => part.trim() === ''))
    return `'${field}' is not a name of a field: expected 1 to ${longestField} characters, without empty parts between dots; the mapping is ignored.`;
  return undefined;
}

function getFieldType(type: string | undefined): FieldType {
  if (type === 'date' || type === 'timestamp') return 'date';
  if (type === 'boolean' || type === 'bool') return 'boolean';
  return type !== undefined && /^(u?int\d*|double|s?float)$/.test(type) ? 'number' : 'text';
}

function toPlainValue(value: unknown, type: FieldType): unknown {
  if (value === null || value === undefined || value === '') return undefined;
  if (Array.isArray(value)) {
    const plainValues = value
      .filter((member) => typeof member !== 'object')
      .flatMap((member) => toPlainValue(member, type) ?? []);
    return plainValues.length === 0 ? undefined : plainValues;
  }
  if (typeof value === 'object') return toPlainMembers(value as Record<string, unknown>, type);
  const isNumber = type === 'number' && typeof value === 'string' && Number.isFinite(Number(value));
  return isNumber ? Number(value) : value;
}

function toPlainMembers(value: Record<string, unknown>, type: FieldType): Record<string, unknown> | undefined {
  const entries = Object.entries(value)
    .filter(([, member]) => typeof member !== 'object' || Array.isArray(member))
    .map(([name, member]) => [name, toPlainValue(member, type)] as const)
    .filter(([, member]) => member !== undefined);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
