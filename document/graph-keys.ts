import type { FormItem, GraphCell, GraphLink, KeyValueItem } from './model';

/** A key with its values (undefined if none is linked) and the keys below it. */
export interface GraphKey {
  text: string;
  values: readonly string[] | undefined;
  below: readonly GraphKey[];
}

/** Keys nested more deeply are written on the level above. */
const maxDepth = 50;

/** Returns each key of a region or form once. Keys without a value and without keys below them are skipped. Takes linear time. */
export function listKeys({ graph }: KeyValueItem | FormItem): GraphKey[] {
  const cells = new Map(graph.cells.map((cell) => [cell.cell_id, cell]));
  const { values, children, isBelow } = buildLinks(graph.links);
  const indexes = new Set<number>();
  const getKey = (cell: GraphCell, depth: number): GraphKey[] => {
    if (indexes.has(cell.cell_id) || depth > maxDepth) return [];
    indexes.add(cell.cell_id);
    const inside = [...(children.get(cell.cell_id) ?? [])].flatMap((id) => cells.get(id) ?? []);
    const below = inside.flatMap((child) => getKey(child, depth + 1));
    const texts = values.get(cell.cell_id)?.map((id) => cells.get(id)?.text ?? '');
    return texts || below.length > 0 ? [{ text: cell.text, values: texts, below }] : [];
  };
  const keys = [...cells.values()].filter((cell) => cell.label === 'key');
  // Keys in a cycle have no root, so they come last.
  return [...keys.filter((cell) => !isBelow.has(cell.cell_id)), ...keys].flatMap((cell) => getKey(cell, 0));
}

function buildLinks(links: readonly GraphLink[]) {
  const values = new Map<number, number[]>();
  const children = new Map<number, Set<number>>();
  const isBelow = new Set<number>();
  for (const { label, source_cell_id: source, target_cell_id: target } of links) {
    if (label === 'to_value') {
      const targets = values.get(source);
      if (targets) targets.push(target);
      else values.set(source, [target]);
    }
    const [parent, child] = label === 'to_parent' ? [target, source] : [source, target];
    if (label !== 'to_parent' && label !== 'to_child') continue;
    children.set(parent, (children.get(parent) ?? new Set()).add(child));
    isBelow.add(child);
  }
  return { values, children, isBelow };
}

/** Writes one line per key with its values, indented by two blanks per level. */
export function writeKeyLines(keys: readonly GraphKey[], indent = ''): string[] {
  return keys.flatMap(({ text, values, below }) => [
    `${indent}${text.trim()}:${values ? ` ${values.map((value) => value.trim()).join(', ')}` : ''}`,
    ...writeKeyLines(below, `${indent}  `),
  ]);
}
