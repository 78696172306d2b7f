import { buildAnalysis, buildLanguageTemplates, similarities } from './languages';
import type { IndexSpec } from './ports';
import { type ServerFacts, unknownServer } from './storage/server-facts';
import { boundSegments, buildVectorField } from './storage/vector-field';

/** Versions of the mappings: without languages, with languages, with the parts of German compounds. */
const [plainVersion, languagesVersion, partsVersion] = [1, 2, 3];

/** Longest text that is kept for exact matches and sorting; the engine's limit is 32,766 bytes of up to 4 per character. */
const exactLength = 8_191;
const keyword = { type: 'keyword', ignore_above: exactLength };
const text = { type: 'text', fields: { keyword } };
/** A word among numbers is kept, but does not count as a number. Never for the whole index: vectors must be refused. */
const number = { type: 'double', ignore_malformed: true, fields: { keyword } };

/** Invalid dates are stored but not indexed as dates. */
const date = { type: 'date', ignore_malformed: true, fields: { keyword } };

/** A field as the engine maps it. */
export interface Mapped {
  type?: string;
  index?: boolean;
  properties?: Record<string, Mapped>;
}

/**
 * Metadata fields with fixed types. All others are typed by the dynamic templates. Values that are useless in full-text search
 * (hashes, media types, counts) are not copied into `metadata_text`.
 */
const knownMetadata = {
  document_id: { type: 'keyword', fields: { keyword } },
  mimetype: { type: 'text', fields: { keyword } },
  bbox: { type: 'object', enabled: false },
  chunk_index: number,
  start_index: number,
  page_numbers: number,
};

/**
 * The mappings of every index that we make. The top is strict; below `metadata` every value has a sub-field `keyword` with
 * its text, so that exact filters need not know whether a field holds texts, numbers or booleans, and a field that holds
 * numbers in one document and words in another refuses neither.
 */
export function buildMappings(
  spec: IndexSpec,
  { isAnalysed, server = unknownServer }: { isAnalysed: boolean; server?: ServerFacts },
): Record<string, unknown> {
  const words = isAnalysed ? { type: 'text', analyzer: 'exact', search_analyzer: 'exact_query' } : { type: 'text' };
  return {
    dynamic: 'strict',
    date_detection: false,
    numeric_detection: false,
    ...excludeFromSource(spec, isAnalysed, server),
    _meta: {
      made_by: 'docloom',
      version: isAnalysed ? partsVersion : plainVersion,
      ...(spec.synonyms ? { synonyms: spec.synonyms } : {}),
      ...(spec.vectorDimension === undefined || !spec.embedding ? {} : { embedding: spec.embedding }),
    },
    dynamic_templates: [
      ...(isAnalysed ? buildLanguageTemplates() : []),
      {
        text_values: {
          path_match: 'metadata.*',
          match_mapping_type: 'string',
          mapping: { ...text, copy_to: 'metadata_text' },
        },
      },
      { boolean_values: { path_match: 'metadata.*', match_mapping_type: 'boolean', mapping: text } },
      ...['long', 'double'].map((type) => ({
        [`${type}_values`]: {
          path_match: 'metadata.*',
          match_mapping_type: type,
          mapping: { ...number, copy_to: 'metadata_text' },
        },
      })),
    ],
    properties: {
      id: { type: 'keyword' },
      document_id: { type: 'keyword' },
      job_id: { type: 'keyword' },
      run_id: { type: 'keyword' },
      allowed_users: { type: 'keyword' },
      ...laterFields,
      content: words,
      title: { ...words, fields: { keyword } },
      ...(isAnalysed
        ? {
            language: { type: 'keyword' },
            words: { type: 'object', dynamic: true },
            titles: { type: 'object', dynamic: true },
          }
        : {}),
      metadata: { type: 'object', dynamic: true, properties: knownMetadata },
      metadata_text: words,
      created_at: { type: 'date' },
      updated_at: { type: 'date' },
      ...(spec.vectorDimension === undefined
        ? {}
        : { embedding: buildVectorField(spec, spec.vectorDimension, server) }),
    },
  };
}

/**
 * The source without fields that the engine stores in a form of its own. For copies of an index that have to catch up, it also keeps
 * the whole record, vector as text included, until a later merge.
 */
function excludeFromSource(
  { vectorDimension }: IndexSpec,
  isAnalysed: boolean,
  { isSingleNode }: ServerFacts,
): { _source?: Record<string, unknown> } {
  const excludes = [
    ...(vectorDimension === undefined ? [] : ['embedding']),
    ...(isAnalysed ? ['words', 'titles'] : []),
  ];
  if (excludes.length === 0) return {};
  return { _source: { excludes, ...(isSingleNode ? { recovery_source_enabled: false } : {}) } };
}

/**
 * The mapping of declared fields below `metadata` that are not in `mapped` yet, in the form of the engine; undefined if there
 * are none.
 */
export function findDeclaredFields(
  fields: IndexSpec['fields'] = {},
  mapped: Readonly<Record<string, Mapped>> = {},
): Record<string, Mapped> | undefined {
  const added: Record<string, Mapped> = {};
  for (const [path, type] of Object.entries(fields)) {
    // Texts and truth values get the right mapping from the first document.
    if (type !== 'number' && type !== 'date') continue;
    const parts = path.split('.');
    if (isMapped(mapped, parts)) continue;
    let place = added;
    for (const part of parts.slice(0, -1)) {
      const object: Mapped = place[part] ?? { properties: {} };
      place[part] = object;
      place = object.properties ?? (object.properties = {});
    }
    place[parts.at(-1) ?? ''] = type === 'number' ? number : date;
  }
  return Object.keys(added).length === 0 ? undefined : added;
}

/** True if the field exists, or if a field above it has a value, so that it cannot be an object. */
function isMapped(mapped: Readonly<Record<string, Mapped>>, [name = '', ...below]: readonly string[]): boolean {
  const field = mapped[name];
  if (!field) return false;
  return below.length === 0 || field.properties === undefined || isMapped(field.properties, below);
}

/** The settings of every index that we make: one shard, a replica as soon as there is a second node. */
export function buildSettings(
  spec: IndexSpec,
  { isAnalysed, server = unknownServer }: { isAnalysed: boolean; server?: ServerFacts },
): Record<string, unknown> {
  return {
    number_of_shards: 1,
    auto_expand_replicas: '0-1',
    'mapping.total_fields.limit': 5_000,
    ...(isAnalysed ? { analysis: buildAnalysis(), similarity: similarities } : {}),
    // A new index would be refreshed every second, each time with a separate vector graph; runs refresh at their end.
    refresh_interval: '5s',
    ...(spec.vectorDimension === undefined ? {} : { knn: true, ...(server.isSingleNode ? boundSegments(spec) : {}) }),
  };
}

/** Fields that indexes of earlier versions lack, as the engine maps them: access lists, and the order of contents. */
export const laterFields: Readonly<Record<string, Mapped>> = {
  allowed_principals: { type: 'keyword' },
  denied_principals: { type: 'keyword' },
  required_lists: { type: 'nested', properties: { principals: { type: 'keyword' } } },
  content_start: { type: 'keyword', index: false },
};

/** Number of characters of a content by which records are sorted. */
export const sortedLength = 256;

/** What an index knows of the languages of its records. */
export interface Analysis {
  /** True if the analyzers know the parts of German compounds. Texts with marks would not be found otherwise. */
  hasParts: boolean;
}

/** Undefined for an index without fields for languages. */
export function findAnalysis({
  properties,
  _meta: meta,
}: {
  properties?: Readonly<Record<string, unknown>>;
  _meta?: { version?: number };
}): Analysis | undefined {
  if (properties?.['language'] === undefined || properties['words'] === undefined) return undefined;
  return { hasParts: (meta?.version ?? languagesVersion) >= partsVersion };
}

/** Fields of a record that access, paging and removal rely on, with their types. */
const needed: Record<string, string> = {
  id: 'keyword',
  document_id: 'keyword',
  job_id: 'keyword',
  run_id: 'keyword',
  allowed_users: 'keyword',
  content: 'text',
  metadata_text: 'text',
};

/** The fields that an index created elsewhere lacks, each with its expected type. */
export function listMissingFields(properties: Record<string, { type?: string }>): string[] {
  return Object.entries(needed)
    .filter(([name, type]) => properties[name]?.type !== type)
    .map(([name, type]) => `${name} (${type})`);
}
