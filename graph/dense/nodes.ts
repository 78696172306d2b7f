import { canonicalizeValue, type Profile } from '../core/identity';
import { compareCodePoints, jsonText } from '../core/json-text';
import { type Attributes, type GraphValue, isEmpty } from '../core/value';
import type { TemplateClass } from '../template/model';
import type { CatalogEntry } from './catalog';
import type { BatchFind } from './skeleton';

/** An entity found in the first phase, in any number of batches. */
export interface SkeletonNode {
  /** `''` for the root; otherwise its path, its identity and its parent's key. */
  key: string;
  path: string;
  ids: Attributes;
  /** The key of its parent; undefined when no answer named one. */
  parent?: string;
  /** The chunks in which it was found, ascending. */
  chunks: number[];
  batches: number[];
}

/** The nodes in order of first occurrence. */
export type Skeleton = Map<string, SkeletonNode>;

/** The path and the canonical identity of a node as one text; undefined without ids. */
export function findIdentity({ path, ids }: Pick<SkeletonNode, 'path' | 'ids'>, profile: Profile): string | undefined {
  const pairs = Object.keys(ids)
    .map((field): [string, string] => [field, jsonText(canonicalizeValue(field, ids[field] ?? null, profile))])
    .filter(([, value]) => value !== '""' && value !== '[]')
    .sort(([left], [right]) => compareCodePoints(left, right));
  return pairs.length === 0 ? undefined : `${path}|${pairs.map(([field, value]) => `${field}=${value}`).join(',')}`;
}

/** Adds the nodes found in a batch. All roots are merged, and so are equal identities below the same parent. */
export function addFinds(skeleton: Skeleton, { nodes }: BatchFind, batch: number, profile: Profile): void {
  const keys = new Map<number, string>();
  const getKey = (place: number, above: readonly number[]): string => {
    const existing = keys.get(place);
    if (existing !== undefined) return existing;
    const node = nodes[place];
    if (!node || node.path === '' || above.includes(place)) return '';
    const parent = typeof node.parent === 'number' ? getKey(node.parent, [...above, place]) : (node.parent ?? '');
    const identity = findIdentity(node, profile) ?? `${node.path}#${batch}.${place}`;
    const key = parent === '' ? identity : `${identity}@${parent}`;
    keys.set(place, key);
    return key;
  };
  nodes.forEach((node, place) => {
    const key = getKey(place, []);
    const parent = typeof node.parent === 'number' ? getKey(node.parent, [place]) : (node.parent ?? undefined);
    const skeletonNode: SkeletonNode = { key, path: node.path, ids: node.ids, chunks: node.chunks, batches: [batch] };
    if (parent !== undefined && node.path !== '') skeletonNode.parent = parent;
    const existing = skeleton.get(key);
    if (existing) absorb(existing, skeletonNode);
    else skeleton.set(key, { ...skeletonNode, ids: { ...skeletonNode.ids }, chunks: [...skeletonNode.chunks] });
  });
}

/** Adds the data of `other` to `node`, which keeps its own ids and parent. */
export function absorb(node: SkeletonNode, other: SkeletonNode): void {
  for (const [field, value] of Object.entries(other.ids)) if (isEmpty(node.ids[field])) node.ids[field] = value;
  node.chunks = unite(node.chunks, other.chunks);
  node.batches = unite(node.batches, other.batches);
  node.parent ??= other.parent;
}

const unite = (left: readonly number[], right: readonly number[]) =>
  [...new Set([...left, ...right])].sort((value, other) => value - other);

/** Merges `absorbed` into `target`, which gets its children. */
export function replaceNode(skeleton: Skeleton, absorbed: SkeletonNode, target: SkeletonNode): void {
  absorb(target, absorbed);
  skeleton.delete(absorbed.key);
  for (const node of skeleton.values()) if (node.parent === absorbed.key) node.parent = target.key;
}

/**
 * Attaches top-level nodes to the root. Merges any other node without a parent into the only node with its identity and a parent.
 */
export function settleParents(skeleton: Skeleton, catalog: readonly CatalogEntry[], profile: Profile): void {
  const parentPath = new Map(catalog.map(({ path, parent }) => [path, parent]));
  const byIdentity = new Map<string, SkeletonNode[]>();
  for (const node of skeleton.values()) {
    const identity = findIdentity(node, profile);
    if (identity !== undefined) byIdentity.set(identity, [...(byIdentity.get(identity) ?? []), node]);
  }
  for (const node of [...skeleton.values()]) {
    if (node.parent !== undefined || node.path === '') continue;
    if (parentPath.get(node.path) === '') {
      node.parent = '';
      continue;
    }
    const others = (byIdentity.get(findIdentity(node, profile) ?? '') ?? []).filter(
      (other) => other !== node && other.parent !== undefined && skeleton.has(other.key),
    );
    const [only] = others;
    if (only && others.length === 1) replaceNode(skeleton, node, only);
  }
}

const numberLike = /(?:^|_)(?:no|nr|num|number|id|code|ref|reference)$/i;

/** True for the class name itself, which models write when they find no identity. */
export const isPlaceholderName = (value: GraphValue, { name }: TemplateClass): boolean =>
  typeof value === 'string' && value.trim().toLowerCase() === name.toLowerCase();

/** Removes values of the root that do not identify it: its class name, and words without a digit in number fields. */
export function clearRootIds(ids: Attributes, templateClass: TemplateClass): void {
  for (const [field, value] of Object.entries(ids)) {
    const text = typeof value === 'string' ? value.trim() : '';
    const isPhrase = numberLike.test(field) && !/\p{N}/u.test(text) && /\s/.test(text);
    if (isPhrase || isPlaceholderName(value, templateClass)) delete ids[field];
  }
}
