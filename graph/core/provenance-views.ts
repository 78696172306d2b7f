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
    const more = typeof omitted === 'number' && omitted > 0 ? omitted : 0;
    return sum + (Array.isArray(chunks) ? chunks.length : 0) + more;
  }, 0);
}

const isNothing = (view: GraphValue) => !isRecord(view) || Object.keys(view).length === 0;
const getDocument = (view: Attributes) => (typeof view['document_id'] === 'string' ? view['document_id'] : '');
const isTrue = (value: GraphValue | undefined) => Boolean(value);

/** Combines the provenance of two nodes that become one, without claiming more certainty; null when both are empty. */
export function mergeViews(left: GraphValue, right: GraphValue): GraphValue {
  if (!isRecord(left) || isNothing(left)) return isRecord(right) && !isNothing(right) ? { ...right } : null;
  if (!isRecord(right) || isNothing(right)) return { ...left };
  if (left['status'] === 'unresolved') return { ...right };
  if (right['status'] === 'unresolved') return { ...left };
  if (isTrue(left['multi_document']) || isTrue(right['multi_document'])) return mergeSources(left, right);
  const [first, second] = [getDocument(left), getDocument(right)];
  if (first && second && first !== second) return { multi_document: true, sources: [{ ...left }, { ...right }] };
  if (left['scope'] === 'document' || right['scope'] === 'document') return buildBroadest(left, right);
  return mergeSingle(left, right);
}

/** Same as `mergeViews` for nodes of several graphs: keeps documents separate, and only the first eight. */
export function mergeNodeViews(left: GraphValue, right: GraphValue): GraphValue {
  const merged = mergeViews(left, right);
  if (!isRecord(merged) || !Array.isArray(merged['sources'])) return merged;
  const over = merged['sources'].length - limits.sources;
  if (over <= 0) return merged;
  const omitted = Number(merged['sources_omitted'] ?? 0) + over;
  return { ...merged, sources: merged['sources'].slice(0, limits.sources), sources_omitted: omitted };
}

function mergeSources(left: Attributes, right: Attributes): Attributes {
  const sources = listViews(left).map((view): GraphValue => ({ ...view }));
  for (const view of listViews(right)) {
    const index = sources.findIndex((source) => isRecord(source) && getDocument(source) === getDocument(view));
    if (index < 0) sources.push({ ...view });
    else sources[index] = mergeViews(sources[index] ?? null, view);
  }
  const omitted = Number(left['sources_omitted'] ?? 0) + Number(right['sources_omitted'] ?? 0);
  return { multi_document: true, sources, ...(omitted > 0 ? { sources_omitted: omitted } : {}) };
}

const getFirstDocument = (left: Attributes, right: Attributes): GraphValue =>
  (left['document_id'] || right['document_id']) ?? null;

function buildBroadest(left: Attributes, right: Attributes): Attributes {
  const isSynthetic = isTrue(left['synthetic']) && isTrue(right['synthetic']);
  return {
    document_id: getFirstDocument(left, right),
    scope: 'document',
    ...(isSynthetic ? { synthetic: true } : {}),
  };
}

function mergeSingle(left: Attributes, right: Attributes): Attributes {
  const getStrength = ({ match }: Attributes) => (typeof match === 'string' ? strengths.indexOf(match) : 0);
  const merged: Attributes = {
    document_id: getFirstDocument(left, right),
    match: (getStrength(right) > getStrength(left) ? right['match'] : left['match']) ?? 'derived',
    chunks: sortUnion(left['chunks'], right['chunks']),
    pages: sortUnion(left['pages'], right['pages']),
  };
  if (isTrue(left['approximate']) && isTrue(right['approximate'])) merged['approximate'] = true;
  const refs = [...new Set([...list(left['refs']), ...list(right['refs'])])].slice(0, limits.refs);
  if (refs.length > 0) merged['refs'] = refs;
  const spans = dedupeSpans([...list(left['spans']), ...list(right['spans'])]).slice(0, limits.spans);
  if (spans.length > 0) merged['spans'] = spans;
  const omitted = Number(left['chunks_omitted'] ?? 0) + Number(right['chunks_omitted'] ?? 0);
  if (omitted > 0) merged['chunks_omitted'] = omitted;
  if (isTrue(left['synthetic']) && isTrue(right['synthetic'])) merged['synthetic'] = true;
  return merged;
}

const list = (value: GraphValue | undefined): GraphValue[] => (Array.isArray(value) ? value : []);

function sortUnion(left: GraphValue | undefined, right: GraphValue | undefined): GraphValue[] {
  return [...new Set([...list(left), ...list(right)])].sort((a, b) => Number(a) - Number(b));
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
