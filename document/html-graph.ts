import type { FormItem, KeyValueItem } from './model';

interface Cell {
  cell_id: number;
  label: string;
  text: string;
}
interface Link {
  label: string;
  source_cell_id: number;
  target_cell_id: number;
}

/** Deeper keys are written beside those above them. */
const maxDepth = 50;

/**
 * A key-value region or form as a list: each key with its values, the keys below it as a list of its own. Keys without value
 * and without keys below say nothing. Takes linear time.
 */
export function graphHtml({ label, graph }: KeyValueItem | FormItem, escape: (text: string) => string): string {
  const cells = new Map((graph.cells as Cell[]).map((cell) => [cell.cell_id, cell]));
  const values = new Map<number, string[]>();
  const children = new Map<number, Set<number>>();
  const isBelow = new Set<number>();
  for (const { label: kind, source_cell_id: source, target_cell_id: target } of graph.links as Link[]) {
    if (kind === 'to_value') {
      const own = values.get(source) ?? [];
      own.push(cells.get(target)?.text ?? '');
      values.set(source, own);
    }
    const [parent, child] = kind === 'to_parent' ? [target, source] : [source, target];
    if (kind === 'to_parent' || kind === 'to_child') {
      children.set(parent, (children.get(parent) ?? new Set()).add(child));
      isBelow.add(child);
    }
  }
  const written = new Set<number>();
  const itemOf = (cell: Cell, depth: number): string => {
    if (written.has(cell.cell_id) || depth > maxDepth) return '';
    written.add(cell.cell_id);
    const below = [...(children.get(cell.cell_id) ?? [])].flatMap((id) => cells.get(id) ?? []);
    const nested = below.map((child) => itemOf(child, depth + 1)).filter(Boolean);
    const own = values.get(cell.cell_id);
    const list = nested.length === 0 ? '' : `\n<ul>\n${nested.join('\n')}\n</ul>\n`;
    if (own) return `<li><strong>${escape(cell.text)}</strong>: ${escape(own.join(', '))}${list}</li>`;
    return list === '' ? '' : `<li>${escape(cell.text)}${list}</li>`;
  };
  const keys = [...cells.values()].filter((cell) => cell.label === 'key');
  // Keys in a ring have no beginning; they come last.
  const roots = [...keys.filter((cell) => !isBelow.has(cell.cell_id)), ...keys];
  const items = roots.map((cell) => itemOf(cell, 0)).filter(Boolean);
  const name = label === 'form' ? 'form-container' : 'key-value-region';
  return items.length === 0 ? '' : `<div class="${name}">\n<ul class="${name}">\n${items.join('\n')}\n</ul>\n</div>`;
}
