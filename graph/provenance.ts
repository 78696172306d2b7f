import { blake2b } from './blake2b';
import type { KnowledgeGraph, NodeKey } from './knowledge-graph';
import { pythonText } from './python-text';
import type { SourceChunk } from './source-chunks';
import type { GraphTemplate, TemplateClass } from './template';
import { type Attributes, type GraphValue, isRecord, TypedValue } from './value';

/** Where a value stands in the source: chunk, page and box of its block, and the range of code points in the chunk's text. */
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
  /** `detailed` also notes the ranges on the nodes. */
  level: 'standard' | 'detailed';
}

const maxChunks = 8;

/**
 * Notes on every node where it was found (`__provenance__`), and gives the ledger that `provenance.json` holds: chunks with
 * pages and boxes, and for every value of a node that stands in the source literally its evidence.
 */
export function bindProvenance(
  graph: KnowledgeGraph,
  chunks: readonly SourceChunk[],
  options: LedgerOptions,
): Attributes {
  const texts = chunks.map((chunk) => ({ chunk, text: chunk.text.toLowerCase() }));
  const nodes: Attributes = {};
  let verbatim = 0;
  for (const [key, attributes] of graph.nodes) {
    const one = options.template.classes.get(pythonText(attributes['__class__'] ?? ''));
    const evidence = one ? evidenceOf(one, attributes, texts) : [];
    const anchors = one ? anchorsOf(one, evidence) : [];
    if (anchors.length > 0) verbatim++;
    attributes['__provenance__'] = nodeView(anchors, options);
    nodes[String(key)] = ledgerNode(key, one, { attributes, evidence, anchors }, options.documentId);
  }
  return {
    version: 2,
    document: { document_id: options.documentId, source: options.source, template_name: options.template.root },
    resolution: 'span',
    node_level: false,
    chunks: Object.fromEntries(chunks.map((chunk) => [String(chunk.id), ledgerChunk(chunk)])),
    nodes,
    bind_stats: {
      nodes_seen: graph.nodes.size,
      bound_verbatim: verbatim,
      bound_document: graph.nodes.size - verbatim,
    },
  };
}

interface LoweredChunk {
  chunk: SourceChunk;
  text: string;
}

function evidenceOf(one: TemplateClass, attributes: Attributes, texts: readonly LoweredChunk[]): Evidence[] {
  return one.fields.flatMap(({ name }) =>
    literals(attributes[name] ?? null).flatMap((literal) => {
      const hits = texts.flatMap(({ chunk, text }) => {
        const at = text.indexOf(literal.toLowerCase());
        return at < 0 ? [] : [{ field: name, ...place(chunk, at, literal) }];
      });
      // What stands nearly everywhere is evidence of nothing.
      return hits.length > 6 ? [] : hits;
    }),
  );
}

// Short texts and few digits are found anywhere.
function literals(value: GraphValue): string[] {
  if (Array.isArray(value)) return value.flatMap(literals);
  if (isRecord(value)) return Object.values(value).flatMap(literals);
  if (value === null || typeof value === 'boolean') return [];
  const text = value instanceof TypedValue ? value.text : pythonText(value);
  return text.length >= (/^\d+$/.test(text) ? 4 : 3) && text.length <= 300 ? [text] : [];
}

function place(chunk: SourceChunk, at: number, literal: string): Omit<Evidence, 'field'> {
  const block = chunk.boxes.find(({ start, end }) => at >= start && at < end);
  return { chunk: chunk.id, page: block?.page, bbox: block?.bbox, span: spanOf(chunk.text, at, literal) };
}

function spanOf(text: string, at: number, literal: string): [number, number] {
  const start = Array.from(text.slice(0, at)).length;
  return [start, start + Array.from(literal).length];
}

// The identity counts first; where it is not found, the rest.
function anchorsOf(one: TemplateClass, evidence: readonly Evidence[]): Evidence[] {
  const byId = evidence.filter(({ field }) => one.idFields.includes(field));
  return byId.length > 0 ? byId : [...evidence];
}

function nodeView(anchors: readonly Evidence[], options: LedgerOptions): Attributes {
  const { documentId, level } = options;
  if (anchors.length === 0) return { document_id: documentId, scope: 'document' };
  const ids = [...new Set(anchors.map(({ chunk }) => chunk))];
  const pages = [...new Set(anchors.flatMap(({ page }) => (page === undefined ? [] : [page])))];
  const view: Attributes = { document_id: documentId, match: 'verbatim', chunks: ids.slice(0, maxChunks), pages };
  if (ids.length > maxChunks) view['chunks_omitted'] = ids.length - maxChunks;
  if (level === 'detailed')
    view['spans'] = anchors.slice(0, 4).map(({ chunk, span: [start, end] }) => ({ chunk, start, end }));
  return view;
}

function ledgerNode(
  key: NodeKey,
  one: TemplateClass | undefined,
  {
    attributes,
    evidence,
    anchors,
  }: { attributes: Attributes; evidence: readonly Evidence[]; anchors: readonly Evidence[] },
  documentId: string,
): Attributes {
  const ids = Object.fromEntries((one?.idFields ?? []).map((field) => [field, attributes[field] ?? null]));
  return {
    identity_key: String(key),
    node_type: one?.name ?? '',
    ids,
    anchors: anchors.map(({ chunk, span }) => ({ document_id: documentId, chunk_id: chunk, kind: 'verbatim', span })),
    values: evidence.map(({ field, chunk, page = null, bbox = null, span }) => ({
      field,
      chunk_id: chunk,
      page,
      bbox,
      span,
    })),
  };
}

function ledgerChunk(chunk: SourceChunk): Attributes {
  return {
    chunk_id: chunk.id,
    page_numbers: chunk.pages,
    item_geometry: chunk.boxes.map(({ page, bbox = null }) => ({ page_no: page, bbox })),
    headings: chunk.headings,
    text_hash: blake2b(chunk.text, 8),
    char_length: Array.from(chunk.text).length,
    text: chunk.text,
  };
}
