import { iterateBatches } from '../../model/lists/batches';
import { runOnce, checkpointKey } from '../ask/checkpoints';
import { mapParallel } from '../ask/map-parallel';
import type { Attributes } from '../core/value';
import type { CatalogEntry } from './catalog';
import { findIdentity, replaceNode, type Skeleton, type SkeletonNode } from './nodes';
import { buildReconcileQuestion, reconcileSchema } from './prompts';
import { askDense, type DenseRun, readList } from './run';

const maxInQuestion = 100;

interface Group {
  path: string;
  nodes: SkeletonNode[];
}

/**
 * Merges nodes of one path that mean the same entity: first similar ones (`aggressive`), then those that the model identifies.
 * Two nodes first found in the same chunk are not merged, since a text that mentions both distinguishes them.
 */
export async function reconcile(run: DenseRun, skeleton: Skeleton): Promise<void> {
  const { dedupe, parallel } = run.options;
  if (dedupe === 'off') return;
  if (dedupe === 'aggressive') mergeAlike(run, skeleton);
  const groups = listGroups(run.catalog, skeleton);
  const count = groups.reduce((sum, { nodes }) => sum + nodes.length, 0);
  if (groups.length === 0) return;
  const questions = count <= maxInQuestion ? [groups] : groups.flatMap(splitGroup);
  const answers = await mapParallel(questions, parallel, (question, index) => askForMerges(run, question, index));
  for (const [index, merges] of answers.entries())
    for (const { path, keep, merge } of merges) {
      const nodes = questions[index]?.find((group) => group.path === path)?.nodes ?? [];
      for (const other of merge) mergeNodes(run, skeleton, nodes[keep - 1], nodes[other - 1]);
    }
}

function listGroups(catalog: readonly CatalogEntry[], skeleton: Skeleton): Group[] {
  return catalog.flatMap(({ path }) => {
    const nodes = [...skeleton.values()].filter((node) => node.path === path && Object.keys(node.ids).length > 0);
    return nodes.length > 1 && path !== '' ? [{ path, nodes }] : [];
  });
}

function splitGroup({ path, nodes }: Group): Group[][] {
  const parts: Group[][] = [];
  for (const batch of iterateBatches(nodes, maxInQuestion)) parts.push([{ path, nodes: batch }]);
  return parts;
}

interface Merge {
  path: string;
  keep: number;
  merge: number[];
}

async function askForMerges(run: DenseRun, groups: readonly Group[], index: number): Promise<Merge[]> {
  const groupIds = groups.map(({ path, nodes }) => ({ path, ids: nodes.map(({ ids }) => ids) }));
  const key = checkpointKey(`reconcile-${index}`, groupIds);
  const result = await runOnce(key, run, async () => {
    const about = { name: 'dense_reconcile', schema: reconcileSchema, unit: { reconcile: index } };
    const { text } = await askDense(run, buildReconcileQuestion(groupIds), about);
    return { merges: readList(text, 'merges') ?? [] };
  });
  const list = Array.isArray(result['merges']) ? (result['merges'] as Attributes[]) : [];
  return list.flatMap(({ path, keep, merge }) =>
    typeof path === 'string' && Array.isArray(merge)
      ? [{ path, keep: Number(keep), merge: merge.map(Number).filter((other) => other !== Number(keep)) }]
      : [],
  );
}

function mergeNodes(run: DenseRun, skeleton: Skeleton, target?: SkeletonNode, absorbed?: SkeletonNode): void {
  if (!target || !absorbed || target === absorbed || !skeleton.has(target.key) || !skeleton.has(absorbed.key)) return;
  if (target.chunks[0] === absorbed.chunks[0]) return;
  replaceNode(skeleton, absorbed, target);
  run.stats.reconciliation_merged++;
}

const maxCompared = 2_000;

function mergeAlike(run: DenseRun, skeleton: Skeleton): void {
  for (const { nodes } of listGroups(run.catalog, skeleton)) {
    const named = nodes.slice(0, maxCompared).map((node) => {
      const text = findIdentity(node, run.options.profile) ?? '';
      return { node, text, digits: (text.match(/\d+/g) ?? []).join() };
    });
    named.forEach((item, index) => {
      for (const other of named.slice(index + 1))
        if (item.digits === other.digits && item.node.parent === other.node.parent && isAlike(item.text, other.text))
          mergeNodes(run, skeleton, item.node, other.node);
    });
  }
}

/** Keeps a tenth of a multiple of ten from being rounded down. */
const rounding = 1e-9;

/** True when the edit distance is at most a tenth of the longer text. */
export function isAlike(left: string, right: string): boolean {
  const longest = Math.max(left.length, right.length);
  const maxDistance = Math.floor(longest / 10 + rounding);
  if (Math.abs(left.length - right.length) > maxDistance) return false;
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let at = 1; at <= left.length; at++) {
    const next = [at];
    for (let to = 1; to <= right.length; to++) {
      const change = (row[to - 1] ?? 0) + (left[at - 1] === right[to - 1] ? 0 : 1);
      next.push(Math.min(change, (row[to] ?? 0) + 1, (next[to - 1] ?? 0) + 1));
    }
    if (Math.min(...next) > maxDistance) return false;
    row = next;
  }
  return (row[right.length] ?? 0) <= maxDistance;
}
