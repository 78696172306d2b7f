import { type Attributes, type GraphValue, isRecord } from './value';

const limits = { refs: 8, spans: 4, sources: 8 };
/** Certainty of a view's position, strongest last. */
const strengths = ['derived', 'reconciled', 'observed', 'verbatim'];

/** The views of single documents in a node's provenance. */
function listViews(view: GraphValue): Attributes[] {
  if (!isRecord(view) || Object.keys(view).length === 0) return [];
  if (!view['multi_document']) return [view];
  const { sources } = view;
  return Array.isArray(sources) ? sources.filter(isRecord).filter((source) => Object.keys(source).length > 0) : [];
}

/** Number of chunks that support a node, including those omitted from its view. */
export function weighProvenance(view: GraphValue): number {
  return listViews(view).reduce((sum, { chunks, chunks_omitted: omitted }) => {
    const omittedCount = typeof omitted === 'number' && omitted > 0 ? omitted : 0;
    return sum + (Array.isArray(chunks) ? chunks.length : 0) + omittedCount;
  }, 0);
}

const isEmptyView = (view: GraphValue) => !isRecord(view) || Object.keys(view).length === 0;
const readDocumentId = (view: Attributes) => (typeof view['document_id'] === 'string' ? view['document_id'] : '');
const isTrue = (value: GraphValue | undefined) => Boolean(value);

/** Combines the provenance of two nodes that become one, without claiming more certainty; null when both are empty. */
export function mergeViews(left: GraphValue, right: GraphValue): GraphValue {
  if (!isRecord(left) || isEmptyView(left)) return isRecord(right) && !isEmptyView(right) ? { ...right } : null;
  if (!isRecord(right) || isEmptyView(right)) return { ...left };
  if (left['status'] === 'unresolved') return { ...right };
  if (right['status'] === 'unresolved') return { ...left };
  if (isTrue(left['multi_document']) || isTrue(right['multi_document'])) return mergeSources(left, right);
  const [first, second] = [readDocumentId(left), readDocumentId(right)];
  if (first && second && first !== second) return { multi_document: true, sources: [{ ...left }, { ...right }] };
  if (left['scope'] === 'document' || right['scope'] === 'document') return mergeToDocumentScope(left, right);
  return mergeSingle(left, right);
}

/** Same as `mergeViews` for nodes of several graphs: keeps documents separate, and only the first eight. */
export function mergeNodeViews(left: GraphValue, right: GraphValue): GraphValue {
  const merged = mergeViews(left, right);
  if (!isRecord(merged) || !Array.isArray(merged['sources'])) return merged;
  const surplus = merged['sources'].length - limits.sources;
  if (surplus <= 0) return merged;
  const omitted = Number(merged['sources_omitted'] ?? 0) + surplus;
  return { ...merged, sources: merged['sources'].slice(0, limits.sources), sources_omitted: omitted };
}

function mergeSources(left: Attributes, right: Attributes): Attributes {
  const sources = listViews(left).map((view): GraphValue => ({ ...view }));
  for (const view of listViews(right)) {
    const index = sources.findIndex((source) => isRecord(source) && readDocumentId(source) === readDocumentId(view));
    if (index < 0) sources.push({ ...view });
    else sources[index] = mergeViews(sources[index] ?? null, view);
  }
  const omitted = Number(left['sources_omitted'] ?? 0) + Number(right['sources_omitted'] ?? 0);
  return { multi_document: true, sources, ...(omitted > 0 ? { sources_omitted: omitted } : {}) };
}

const chooseDocumentId = (left: Attributes, right: Attributes): GraphValue =>
  (left['document_id'] || right['document_id']) ?? null;

function mergeToDocumentScope(left: Attributes, right: Attributes): Attributes {
  const isSynthetic = isTrue(left['synthetic']) && isTrue(right['synthetic']);
  return {
    document_id: chooseDocumentId(left, right),
    scope: 'document',
    ...(isSynthetic ? { synthetic: true } : {}),
  };
}

function mergeSingle(left: Attributes, right: Attributes): Attributes {
  const getStrength = ({ match }: Attributes) => (typeof match === 'string' ? strengths.indexOf(match) : 0);
  const merged: Attributes = {
    document_id: chooseDocumentId(left, right),
    match: (getStrength(right) > getStrength(left) ? right['match'] : left['match']) ?? 'derived',
    chunks: sortUnion(left['chunks'], right['chunks']),
    pages: sortUnion(left['pages'], right['pages']),
  };
  if (isTrue(left['approximate']) && isTrue(right['approximate'])) merged['approximate'] = true;
  const refs = [...new Set([...toList(left['refs']), ...toList(right['refs'])])].slice(0, limits.refs);
  if (refs.length > 0) merged['refs'] = refs;
  const spans = dedupeSpans([...toList(left['spans']), ...toList(right['spans'])]).slice(0, limits.spans);
  if (spans.length > 0) merged['spans'] = spans;
  const omitted = Number(left['chunks_omitted'] ?? 0) + Number(right['chunks_omitted'] ?? 0);
  if (omitted > 0) merged['chunks_omitted'] = omitted;
  if (isTrue(left['synthetic']) && isTrue(right['synthetic'])) merged['synthetic'] = true;
  return merged;
}

const toList = (value: GraphValue | undefined): GraphValue[] => (Array.isArray(value) ? value : []);

function sortUnion(left: GraphValue | undefined, right: GraphValue | undefined): GraphValue[] {
  return [...new Set([...toList(left), ...toList(right)])].sort((a, b) => Number(a) - Number(b));
}

function dedupeSpans(spans: readonly GraphValue[]): GraphValue[] {
  const seen = new Set<string>();
  return spans.filter((span) => {
    const { chunk = null, start = null, end = null } = isRecord(span) ? span : {};
    const key = JSON.stringify([chunk, start, end]);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
