import { estimateExtraction } from '../../graph/corpus/estimate';
import { validateOptions, type PipelineOptions } from '../../graph/pipeline-options';
import { toPipelineOptions, getTemplate } from '../../graph/request';
import type { GraphTemplate } from '../../graph/template/model';
import type { Reader } from '../../model/access';
import { listPrincipals } from '../../model/access-list';
import { AppError } from '../../model/errors';
import type { CorpusChanges, CorpusEstimate } from '../../model/graph/corpus';
import { type Passage, buildPassage } from '../../model/graph/passages';
import { locateUpdateInput } from '../../services/graph/files';
import type { GraphRecord } from '../../services/graph/store';
import type { GraphDeps } from './deps';
import { computeHash, computePlace, hashHeadings, isSameText, readText, type TextSource } from './document-text';
import { estimatePairs } from './estimate-pairs';
import { omitModelId } from './model-hooks';

/** A document as an update reads it: its text as it was when the update was planned. */
export interface PlannedDocument {
  documentId: string;
  name: string;
  signature: string;
  text: string;
  /** The text has marks of headings that its rows do not have; absent in plans of earlier versions. */
  isMarked?: boolean;
}

/** The changes of an update, stored as files except for the counts. */
export interface UpdatePlan {
  parts: number;
  changes: CorpusChanges;
  estimate: CorpusEstimate;
}

type Deps = Pick<GraphDeps, 'files' | 'corpora' | 'documentSets'>;

/** A part ends after this many documents or characters. */
const partLimits = { documents: 20, characters: 2_000_000 };

/**
 * Compares the set with the graph, as the owner of the graph sees both. Writes the texts of added and changed documents, part
 * by part, and the ids of removed ones. A document counts as removed if the owner may read only some of its rows.
 */
export async function planUpdate(deps: Deps, graph: GraphRecord, signal: AbortSignal): Promise<UpdatePlan> {
  const { files, corpora } = deps;
  const keys = locateUpdateInput(graph.id);
  await files.removePrefix(keys.prefix);
  const documents = await readDocuments(deps, graph, signal);
  const gone: string[] = [];
  const isPaid = graph.options.backend === 'llm';
  let unchanged = 0;
  let changed = 0;
  const wanted = new Map(documents);
  for await (const { documentId, signature, state } of corpora.iterateDocuments(graph.id)) {
    const current = documents.get(documentId);
    if (!current) gone.push(documentId);
    else if (state !== 'failed' && (await isSameText(files, current, { signature, isPaid }))) {
      wanted.delete(documentId);
      unchanged += 1;
    } else changed += 1;
  }
  await files.put(keys.removed, Buffer.from(JSON.stringify(gone)));
  const written = await writeParts(deps, graph, { wanted, signal });
  const changes = {
    added: wanted.size - changed,
    changed,
    removed: gone.length,
    unchanged,
    without_headings: written.withoutHeadings,
  };
  const known = unchanged + changed + gone.length;
  const pairs = await estimatePairs(corpora, graph, { fresh: wanted.size, known });
  const estimate = {
    ...written.estimate,
    model_calls: written.estimate.model_calls + pairs.model_calls,
    input_tokens: written.estimate.input_tokens + pairs.input_tokens,
    pairs: pairs.pairs,
  };
  return { parts: written.parts, estimate, changes };
}

interface FoundDocument extends TextSource {
  name: string;
  count: number;
}

/** The documents of the set all of whose rows the owner may read. */
async function readDocuments(deps: Deps, graph: GraphRecord, signal: AbortSignal): Promise<Map<string, FoundDocument>> {
  const rows = new Map<string, { name: string; hashes: string[]; headings: string[]; ref?: string }>();
  for await (const { documentId, name, passage, id, ref } of readRows(deps, graph, signal)) {
    const known = rows.get(documentId) ?? { name, hashes: [], headings: [] };
    known.hashes.push(computeHash(id, passage.content, passage.index, passage.start ?? null).slice(0, 24));
    const headings = hashHeadings(id, passage);
    if (headings !== undefined) known.headings.push(headings);
    if (ref !== undefined) known.ref = ref;
    rows.set(documentId, known);
  }
  const readable = await deps.documentSets.findReadableDocuments(buildOwner(graph), getSetId(graph), [...rows.keys()]);
  const settings = computeHash(graph.corpus?.template, omitModelId(graph), graph.options.model_id);
  const documents = new Map<string, FoundDocument>();
  for (const [documentId, { name, hashes, headings, ref: given }] of rows) {
    if (!readable.has(documentId)) continue;
    // Chunks with their own headings need no converted document.
    const ref = headings.length > 0 ? undefined : given;
    const source = {
      documentId,
      rows: computeHash(settings, name, hashes.toSorted()),
      place: computePlace(ref, headings),
    };
    documents.set(documentId, { ...source, ...(ref === undefined ? {} : { ref }), name, count: hashes.length });
  }
  return documents;
}

interface SetRow {
  id: string;
  documentId: string;
  name: string;
  passage: Passage;
  /** Key of the converted document. */
  ref?: string;
}

async function* readRows({ documentSets }: Deps, graph: GraphRecord, signal: AbortSignal): AsyncGenerator<SetRow> {
  const owner = buildOwner(graph);
  const setId = getSetId(graph);
  if (!(await documentSets.get({ user: owner }, setId)))
    throw new AppError('DOCUMENT_SET_NOT_FOUND', `Document set with ID '${setId}' not found.`);
  const setColumns = await documentSets.listColumns(owner, setId, {});
  if (setColumns.length === 0) return;
  if (!setColumns.includes('content'))
    throw new AppError(
      'GRAPH_CONFIGURATION_INVALID',
      `The document set '${setId}' keeps no text: its rows have the columns ${setColumns.join(', ')}; expected content.`,
    );
  const columns = ['id', 'document_id', 'name', 'content', 'chunk_index', 'start_index', 'headings'];
  // Users never see the key of the converted document, so it is not among the columns of the set.
  const present = [...columns.filter((column) => setColumns.includes(column)), 'document_ref'];
  for await (const page of documentSets.readAll(owner, setId, present)) {
    signal.throwIfAborted();
    for (const row of page) {
      const id = String(row['id']);
      const documentId = typeof row['document_id'] === 'string' ? row['document_id'] : id;
      const passage = buildPassage(row['content'], row['name'], row);
      const ref = row['document_ref'];
      const found = { id, documentId, name: passage.title || documentId, passage };
      yield typeof ref === 'string' ? { ...found, ref } : found;
    }
  }
}

async function writeParts(
  deps: Deps,
  graph: GraphRecord,
  { wanted, signal }: { wanted: ReadonlyMap<string, FoundDocument>; signal: AbortSignal },
): Promise<Pick<UpdatePlan, 'parts' | 'estimate'> & { withoutHeadings: number }> {
  const keys = locateUpdateInput(graph.id);
  const estimateText = createEstimator(graph);
  const estimate: CorpusEstimate = { documents: wanted.size, chunks: 0, model_calls: 0, input_tokens: 0 };
  const waiting = new Map<string, Passage[]>();
  let part: PlannedDocument[] = [];
  let parts = 0;
  let withoutHeadings = 0;
  const flush = async () => {
    await deps.files.put(keys.part(parts++), Buffer.from(JSON.stringify(part)));
    part = [];
  };
  if (wanted.size === 0) return { parts, estimate, withoutHeadings };
  for await (const { documentId, passage } of readRows(deps, graph, signal)) {
    const document = wanted.get(documentId);
    if (!document) continue;
    const passages = [...(waiting.get(documentId) ?? []), passage];
    waiting.set(documentId, passages);
    if (passages.length < document.count) continue;
    waiting.delete(documentId);
    const { text, signature, isMarked, isPlain } = await readText(deps.files, document, passages);
    if (isPlain) withoutHeadings += 1;
    part.push({ documentId, name: document.name, signature, text, isMarked });
    const { chunks, modelCalls, inputTokens } = estimateText(text);
    estimate.chunks += chunks;
    estimate.model_calls += modelCalls;
    estimate.input_tokens += inputTokens;
    const characters = part.reduce((sum, plannedDocument) => sum + plannedDocument.text.length, 0);
    if (part.length >= partLimits.documents || characters >= partLimits.characters) await flush();
  }
  if (part.length > 0) await flush();
  return { parts, estimate, withoutHeadings };
}

function createEstimator(graph: GraphRecord) {
  const template = readCorpusTemplate(graph);
  const options: PipelineOptions = validateOptions(toPipelineOptions(omitModelId(graph)), {
    template,
    model: unasked,
  });
  return (text: string) => estimateExtraction(text, template, options);
}

/** Stands in for the model, which planning does not ask. */
const unasked = { ask: () => Promise.reject(new Error('Planning asks no model.')) };

/** The template of a corpus graph. */
export function readCorpusTemplate({ corpus }: GraphRecord): GraphTemplate {
  const { template } = JSON.parse(corpus?.template ?? '{}') as { template: string | object };
  return getTemplate(template);
}

/** The user on whose rights the graph is built. */
export function buildOwner({ owner, owner_groups = [] }: GraphRecord): Reader {
  return { username: owner, principals: listPrincipals(owner, owner_groups) };
}

/** The document set of a corpus graph. */
export function getSetId({ source }: GraphRecord): string {
  return source.document_set_id ?? '';
}
