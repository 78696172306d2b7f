import { hash } from 'node:crypto';
import type { FlowDefinition } from '../../model/flow/flow';
import { defaultOverlapRatio, defaultTokenLimit } from '../../model/llm/embeddings';
import { buildKeptPrefix } from '../../model/run/kept-document';
import type { DocumentSetsStore } from '../document-set/document-sets-store';
import type { EmbeddingCache } from '../embedding/embedding-cache';
import { listPieces } from '../embedding/pieces';
import type { ExportClaims } from '../export/claims';
import type { CorpusStore } from '../graph/corpus-store';
import type { Graphs } from '../graph/graphs';
import type { GraphStore } from '../graph/store';
import type { Reviews } from '../review/reviews';
import type { Failures } from '../run/failures';
import type { RunRecord, RunsStore } from '../run/run-record';
import type { Search } from '../search/ports';
import type { FilesStore } from '../storage/files';
import type { TablesStore } from '../table/tables';
import type { IndexCatalogue } from '../vector/index-catalogue';
import type { PlaceResult } from './records';
import type { RemovalScope, RemovalSteps } from './removals';

/** What the operators of a flow declare about the places that they write to. */
export interface FlowStores {
  /** True if the flow writes to a store that it names itself. */
  writesElsewhere(flow: FlowDefinition): boolean;
  /** The pieces whose vectors the flow stores: their size in tokens, and their overlap as a share of the size. */
  embeddedPieces(flow: FlowDefinition): (readonly [size: number, overlap: number])[];
}

/** Dependencies and input of the steps. */
export interface StepDeps {
  search: Pick<Search, 'removeDocuments' | 'refresh'>;
  catalogue: Pick<IndexCatalogue, 'names'>;
  /**
   * Removes documents from the stores that the flows of these runs name, which requires the secrets of a worker; absent in the
   * api. Returns the number of removed records.
   */
  removeElsewhere?: (run: RunRecord, scope: RemovalScope) => Promise<number>;
  /** Removes exported files, which requires the folders and secrets of a worker; absent in the api. Returns their number. */
  removeExported?: (scope: RemovalScope) => Promise<number>;
  claims: Pick<ExportClaims, 'of'>;
  documentSets: Pick<DocumentSetsStore, 'purge'>;
  tables: Pick<TablesStore, 'removeRows' | 'removeRun'>;
  files: Pick<FilesStore, 'list' | 'removePrefix'>;
  graphs: Pick<GraphStore, 'listIdsByDocuments'> & Pick<Graphs, 'remove'> & Pick<CorpusStore, 'forget'>;
  cache: Pick<EmbeddingCache, 'forget'>;
  failures: Pick<Failures, 'forget' | 'forgetJob'>;
  reviews: Pick<Reviews, 'forget' | 'forgetJob'>;
  runs: Pick<RunsStore, 'remove'>;
  flowStores: FlowStores;
}

const reportWaiting = (removed: number, note: string): PlaceResult => ({ removed, state: 'waiting', note });
const defaultPieces = [defaultTokenLimit, defaultOverlapRatio] as const;
const forWorker = 'A worker continues with it within ten minutes.';

/** The locations of a document's data. Each can be cleared repeatedly. */
export function createRemovalSteps(deps: StepDeps): RemovalSteps {
  const { search, catalogue, documentSets, files, graphs, failures, reviews, runs } = deps;
  /** Texts leave the cache before they leave the place where they are read. */
  const vectors = new WeakMap<RemovalScope, number>();
  const forgetTexts = (scope: RemovalScope) => async (texts: readonly string[]) => {
    vectors.set(scope, (vectors.get(scope) ?? 0) + (await forgetVectors(deps, scope, texts)));
  };
  return {
    async indexes(scope) {
      let removed = 0;
      for (const name of await catalogue.names()) {
        const gone = await search.removeDocuments(name, { ...pick(scope), onTexts: forgetTexts(scope) });
        // The receipt states that no search finds the documents, so the index is refreshed first.
        if (gone > 0) await search.refresh(name);
        removed += gone;
      }
      return removed;
    },
    vector_stores: (scope) => clearElsewhere(deps, scope),
    exported_files: (scope) => clearExported(deps, scope),
    document_sets: (scope) => documentSets.purge(pick(scope)),
    tables: (scope) => clearTables(deps, scope, forgetTexts(scope)),
    async kept_files({ jobId, documentIds }) {
      const prefixes = documentIds.flatMap((id) => [buildKeptPrefix(jobId, id), `graphs/${jobId}/${id}`]);
      let removed = 0;
      for (const prefix of prefixes) removed += await removeAll(files, prefix);
      return removed;
    },
    async graphs({ documentIds }) {
      const documentGraphs = await graphs.listIdsByDocuments(documentIds);
      for (const id of documentGraphs) await graphs.remove(id);
      return documentGraphs.length + (await graphs.forget(documentIds));
    },
    // Every step above that reads texts also removes their vectors.
    embedding_cache: async (scope) => vectors.get(scope) ?? 0,
    async failed_documents({ jobId, documentIds, isJob }) {
      const removed = await failures.forget(jobId, documentIds);
      if (isJob) await failures.forgetJob(jobId);
      const reviewed = await reviews.forget(jobId, documentIds);
      if (isJob) await reviews.forgetJob(jobId);
      return removed + reviewed;
    },
    async runs(scope) {
      if (!scope.isJob) return 0;
      for (const run of scope.runs) await runs.remove(run.job_run_id);
      return scope.runs.length;
    },
  };
}

function pick({ jobId, documentIds }: RemovalScope) {
  return { jobId, documentIds };
}

async function clearElsewhere(
  { removeElsewhere, flowStores }: StepDeps,
  scope: RemovalScope,
): Promise<number | PlaceResult> {
  const runsWithStores = scope.runs.filter(({ snapshot }) => flowStores.writesElsewhere(snapshot.flow));
  if (runsWithStores.length === 0) return 0;
  if (!removeElsewhere) return reportWaiting(0, forWorker);
  let removed = 0;
  const seen = new Set<string>();
  for (const run of runsWithStores) {
    // Runs of one flow mostly name the same stores.
    const key = hash('sha256', JSON.stringify(run.snapshot.flow.flow));
    if (!seen.has(key)) removed += await removeElsewhere(run, scope);
    seen.add(key);
  }
  return removed;
}

/** Cannot reach files at a place that no run of the flow names any more: these are kept, and reported. */
async function clearExported({ removeExported, claims }: StepDeps, scope: RemovalScope): Promise<number | PlaceResult> {
  const readClaims = () => claims.of(scope.jobId, scope.documentIds);
  if ((await readClaims()).length === 0) return 0;
  if (!removeExported) return reportWaiting(0, forWorker);
  const removed = await removeExported(scope);
  const left = await readClaims();
  if (left.length === 0) return removed;
  const places = [...new Set(left.map(({ place }) => place))].join(', ');
  return {
    removed,
    state: 'kept',
    note: `${left.length} exported files stay at places that no run of the flow names now: ${places}.`,
  };
}

async function clearTables(
  { tables, files }: StepDeps,
  scope: RemovalScope,
  onTexts: (texts: readonly string[]) => Promise<void>,
): Promise<number | PlaceResult> {
  let removed = 0;
  for (const { job_run_id: runId, tables_removed_at } of scope.runs) {
    if (tables_removed_at !== undefined) continue;
    if (scope.isLate()) return reportWaiting(removed, forWorker);
    if (scope.isJob) {
      removed += await removeAll(files, `run/${runId}/`);
      continue;
    }
    const removal = await tables.removeRows(runId, scope.documentIds, { onTexts, isLate: scope.isLate });
    removed += removal.removed;
    if (!removal.isDone) return reportWaiting(removed, forWorker);
    // Results that attempts to build a graph keep for later attempts. They are useless after the end of the run.
    await files.removePrefix(`run/${runId}/.graph/`);
  }
  return removed;
}

async function removeAll(files: StepDeps['files'], prefix: string): Promise<number> {
  let count = 0;
  for await (const _key of files.list(prefix)) count += 1;
  if (count > 0) await files.removePrefix(prefix);
  return count;
}

/** Vectors are stored under the embedded texts: whole texts, or chunks of the flow. */
async function forgetVectors(
  { cache, flowStores }: StepDeps,
  scope: RemovalScope,
  texts: readonly string[],
): Promise<number> {
  const embeddedPieces = scope.runs.flatMap(({ snapshot }) => flowStores.embeddedPieces(snapshot.flow));
  const cuts = new Map([defaultPieces, ...embeddedPieces].map((cut) => [JSON.stringify(cut), cut]));
  const pieces = new Set(texts);
  for (const text of texts)
    for (const [limit, overlap] of cuts.values())
      for (const piece of listPieces(text, limit, overlap)) pieces.add(piece);
  return cache.forget([...pieces]);
}
