import type { SourceChunk } from '../ask/source-chunks';
import { canonicalText, schemaHash } from '../core/identity';
import { compareCodePoints } from '../core/json-text';
import type { KnowledgeGraph, NodeKey } from '../core/knowledge-graph';
import { createTextIndex } from '../core/text-index';
import { type Attributes, type GraphValue, isRecord, TypedValue } from '../core/value';
import { hashBlake2b } from '../peer/blake2b';
import { writePythonText } from '../peer/python-text';
import type { GraphTemplate, TemplateClass } from '../template/model';

/** The position of a value in the source: chunk, page and box of its block, and the code point range in the chunk's text. */
export interface Evidence {
  field: string;
  chunk: number;
  page?: number;
  bbox?: number[];
  span: [number, number];
}

export interface LedgerOptions {
  documentId: string;
  source: string;
  template: GraphTemplate;
  /** `detailed` also records the ranges on the nodes. */
  level: 'standard' | 'detailed';
  pageCount?: number;
  /** ISO 8601. Omitted when absent, because the library has no clock. */
  convertedAt?: string;
  /** The path of the first instance of each node in the input, from `onNode` of `buildGraph`. */
  pointers?: ReadonlyMap<NodeKey, string>;
  /** The kind of source. Default `document`. */
  inputType?: string;
  /** Chunks in which a model found a node, by ledger key, for values that do not occur literally in the source. */
  observed?: ReadonlyMap<string, readonly number[]>;
  /** The root covers the whole document, wherever its identity occurs. */
  isRootOfDocument?: boolean;
  /** Omit nodes without evidence, as the peer's ledger does. */
  isBoundOnly?: boolean;
}

/** The id of a document in ledgers: a hash of its bytes. */
export const contentHash = (content: Uint8Array | string): string => hashBlake2b(content, 16);

const limits = { chunks: 8, refs: 8, spans: 4, hits: 6 };

/**
 * Records on every node where it was found (`__provenance__`), and returns the ledger for `provenance.json`: chunks with pages
 * and boxes, and evidence for every value of a node that occurs literally in the source. Call it before equal nodes are merged,
 * so that their provenance is combined.
 */
export function bindProvenance(
  graph: KnowledgeGraph,
  chunks: readonly SourceChunk[],
  options: LedgerOptions,
): Attributes {
  const texts = createSearch(chunks);
  const nodes: Attributes = {};
  let verbatim = 0;
  let observed = 0;
  for (const [key, attributes] of graph.nodes) {
    const templateClass = options.template.classes.get(writePythonText(attributes['__class__'] ?? ''));
    const evidence = templateClass ? findEvidence(templateClass, attributes, texts) : [];
    const path = toCatalogPath(options.pointers?.get(key) ?? '/0');
    const isDocument = options.isRootOfDocument === true && path === '';
    const anchors = templateClass && !isDocument ? listAnchors(templateClass, attributes, evidence) : [];
    const identityKey = findIdentityKey(path, templateClass, attributes);
    const seen = identityKey === undefined ? [] : (options.observed?.get(identityKey) ?? []);
    if (anchors.length > 0) verbatim++;
    else if (seen.length > 0) observed++;
    attributes['__provenance__'] = buildNodeView(anchors, isDocument ? [] : seen, chunks, options);
    const identity = identityKey ?? `${path}#located${Object.keys(nodes).length}`;
    const bound = { path, identity, templateClass, attributes, evidence, anchors, seen, isDocument };
    if (!options.isBoundOnly || anchors.length > 0 || seen.length > 0)
      nodes[identity] = buildLedgerNode(bound, options.documentId);
  }
  return {
    version: 2,
    document: buildDocumentRecord(options),
    resolution: verbatim > 0 ? 'span' : 'chunk',
    node_level: options.isRootOfDocument === true,
    chunks: Object.fromEntries(chunks.map((chunk) => [String(chunk.id), buildLedgerChunk(chunk)])),
    nodes,
    bind_stats: {
      nodes_seen: graph.nodes.size,
      bound_verbatim: verbatim,
      bound_observed: observed,
      bound_document: graph.nodes.size - verbatim - observed,
      unresolved: 0,
    },
  };
}

function buildDocumentRecord(options: LedgerOptions): Attributes {
  const { documentId, source, inputType = 'document', template, pageCount, convertedAt } = options;
  return {
    document_id: documentId,
    source,
    input_type: inputType,
    ...(convertedAt === undefined ? {} : { converted_at: convertedAt }),
    page_count: pageCount ?? null,
    template_name: template.root,
    template_schema_hash: schemaHash(template.schema),
  };
}

interface SearchedChunk {
  chunk: SourceChunk;
  /** In lower case, unless that would change offsets. */
  text: string;
  isExact: boolean;
}

/** Returns the chunks that may contain a text, in order. */
type ChunkSearch = (lower: string) => readonly SearchedChunk[];

/** With so few chunks, an index does not pay off. */
const fewChunks = 20;

function createSearch(chunks: readonly SourceChunk[]): ChunkSearch {
  const all = chunks.map((chunk): SearchedChunk => {
    const lower = chunk.text.toLowerCase();
    const isExact = lower.length !== chunk.text.length;
    return { chunk, text: isExact ? chunk.text : lower, isExact };
  });
  if (all.length <= fewChunks) return () => all;
  const candidates = createTextIndex(all.map(({ text, isExact }) => (isExact ? '' : text)));
  // Chunks searched by exact case are few, so they are always included.
  const exact = [...all.keys()].filter((index) => all[index]?.isExact);
  return (lower) => {
    const matches = candidates(lower);
    const both =
      exact.length === 0 ? matches : [...new Set([...matches, ...exact])].sort((left, right) => left - right);
    return both.flatMap((index) => all[index] ?? []);
  };
}

function findEvidence(templateClass: TemplateClass, attributes: Attributes, texts: ChunkSearch): Evidence[] {
  return templateClass.fields.flatMap(({ name }) =>
    listLiterals(attributes[name] ?? null).flatMap((literal) =>
      locateLiteral(literal, texts).map((hit) => ({ field: name, ...hit })),
    ),
  );
}

/** The first position of a text in each chunk. Empty if the text is too short or occurs nearly everywhere. */
export function findLiteral(text: string, chunks: readonly SourceChunk[]): Omit<Evidence, 'field'>[] {
  const texts = createSearch(chunks);
  return listLiterals(text).flatMap((literal) => locateLiteral(literal, texts));
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

// Markdown escapes some characters as entities.
function locateLiteral(literal: string, texts: ChunkSearch): Omit<Evidence, 'field'>[] {
  const escaped = literal.replace(/[&<>]/g, (sign) => escapes[sign] ?? sign);
  const evidences = listEvidence(literal, texts);
  return evidences.length > 0 || escaped === literal ? evidences : listEvidence(escaped, texts);
}

// A text that occurs nearly everywhere is not evidence.
function listEvidence(literal: string, texts: ChunkSearch): Omit<Evidence, 'field'>[] {
  const lower = literal.toLowerCase();
  const hits: { chunk: SourceChunk; at: number }[] = [];
  for (const { chunk, text, isExact } of texts(lower)) {
    const at = text.indexOf(isExact ? literal : lower);
    if (at >= 0) hits.push({ chunk, at });
    if (hits.length > limits.hits) return [];
  }
  return hits.map(({ chunk, at }) => locateInChunk(chunk, at, literal));
}

// Short texts and few digits match by chance.
function listLiterals(value: GraphValue): string[] {
  if (Array.isArray(value)) return value.flatMap(listLiterals);
  if (isRecord(value)) return Object.values(value).flatMap(listLiterals);
  if (value === null || typeof value === 'boolean') return [];
  const text = (value instanceof TypedValue ? value.text : writePythonText(value)).trim();
  return text.length >= (/^\d+$/.test(text) ? 4 : 3) && text.length <= 300 ? [text] : [];
}

function locateInChunk(chunk: SourceChunk, at: number, literal: string): Omit<Evidence, 'field'> {
  const block = chunk.boxes.find(({ start, end }) => at >= start && at < end);
  return { chunk: chunk.id, page: block?.page, bbox: block?.bbox, span: toSpan(chunk.text, at, literal) };
}

function toSpan(text: string, at: number, literal: string): [number, number] {
  const start = Array.from(text.slice(0, at)).length;
  return [start, start + Array.from(literal).length];
}

// Evidence for the identity first; else for the longest text found; else any.
function listAnchors(templateClass: TemplateClass, attributes: Attributes, evidence: readonly Evidence[]): Evidence[] {
  const byId = evidence.filter(({ field }) => templateClass.idFields.includes(field));
  if (byId.length > 0) return byId;
  const measureText = (field: string) => {
    const value = attributes[field];
    return typeof value === 'string' ? value.length : 0;
  };
  const [longest] = [...evidence].sort((left, right) => measureText(right.field) - measureText(left.field));
  return evidence.filter(({ field }) => field === longest?.field);
}

function buildNodeView(
  anchors: readonly Evidence[],
  seen: readonly number[],
  chunks: readonly SourceChunk[],
  { documentId, level }: LedgerOptions,
): Attributes {
  if (anchors.length === 0 && seen.length === 0) return { document_id: documentId, scope: 'document' };
  const isVerbatim = anchors.length > 0;
  const named = isVerbatim ? anchors.map(({ chunk }) => chunk) : seen;
  const ids = [...new Set(named)].sort((left, right) => left - right);
  const shownIds = ids.slice(0, limits.chunks);
  const matchingChunks = chunks.filter(({ id }) => shownIds.includes(id));
  const exact = anchors.flatMap(({ page }) => page ?? []);
  const pages = [...new Set(exact.length > 0 ? exact : matchingChunks.flatMap((chunk) => chunk.pages))];
  const refs = [...new Set(matchingChunks.flatMap((chunk) => chunk.refs ?? []))].slice(0, limits.refs);
  const view: Attributes = {
    document_id: documentId,
    match: isVerbatim ? 'verbatim' : 'observed',
    chunks: shownIds,
    pages: pages.sort((a, b) => a - b),
  };
  if (refs.length > 0) view['refs'] = refs;
  if (ids.length > shownIds.length) view['chunks_omitted'] = ids.length - shownIds.length;
  if (level === 'detailed' && isVerbatim)
    view['spans'] = anchors.slice(0, limits.spans).map(({ chunk, span: [start, end] }) => ({ chunk, start, end }));
  return view;
}

/** Converts `/0/lines/1/part` to the ledger form `lines[].part`. */
function toCatalogPath(pointer: string): string {
  const parts: string[] = [];
  for (const part of pointer.split('/').slice(2)) {
    if (/^\d+$/.test(part) && parts.length > 0) parts.push(`${parts.pop()}[]`);
    else parts.push(part);
  }
  return parts.join('.');
}

/** The ledger key of a node from its id fields; undefined when they are all empty. */
export function findIdentityKey(
  path: string,
  templateClass: TemplateClass | undefined,
  attributes: Attributes,
): string | undefined {
  const fields = (templateClass?.idFields ?? []).filter((field) => (attributes[field] ?? null) !== null);
  return findLedgerKey(path, Object.fromEntries(fields.map((field) => [field, attributes[field] ?? null])), fields);
}

/** A path and the canonical identity, sorted by field: from the id fields, or from all fields if none of these has a value. */
export function findLedgerKey(path: string, ids: Attributes, idFields: readonly string[]): string | undefined {
  const matchingKeys = Object.keys(ids).filter((field) => (ids[field] ?? null) !== null);
  const ownKeys = matchingKeys.filter((field) => idFields.includes(field));
  const pairs = (ownKeys.length > 0 ? ownKeys : matchingKeys)
    .map((field): [string, string] => [field, canonicalText(field, ids[field] ?? null, 'peer')])
    .sort(([left], [right]) => compareCodePoints(left, right));
  if (pairs.every(([, value]) => value === '')) return undefined;
  return `${path}|${pairs.map(([field, value]) => `${field}=${value}`).join(',')}`;
}

interface Bound {
  path: string;
  identity: string;
  templateClass: TemplateClass | undefined;
  attributes: Attributes;
  evidence: readonly Evidence[];
  anchors: readonly Evidence[];
  seen: readonly number[];
  isDocument: boolean;
}

// `values` is our addition; the peer's ledger has the rest.
function buildLedgerNode(bound: Bound, documentId: string): Attributes {
  const { path, identity, templateClass, attributes, evidence, anchors, seen, isDocument } = bound;
  const ids = (templateClass?.idFields ?? []).filter((field) => (attributes[field] ?? null) !== null);
  return {
    identity_key: identity,
    catalog_path: path,
    node_type: templateClass?.name ?? '',
    ids: Object.fromEntries(ids.map((field) => [field, writePythonText(attributes[field] ?? null)])),
    anchors: [
      ...seen.map((chunk) => ({ document_id: documentId, chunk_id: chunk, kind: 'observed', span: null })),
      ...anchors.map(({ chunk, span }) => ({ document_id: documentId, chunk_id: chunk, kind: 'verbatim', span })),
    ],
    merged_from: [],
    synthetic: false,
    dropped: false,
    fill_batches: [],
    notes: isDocument ? ['scope:document'] : [],
    values: evidence.map(({ field, chunk, page = null, bbox = null, span }) => ({
      field,
      chunk_id: chunk,
      page,
      bbox,
      span,
    })),
  };
}

function buildLedgerChunk(chunk: SourceChunk): Attributes {
  const geometry = chunk.boxes.flatMap(({ page, bbox, ref = '' }) =>
    bbox ? [{ ref, page_no: page, bbox: bbox.map((side) => Math.round(side)) }] : [],
  );
  return {
    chunk_id: chunk.id,
    batch_index: 0,
    page_numbers: chunk.pages,
    doc_item_refs: chunk.refs ?? [],
    item_geometry: geometry,
    headings: chunk.headings,
    token_count: Math.ceil(chunk.text.length / 4),
    text_hash: hashBlake2b(chunk.text, 8),
    char_length: Array.from(chunk.text).length,
    text: chunk.text,
    resplit_of: null,
  };
}
