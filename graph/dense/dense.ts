import type { ModelCall } from '../ask/ask-model';
import { type Checkpoints, runOnce, checkpointKey } from '../ask/checkpoints';
import { mapParallel } from '../ask/map-parallel';
import { findObject } from '../ask/model-answer';
import type { SourceChunk } from '../ask/source-chunks';
import { type Attributes, isEmpty, setMember } from '../core/value';
import { fitAnswer } from '../extract/fit-answer';
import { findIdentityKey } from '../provenance/provenance';
import type { GraphTemplate } from '../template/model';
import { getClass } from '../template/template';
import { assemble, type AssemblyStats } from './assemble';
import { buildCatalog } from './catalog';
import { fillNodes } from './fill';
import { addFinds, clearRootIds, settleParents, type Skeleton } from './nodes';
import { buildRootIdentityQuestion } from './prompts';
import { reconcile } from './reconcile';
import { askDense, type DenseOptions, type DenseRun } from './run';
import { type BatchFind, findInBatch, packChunks } from './skeleton';

/** Input of the contract `dense`. */
export interface DenseExtraction extends Checkpoints, ModelCall {
  template: GraphTemplate;
  options: DenseOptions;
  countTokens: (text: string) => number;
}

/** Result of the contract `dense` for a document. */
export interface DenseExtract {
  /** Undefined when no answer named the document itself; the caller must then ask in another way. */
  instance?: Attributes;
  problems: string[];
  /** The chunks in which each node was found, by its ledger key. */
  observed: Map<string, number[]>;
  stats: Attributes;
  /** Intermediate states between the phases, for debugging. */
  trace: Record<'skeleton' | 'assembled' | 'merge', Attributes>;
}

/**
 * Extracts in two phases: first the entities in each batch of chunks, by place and identity; then the fields of a few entities
 * at a time. The answer limit restricts neither phase, so long documents are extracted completely.
 */
export async function extractDense(chunks: readonly SourceChunk[], extraction: DenseExtraction): Promise<DenseExtract> {
  const { template } = extraction;
  const stats = { truncation_count: 0, split_count: 0, skeleton_batches_failed: 0, dropped_chunk_ids: [] };
  const run: DenseRun = {
    ...extraction,
    chunks,
    catalog: buildCatalog(template),
    stats: { ...stats, reconciliation_merged: 0, coverage_pass_recovered: 0 },
    problems: [],
  };
  const skeleton = await findNodes(run);
  if (!skeleton.has('')) return buildEmptyExtract(run, skeleton);
  settleParents(skeleton, run.catalog, run.options.profile);
  await reconcile(run, skeleton);
  await settleRoot(run, skeleton);
  const filled = await fillNodes(run, skeleton);
  const { root, stats: merge } = assemble(run, skeleton, filled);
  const { instance, problems } = fitAnswer(template, template.root, root);
  return {
    ...(Object.keys(instance).length > 0 ? { instance } : {}),
    problems: [...run.problems, ...problems],
    observed: findObserved(run, skeleton),
    stats: buildStats(run, skeleton, merge),
    trace: { skeleton: traceSkeleton(skeleton), assembled: root, merge: { ...merge } },
  };
}

async function findNodes(run: DenseRun): Promise<Skeleton> {
  const { options, chunks, countTokens } = run;
  const batches = packChunks(chunks, options.batchTokens, countTokens);
  const skeleton: Skeleton = new Map();
  const take = (find: BatchFind, index: number) => {
    addFinds(skeleton, find, index, options.profile);
    run.stats.truncation_count += find.truncations;
    run.stats.split_count += find.splits;
    run.stats.coverage_pass_recovered += find.gleaned;
    if (find.failed.length > 0) run.stats.skeleton_batches_failed++;
    run.stats.dropped_chunk_ids.push(...find.failed);
    for (const chunk of find.failed)
      run.problems.push(`chunk ${chunk}: the model did not answer with a list of entities`);
  };
  if (options.parallel > 1) {
    const work = (batch: readonly SourceChunk[], index: number) => findInBatch(run, { batch, index, known: [] });
    (await mapParallel(batches, options.parallel, work)).forEach(take);
    return skeleton;
  }
  for (const [index, batch] of batches.entries())
    take(await findInBatch(run, { batch, index, known: listLastKnown(skeleton) }), index);
  return skeleton;
}

const maxKnown = 50;

// Handles are negative, so that they do not collide with the numbers that the batch itself assigns.
function listLastKnown(skeleton: Skeleton) {
  return [...skeleton.values()]
    .slice(-maxKnown)
    .map(({ key, path, ids }, index) => ({ handle: -index - 1, key, path, ids }));
}

const edgeCharacters = 2_500;
const maxIdentityLength = 80;

// The identity of the document is on its first or last page, if anywhere. Identities not found there are invented.
async function settleRoot(run: DenseRun, skeleton: Skeleton): Promise<void> {
  const [root, entry] = [skeleton.get(''), run.catalog[0]];
  if (!root || !entry) return;
  clearRootIds(root.ids, entry.templateClass);
  if (
    entry.templateClass.idFields.length === 0 ||
    entry.templateClass.idFields.some((field) => !isEmpty(root.ids[field]))
  )
    return;
  const text = run.chunks.map((chunk) => chunk.text).join('\n\n');
  const edges =
    text.length <= edgeCharacters * 2 ? text : `${text.slice(0, edgeCharacters)}\n…\n${text.slice(-edgeCharacters)}`;
  const result = await runOnce(checkpointKey('root-identity', entry.templateClass.idFields, edges), run, async () => {
    const { question, schema } = buildRootIdentityQuestion(edges, entry);
    const answer = await askDense(run, question, { name: 'dense_root_identity', schema, unit: { path: '' } });
    return findObject(answer.text) ?? {};
  });
  for (const field of entry.templateClass.idFields) {
    const value = result[field];
    const isInText = typeof value === 'string' && value.length <= maxIdentityLength && edges.includes(value);
    if (isInText && value.trim() !== '') setMember(root.ids, field, value.trim());
  }
  clearRootIds(root.ids, entry.templateClass);
}

function findObserved({ template, catalog }: DenseRun, skeleton: Skeleton): Map<string, number[]> {
  const observed = new Map<string, number[]>();
  for (const { path, ids, chunks } of skeleton.values()) {
    const templateClass =
      catalog.find((entry) => entry.path === path)?.templateClass ?? getClass(template, template.root);
    const key = findIdentityKey(path, templateClass, ids);
    if (key !== undefined) observed.set(key, [...new Set([...(observed.get(key) ?? []), ...chunks])]);
  }
  return observed;
}

function buildStats({ stats, chunks, options }: DenseRun, skeleton: Skeleton, merge: AssemblyStats): Attributes {
  const paths: Attributes = {};
  for (const { path } of skeleton.values()) setMember(paths, path, Number(paths[path] ?? 0) + 1);
  const covered = new Set([...skeleton.values()].flatMap((node) => node.chunks));
  const belowRoot = skeleton.size - 1;
  const computePercent = (part: number, whole: number) => (whole === 0 ? 100 : Math.round((part / whole) * 1000) / 10);
  const { attached_exact, dropped, ...recovered } = merge;
  return {
    skeleton_nodes: skeleton.size,
    parallel_workers: options.parallel,
    ...stats,
    skeleton_path_counts: paths,
    chunk_coverage_pct: computePercent(covered.size, chunks.length),
    merge_orphans_dropped: dropped,
    merge_recovered: Object.values(recovered).reduce((sum, count) => sum + count, 0),
    merge_attached_exact: attached_exact,
    retention_pct: computePercent(belowRoot - dropped, belowRoot),
  };
}

function traceSkeleton(skeleton: Skeleton): Attributes {
  return {
    nodes: [...skeleton.values()].map(({ path, ids, parent, chunks, batches }) => {
      const above = parent === undefined ? undefined : skeleton.get(parent);
      return { path, ids, parent: above ? { path: above.path, ids: above.ids } : null, chunks, batches };
    }),
  };
}

function buildEmptyExtract({ problems, stats }: DenseRun, skeleton: Skeleton): DenseExtract {
  const reason = skeleton.size === 0 ? 'empty_skeleton' : 'missing_root';
  return {
    problems: [...problems, 'the first phase did not find the document itself'],
    observed: new Map(),
    stats: { skeleton_nodes: skeleton.size, ...stats, quality_gate_failure: reason },
    trace: { skeleton: traceSkeleton(skeleton), assembled: {}, merge: {} },
  };
}
