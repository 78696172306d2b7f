import { jsonText } from '../core/json-text';
import { type Attributes, isRecord, setMember } from '../core/value';
import type { CatalogEntry } from './catalog';
import type { Filled } from './fill';
import type { Skeleton, SkeletonNode } from './nodes';
import type { DenseRun } from './run';

/** Counts how nodes were attached to their parents. */
export interface AssemblyStats {
  attached_exact: number;
  recovered_single_parent: number;
  recovered_locality: number;
  recovered_text_anchor: number;
  recovered_adjacency: number;
  dropped: number;
}
type Way = keyof AssemblyStats;

/**
 * Nests the instances, starting at the root. A node without a named parent is attached to the only candidate, else to the one in
 * its chunk, else to the last one mentioned before it in the text, else to the last one before it in its batch. Otherwise it
 * is dropped and counted.
 */
export function assemble(
  run: DenseRun,
  skeleton: Skeleton,
  filled: Filled,
): { root: Attributes; stats: AssemblyStats } {
  const stats: AssemblyStats = {
    attached_exact: 0,
    recovered_single_parent: 0,
    recovered_locality: 0,
    recovered_text_anchor: 0,
    recovered_adjacency: 0,
    dropped: 0,
  };
  const root = { ...filled.get('') };
  const attributes = new Map<string, Attributes>([['', root]]);
  for (const entry of run.catalog) {
    if (entry.parent === undefined) continue;
    for (const node of skeleton.values()) {
      if (node.path !== entry.path) continue;
      const [parent, way] = findParent(run, skeleton, { node, entry });
      const owner = parent === undefined ? undefined : attributes.get(parent);
      const instance = { ...filled.get(node.key) };
      if (!owner || !placeInstance(owner, entry, instance)) {
        stats.dropped++;
        run.problems.push(`${node.path} ${jsonText(node.ids)} is dropped: the entity that it belongs to is unknown`);
        continue;
      }
      attributes.set(node.key, instance);
      stats[way]++;
    }
  }
  return { root, stats };
}

interface Placing {
  node: SkeletonNode;
  entry: CatalogEntry;
}

function findParent(run: DenseRun, skeleton: Skeleton, { node, entry }: Placing): [string | undefined, Way] {
  if (node.parent !== undefined && skeleton.has(node.parent)) return [node.parent, 'attached_exact'];
  const parents = [...skeleton.values()].filter(({ path }) => path === entry.parent);
  const [only] = parents;
  if (parents.length <= 1) return [only?.key, 'recovered_single_parent'];
  const near = parents.filter(({ chunks }) => chunks.some((chunk) => node.chunks.includes(chunk)));
  if (near.length === 1) return [near[0]?.key, 'recovered_locality'];
  const named = findNamedBefore(run, node, near);
  if (named) return [named.key, 'recovered_text_anchor'];
  const order = [...skeleton.keys()];
  const before = parents
    .filter(({ key }) => order.indexOf(key) < order.indexOf(node.key))
    .filter(({ batches }) => batches.some((batch) => node.batches.includes(batch)))
    .at(-1);
  return [before?.key, 'recovered_adjacency'];
}

function findNamedBefore(
  { chunks }: DenseRun,
  node: SkeletonNode,
  parents: readonly SkeletonNode[],
): SkeletonNode | undefined {
  for (const { id, text } of chunks) {
    if (!node.chunks.includes(id)) continue;
    const plain = text.toLowerCase();
    const at = findFirst(plain, node);
    if (at === undefined) continue;
    const nearestParents = parents
      .map((parent) => ({ parent, at: findLast(plain.slice(0, at), parent) }))
      .filter((item) => item.at >= 0)
      .sort((left, right) => right.at - left.at);
    if (nearestParents[0]) return nearestParents[0].parent;
  }
  return undefined;
}

const listNames = ({ ids }: SkeletonNode) =>
  Object.values(ids).flatMap((value) => (typeof value === 'string' && value.length > 1 ? [value.toLowerCase()] : []));
const findFirst = (text: string, node: SkeletonNode) =>
  listNames(node)
    .map((name) => text.indexOf(name))
    .filter((at) => at >= 0)
    .sort((left, right) => left - right)[0];
const findLast = (text: string, node: SkeletonNode) =>
  Math.max(...listNames(node).map((name) => text.lastIndexOf(name)), -1);

// A place for one instance does not accept a second.
function placeInstance(owner: Attributes, { route }: CatalogEntry, instance: Attributes): boolean {
  let holder = owner;
  for (const { name } of route.slice(0, -1)) {
    const inner = holder[name];
    const next: Attributes = isRecord(inner) ? inner : {};
    setMember(holder, name, next);
    holder = next;
  }
  const field = route.at(-1);
  const current = field ? (holder[field.name] ?? null) : null;
  if (!field || isRecord(current)) return false;
  if (field.isList && Array.isArray(current)) current.push(instance);
  else setMember(holder, field.name, field.isList ? [instance] : instance);
  return true;
}
