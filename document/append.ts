import { addAll } from '../model/lists/add-all';
import type { DoclingDocument, NodeItem } from './model';
import { itemArrays } from './tree';

type Collection = (typeof itemArrays)[number];

/**
 * Appends the items and pages of `part` to `target`, below `parent` (default: the body). `part` is not changed. Pages of the
 * same number are replaced.
 */
export function appendDocument(target: DoclingDocument, part: DoclingDocument, parent: NodeItem = target.body): void {
  const before = new Map(itemArrays.map((name) => [name as string, target[name]?.length ?? 0]));
  const moveRef = (ref: string) => {
    if (ref === part.body.self_ref) return parent.self_ref;
    const [, name = '', index] = /^#\/(\w+)\/(\d+)$/.exec(ref) ?? [];
    return name === '' ? ref : `#/${name}/${Number(index) + (before.get(name) ?? 0)}`;
  };
  for (const name of itemArrays)
    append(
      target,
      name,
      (part[name] ?? []).map((item) => renameRefs(item, moveRef) as never),
    );
  addAll(
    parent.children,
    part.body.children.map(({ $ref }) => ({ $ref: moveRef($ref) })),
  );
  Object.assign(target.pages, part.pages);
}

function append(target: DoclingDocument, name: Collection, items: readonly never[]): void {
  if (items.length === 0) return;
  const list: unknown[] = (target[name] ??= []);
  for (const item of items) list.push(item);
}

function renameRefs(value: unknown, moved: (ref: string) => string): unknown {
  if (Array.isArray(value)) return value.map((entry: unknown) => renameRefs(entry, moved));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]) => [
      name,
      (name === '$ref' || name === 'self_ref') && typeof entry === 'string' ? moved(entry) : renameRefs(entry, moved),
    ]),
  );
}
