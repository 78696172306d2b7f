import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { mapParallel } from '../../graph/ask/map-parallel';
import { buildContribution } from '../../graph/corpus/contribution';
import { removeMarks } from '../../graph/corpus/headings';
import { ledgerFrom } from '../../graph/provenance/ledger';
import { graphFromJson } from '../../graph/write/read-json';
import { AppError, errorCatalogue } from '../../model/errors';
import type { GraphActivities } from '../../model/graph/activities';
import type { CorpusOutcome, CorpusPlan, CorpusUsage } from '../../model/graph/corpus';
import type { Contribution } from '../../model/graph/facts';
import { isFinalGraph } from '../../model/graph/graph-build';
import { readCheckpoints } from '../../operators/graph/checkpoints';
import type { ThreadFailure } from '../../services/graph/builder';
import type { CorpusDocument } from '../../services/graph/corpus-store';
import { tidyGraph, locateUpdateInput } from '../../services/graph/files';
import { type GraphRecord, noUsage } from '../../services/graph/store';
import { withTemporaryFolder } from '../../services/storage/temporary-folder';
import { type Pulse, runActivityWork } from '../conduct';
import { createOutageReport } from '../waits';
import { buildFailure } from './build-failure';
import type { GraphDeps } from './deps';
import { describeExceededLimit, describeReachedLimit } from './limits';
import { omitModelId, createModelHooks } from './model-hooks';
import { resolveEntities } from './resolve';
import { type PlannedDocument, planUpdate, readCorpusTemplate } from './update-plan';
import { untilCancelled } from './watch-cancel';

type UpdateActivities = Pick<
  GraphActivities,
  'plan_graph_update' | 'update_graph_part' | 'resolve_graph_entities' | 'finish_graph_update'
>;

/** The activities that bring corpus graphs up to date. */
export function createUpdateActivities(deps: GraphDeps): UpdateActivities {
  return {
    plan_graph_update: ({ graphId }) => runActivityWork((signal) => plan(deps, graphId, signal), createOutageReport()),
    update_graph_part: ({ graphId, part }) =>
      runActivityWork(
        (signal, pulse) => updatePart(deps, { graphId, part }, signal, pulse),
        createOutageReport(String(part)),
      ),
    resolve_graph_entities: ({ graphId }) =>
      runActivityWork((signal, pulse) => resolveEntities(deps, graphId, signal, pulse), createOutageReport()),
    finish_graph_update: ({ graphId, outcome }) =>
      runActivityWork(() => finishUpdate(deps, graphId, outcome), createOutageReport()),
  };
}

async function plan(deps: GraphDeps, id: string, signal: AbortSignal): Promise<CorpusPlan> {
  const { store } = deps;
  const graph = await store.begin(id);
  if (!graph || isFinalGraph(graph.state)) return { end: { state: 'CANCELED' } };
  const { parts, changes, estimate } = await planUpdate(deps, graph, signal);
  await store.noteCorpus(id, { changes, estimate });
  if (graph.corpus?.is_dry_run) return { end: { state: 'COMPLETED' } };
  const excess = describeExceededLimit(graph.corpus?.limit ?? null, estimate);
  if (excess === undefined) return { parts };
  const message = `The update needs an estimated ${excess}; nothing was started.`;
  return { end: { state: 'FAILED', code: 'GRAPH_LIMIT_REACHED', message } };
}

/** Reads the documents of a part of the plan and stores their facts. */
export async function updatePart(
  deps: GraphDeps,
  { graphId, part }: { graphId: string; part: number },
  given: AbortSignal,
  pulse: Pulse,
): Promise<CorpusOutcome> {
  const { store, files } = deps;
  const graph = await store.get(graphId);
  if (!graph || isFinalGraph(graph.state)) return { state: 'CANCELED' };
  const bytes = await files.get(locateUpdateInput(graphId).part(part));
  const documents = JSON.parse(new TextDecoder().decode(bytes)) as PlannedDocument[];
  const maxConcurrent = graph.options.backend === 'llm' ? (graph.options.parallel_workers ?? 4) : 2;
  pulse.total = documents.length;
  return untilCancelled({ store, id: graphId, given }, async (signal) => {
    let outcome: CorpusOutcome = { state: 'COMPLETED' };
    const counts = { documents: documents.length, failed: 0 };
    await mapParallel(documents, maxConcurrent, async (document) => {
      if (outcome.state !== 'COMPLETED') return;
      const stop = await describeReachedLimit(store, graphId);
      if (stop) outcome = { state: 'FAILED', code: 'GRAPH_LIMIT_REACHED', message: stop };
      else if ((await updateDocument(deps, { graph, document, signal })) === 'failed') counts.failed += 1;
      pulse.done = (pulse.done ?? 0) + 1;
    });
    return outcome.state === 'COMPLETED' ? { ...outcome, counts } : outcome;
  });
}

interface OneDocument {
  graph: GraphRecord;
  document: PlannedDocument;
  signal: AbortSignal;
}

/** The state of the document after the update. */
async function updateDocument(
  deps: GraphDeps,
  { graph, document, signal }: OneDocument,
): Promise<CorpusDocument['state']> {
  const { corpora, files } = deps;
  const { documentId, name, signature } = document;
  const known = await corpora.findDocument(graph.id, documentId);
  if (known?.signature === signature && known.state !== 'failed') return known.state;
  const read = await extractFacts(deps, { graph, document, signal });
  const put = (record: Pick<CorpusDocument, 'state' | 'error'>, facts: Contribution) =>
    corpora.put(graph.id, { documentId, name, signature, ...record }, facts);
  const record = 'facts' in read ? ({ state: 'done' } as const) : describeFailedDocument(read.failure);
  await put(record, 'facts' in read ? read.facts : { nodes: [], edges: [] });
  await files.removePrefix(locateUpdateInput(graph.id).work(documentId));
  return record.state;
}

/** Records a failed document. Rethrows a failure that a retry may avoid, and one that would affect every document. */
function describeFailedDocument({
  code,
  message,
  isFinal,
  retryAfterMs,
}: ThreadFailure): Pick<CorpusDocument, 'state' | 'error'> {
  if (isFinal) return { state: 'empty' };
  const { retry, scope } = errorCatalogue[code];
  if (retry !== undefined || scope !== 'document')
    throw new AppError(code, message, retryAfterMs === undefined ? {} : { retryAfterMs });
  return { state: 'failed', error: { code, message } };
}

/** The facts of a document. The results of its chunks are kept, so that another attempt does not ask the model again. */
async function extractFacts(
  deps: GraphDeps,
  { graph, document, signal }: OneDocument,
): Promise<{ facts: Contribution } | { failure: ThreadFailure }> {
  const work = locateUpdateInput(graph.id).work(document.documentId);
  const usage: CorpusUsage = { ...noUsage };
  const hooks = await createModelHooks(deps, graph, {
    signal,
    work,
    onUsage: ({ requests, inputTokens, outputTokens }) => {
      usage.model_calls += requests;
      usage.input_tokens += inputTokens;
      usage.output_tokens += outputTokens;
    },
  });
  const finished = await readCheckpoints(deps.files, work);
  try {
    return await withTemporaryFolder(async (folder) => {
      const task = {
        source: Buffer.from(document.text),
        sourceType: 'markdown' as const,
        sourceName: document.name,
        template: graph.corpus?.template ?? '',
        options: { ...omitModelId(graph), formats: ['json' as const], provenance: 'detailed' as const },
        createdAt: graph.created_at,
        finished,
        folder,
      };
      const answer = await deps.builder.build(task, hooks, signal).catch(buildFailure);
      if ('failure' in answer) return answer;
      return { facts: await readFacts(folder, graph, document) };
    });
  } finally {
    if (usage.model_calls > 0) await deps.store.addUsage(graph.id, usage);
  }
}

async function readFacts(
  folder: string,
  graph: GraphRecord,
  { documentId, isMarked }: PlannedDocument,
): Promise<Contribution> {
  const made = graphFromJson(await readFile(path.join(folder, 'graph.json')), 'graph.json');
  const ledger = ledgerFrom(await readFile(path.join(folder, 'provenance.json')));
  const facts = buildContribution(made, { ledger, template: readCorpusTemplate(graph), documentId });
  return isMarked ? removeMarks(facts) : facts;
}

async function finishUpdate(
  { store, files, corpora }: GraphDeps,
  id: string,
  outcome: CorpusOutcome,
): Promise<{ isQueuedAgain: boolean }> {
  const graph = await store.get(id);
  if (graph && !isFinalGraph(graph.state) && outcome.state === 'COMPLETED' && !graph.corpus?.is_dry_run) {
    const gone = await files.get(locateUpdateInput(id).removed);
    await corpora.remove(id, JSON.parse(new TextDecoder().decode(gone)) as string[]);
    await store.noteCorpus(id, { updated_at: new Date().toISOString() });
  }
  const { graph: ended } = await store.end(id, buildEnd(outcome));
  await tidyGraph(files, id, ended?.state);
  // The graph was deleted while a part was written.
  if (!ended) await corpora.removeGraph(id);
  // A run has changed the set in the meantime. After an update that failed or was cancelled, the next sweep starts another.
  const { stale_since, limit = null } = ended?.corpus ?? {};
  if (ended?.state !== 'COMPLETED' || stale_since === undefined) return { isQueuedAgain: false };
  return { isQueuedAgain: (await store.queue(id, { limit, is_dry_run: false })) !== undefined };
}

function buildEnd(outcome: CorpusOutcome) {
  if (outcome.state !== 'FAILED') return { state: outcome.state };
  return { state: outcome.state, error: { code: outcome.code, message: outcome.message } };
}
