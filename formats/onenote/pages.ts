import { createDamage } from './cursor';
import { listNames, property } from './properties';
import type { NoteObject, Section, Space } from './section';

/** Roles of the root objects of a space (MS-ONE 2.1.8). */
export const role = { content: 1, metadata: 2 } as const;

/** The pages in the order of the section; undefined for those that the file does not contain. */
export function findPages(section: Section): (Space | undefined)[] {
  const node = findRoot(section.root, role.content);
  if (node === undefined) throw createDamage('it has no list of pages');
  return listNames(node, property.children)
    .map((name) => section.root.object(name))
    .flatMap((series) => (series ? listNames(series, property.pages) : []))
    .map((name) => section.space(name));
}

export function findRoot(space: Space, number: number): NoteObject | undefined {
  const name = space.roots.get(number);
  return name === undefined ? undefined : space.object(name);
}
