import type { Attributes } from '../core/value';
import type { TemplateClass } from '../template/model';

/** A labelled value, with the block of lines that contains it. */
export interface BlockPair {
  label: string;
  value: string;
  /** The number of the block; blank lines, headings and lines such as `Item 1:` begin another. Absent in tables. */
  block?: number;
}

/** Blocks with the same two labels or more, one below the other, such as the items of an order in a text. */
export function findRecords<P extends BlockPair>(pairs: readonly P[]): P[][] {
  const blocks = new Map<number, P[]>();
  for (const pair of pairs) {
    if (pair.block === undefined) continue;
    const block = blocks.get(pair.block) ?? [];
    block.push(pair);
    blocks.set(pair.block, block);
  }
  const byLabels = new Map<string, P[][]>();
  for (const block of blocks.values()) {
    const labels = block.map(({ label }) => label);
    if (labels.length < 2 || new Set(labels).size < labels.length) continue;
    const key = labels.join('\n');
    byLabels.set(key, [...(byLabels.get(key) ?? []), block]);
  }
  return [...byLabels.values()].filter((same) => same.length > 1).flat();
}

/** The records that have two fields of a class or more; none if only one has. `read` reads the fields of a record. */
export function readRecords<P extends BlockPair>(
  target: TemplateClass,
  records: readonly P[][],
  read: (field: TemplateClass['fields'][number], record: P[]) => Attributes[string] | undefined,
): { rows: Attributes[]; used: P[] } {
  const rows: Attributes[] = [];
  const used: P[] = [];
  for (const record of records) {
    const facts = target.fields.flatMap((field) => {
      const value = field.model ? undefined : read(field, record);
      return value === undefined ? [] : [[field.name, value] as const];
    });
    if (facts.length < 2) continue;
    rows.push(Object.fromEntries(facts));
    used.push(...record);
  }
  return rows.length > 1 ? { rows, used } : { rows: [], used: [] };
}
