import { omitAccessFields } from '../../model/access-list';
import { toShownPlace } from '../../model/source/shown-place';
import { unmarkCompounds } from './compounds/mark';
import type { DocumentReply, HitProvenance, SearchRequest } from './ports';
import { type Explanation, findMatchedWords } from './refine/explain';
import type { FacetAnswers } from './refine/facets';

/** Fields of a record that readers see. */
export const shownFields = ['content', 'title', 'metadata', 'created_at', 'updated_at'];

/** A record in the answer of the engine. */
export interface Hit {
  _id: string;
  _index: string;
  _source: Record<string, unknown>;
  _score?: number | null;
  sort?: unknown[];
  _explanation?: Explanation;
  highlight?: Record<string, string[]>;
  fields?: Record<string, unknown[]>;
  matched_queries?: string[];
  inner_hits?: Record<string, { hits: { total: { value: number } } }>;
}
export interface Hits {
  aggregations?: FacetAnswers;
  hits: { total: { value: number }; hits: Hit[] };
}

/** Only this many characters of a text are highlighted; the engine rejects searches that would read more. */
const maxAnalyzedChars = 1_000_000;

/** The part of a search body for highlights of `fullText`; empty if none are requested or there are no words. */
export function buildHighlighting(
  { highlight }: SearchRequest,
  fullText: readonly Record<string, unknown>[],
): Record<string, unknown> {
  if (!highlight || fullText.length === 0) return {};
  return {
    highlight: {
      fields: {
        content: { number_of_fragments: 3, fragment_size: 200 },
        'words.*': { number_of_fragments: 3, fragment_size: 200 },
        title: { number_of_fragments: 0 },
      },
      highlight_query: { bool: { must: fullText } },
      encoder: 'html',
      max_analyzer_offset: maxAnalyzedChars,
    },
  };
}

/** The document of a hit: without its access list, with highlights and position on request. */
export function toDocument(hit: Hit, request: SearchRequest = {}): DocumentReply {
  const { _id, _source, highlight } = hit;
  const stored = omitAccessFields((_source['metadata'] ?? {}) as Record<string, unknown>);
  // Records of earlier versions hold paths of the server.
  const metadata: Record<string, unknown> = { ...stored, ...toShownPlace({ ...stored, metadata: stored }) };
  const text = (name: string) => (typeof _source[name] === 'string' ? _source[name] : '');
  return {
    id: _id,
    content: text('content'),
    title: text('title'),
    metadata,
    created_at: text('created_at'),
    updated_at: text('updated_at'),
    ...(request.highlight ? { highlights: getHighlights(highlight ?? {}) } : {}),
    ...(request.provenance ? { provenance: buildProvenance(metadata) } : {}),
    ...(request.group ? getGroup(hit) : {}),
    ...(request.explain ? { explanation: { words: findMatchedWords(hit._explanation) } } : {}),
  };
}

/** The part of a search body for one hit per document. */
export function buildGrouping({ group }: SearchRequest): Record<string, unknown> {
  return group ? { collapse: { field: 'document_id', inner_hits: { name: 'records', size: 0 } } } : {};
}

function getGroup({ fields, inner_hits: inner }: Hit): Pick<DocumentReply, 'group'> {
  const [id] = fields?.['document_id'] ?? [];
  const records = inner?.['records']?.hits.total.value ?? 1;
  return typeof id === 'string' ? { group: { document_id: id, records } } : {};
}

/** Of the text, the highlights with most marks: stemmed words match more places, words as written those of corrected typing errors. */
function getHighlights(highlights: Record<string, string[]>): Record<string, string[]> {
  const entries = Object.entries(highlights);
  const countMarks = (passages: readonly string[]) => passages.join('').split('<em>').length;
  const [best] = entries
    .filter(([name]) => name === 'content' || name.startsWith('words.'))
    .map(([, passages]) => passages)
    .toSorted((one, other) => countMarks(other) - countMarks(one));
  const others = Object.fromEntries(entries.filter(([name]) => !name.startsWith('words.')));
  return best ? { ...others, content: best.map(unmarkCompounds).map(trimStart) } : others;
}

/** A passage begins after the end of a sentence; what ended that sentence, and the mark of a list item, belong to no word of it. */
function trimStart(passage: string): string {
  return passage.replace(/^(?:\s+|[.,;:!?)\]]+(?=\s)|[-*•]\s+)+/u, '');
}

function buildProvenance({ document_id, page_numbers, bbox }: Record<string, unknown>): HitProvenance {
  const isNumber = (value: unknown) => typeof value === 'number' && Number.isFinite(value);
  const boxes = (Array.isArray(bbox) ? (bbox as unknown[]) : []).filter(
    (box): box is number[] => Array.isArray(box) && box.length === 5 && box.every(isNumber),
  );
  return {
    ...(typeof document_id === 'string' ? { document_id } : {}),
    pages: (Array.isArray(page_numbers) ? (page_numbers as unknown[]) : []).filter(isNumber) as number[],
    boxes: boxes.map(([page = 0, ...corners]) => ({ page, bbox: corners })),
  };
}
