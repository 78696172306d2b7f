import { AppError } from '../model/errors';
import type { DoclingDocument, NodeItem } from './model';
import { walkNodes, nodeAt } from './tree';

/** Deeper trees are rejected, because every writer recurses into them. */
export const maxTreeDepth = 1000;

/**
 * Returns the inconsistencies of the tree: dangling references, parents and children that disagree, duplicate references, and
 * cycles.
 */
export function treeProblems(document: DoclingDocument, atMost = 20): string[] {
  const problems: string[] = [];
  const parentOf = new Map<string, string>();
  const nodes = [
    { ref: '#/body', node: document.body as NodeItem },
    { ref: '#/furniture', node: document.furniture as NodeItem },
    ...walkNodes(document),
  ];
  for (const { ref, node } of nodes) {
    if (problems.length >= atMost) break;
    if (node.self_ref !== ref) problems.push(`${ref} calls itself ${node.self_ref}`);
    for (const child of node.children) {
      const other = parentOf.get(child.$ref);
      if (other !== undefined) problems.push(`${child.$ref} is a child of ${other} and of ${ref}`);
      parentOf.set(child.$ref, ref);
      const item = nodeAt(document, child.$ref);
      if (!item) problems.push(`${ref} has the child ${child.$ref}, which does not exist`);
      else if (item.parent?.$ref !== ref)
        problems.push(`${child.$ref} is a child of ${ref}, but its parent is ${item.parent?.$ref ?? 'null'}`);
    }
    if (node.parent && !nodeAt(document, node.parent.$ref))
      problems.push(`${ref} has the parent ${node.parent.$ref}, which does not exist`);
  }
  for (const { ref, node } of nodes) {
    if (problems.length >= atMost) break;
    if (node.parent && parentOf.get(ref) !== node.parent.$ref && nodeAt(document, node.parent.$ref)) {
      problems.push(`${ref} has the parent ${node.parent.$ref}, which does not list it`);
    }
    for (const name of listOtherRefs(node))
      if (!nodeAt(document, name)) problems.push(`${ref} refers to ${name}, which does not exist`);
  }
  problems.push(
    ...findDepthProblems(
      nodes.map(({ ref }) => ref),
      parentOf,
    ),
  );
  return problems.slice(0, atMost);
}

/** Throws DOCUMENT_CORRUPT if the tree is inconsistent. */
export function checkTree(document: DoclingDocument): void {
  const problems = treeProblems(document);
  if (problems.length === 0) return;
  throw new AppError('DOCUMENT_CORRUPT', `The document's hierarchy is inconsistent: ${problems.join('; ')}.`, {
    problems: problems.map((message) => ({ message })),
  });
}

function listOtherRefs(node: NodeItem): string[] {
  const floating = node as {
    captions?: { $ref: string }[];
    references?: { $ref: string }[];
    footnotes?: { $ref: string }[];
  };
  const refs = [...(floating.captions ?? []), ...(floating.references ?? []), ...(floating.footnotes ?? [])];
  if ('data' in node) for (const cell of node.data.table_cells) if (cell.ref) refs.push(cell.ref);
  return refs.map(({ $ref }) => $ref);
}

/** Finds nodes that are their own ancestors or nested too deeply for writers. Visits each node once. */
function findDepthProblems(refs: string[], parentOf: Map<string, string>): string[] {
  const depths = new Map<string, number>();
  for (const start of refs) {
    const path: string[] = [];
    const onPath = new Set<string>();
    let ref: string | undefined = start;
    while (ref !== undefined && !depths.has(ref)) {
      if (onPath.has(ref)) return [`${ref} is its own ancestor`];
      onPath.add(ref);
      path.push(ref);
      ref = parentOf.get(ref);
    }
    let depth = ref === undefined ? 0 : depths.get(ref)!;
    for (const seen of path.toReversed()) depths.set(seen, ++depth);
    if (depth > maxTreeDepth) return [`${start} is ${depth} levels deep; at most ${maxTreeDepth} are read`];
  }
  return [];
}
