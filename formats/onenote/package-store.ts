import { Allowance, type SectionLimits } from './allowance';
import { createDamage, Cursor } from './cursor';
import { type DataElement, readElements, type StreamObject } from './package-elements';
import { type Properties, readPropertySet } from './property-set';
import { createSpace, type NoteObject, type Section, type Space } from './section';

/** GUIDs of MS-ONESTORE 2.7: the root of the section, and the roots of a revision. */
const rootCell = 'b9fade84a3aa0d4aa3a8520c77ac7073/2';
const revisionRoots = 'f817374a141ce749952681d942de1741';

/** Kinds of stream objects (MS-FSSHTTPB 2.2.1.5.1). */
const stream = {
  blob: 0x02,
  blobDeclaration: 0x05,
  rootDeclaration: 0x07,
  revisionRoot: 0x0a,
  currentRevision: 0x0b,
  revisionMapping: 0x0d,
  cellMapping: 0x0e,
  manifestMapping: 0x11,
  objectData: 0x16,
  objectDeclaration: 0x18,
  groupReference: 0x19,
  revision: 0x1a,
  blobReference: 0x1c,
  declarations: 0x1d,
  groupData: 0x1e,
} as const;

/** Parts of an object (MS-ONESTORE 2.7.5). */
const partition = { properties: 1, file: 2, kind: 4 } as const;

interface Part {
  data: Buffer;
  objects: readonly (string | undefined)[];
  cells: readonly string[];
}
type Parts = Map<number, Part>;

interface Index {
  elements: ReadonlyMap<string, DataElement>;
  /** The element with the manifest of each cell, and of each revision. */
  cells: ReadonlyMap<string, string>;
  revisions: ReadonlyMap<string, string>;
  allowance: Allowance;
}

/** Reads the form that OneNote 2007 and Office 365 exchange (MS-ONESTORE 2.8). */
export function readPackage(file: Buffer, limits: SectionLimits): Section {
  const allowance = new Allowance(limits);
  const { index: name, elements } = readElements(file, allowance);
  const entries = elements.get(name ?? '')?.children ?? [];
  const index: Index = { elements, allowance, ...readIndex(entries) };
  const manifest = entries.find(({ type }) => type === stream.manifestMapping)?.data.name();
  const roots = elements.get(manifest ?? '')?.children.filter(({ type }) => type === stream.rootDeclaration) ?? [];
  const rootName = new Map(roots.map(({ data }) => [data.name(), data.cell()])).get(rootCell);
  const spaces = new Map<string, Space | undefined>();
  const findSpace = (cell: string): Space | undefined => {
    if (!spaces.has(cell)) spaces.set(cell, readSpace(index, cell));
    return spaces.get(cell);
  };
  const root = rootName === undefined ? undefined : findSpace(rootName);
  if (root === undefined) throw createDamage('its root is missing');
  return { root, space: findSpace };
}

function readIndex(entries: readonly StreamObject[]): Pick<Index, 'cells' | 'revisions'> {
  const cells = new Map<string, string>();
  const revisions = new Map<string, string>();
  for (const { type, data } of entries) {
    if (type !== stream.cellMapping && type !== stream.revisionMapping) continue;
    const [to, key] = type === stream.cellMapping ? [cells, data.cell()] : [revisions, data.name()];
    const element = data.name();
    if (key !== undefined && element !== undefined) to.set(key, element);
  }
  return { cells, revisions };
}

function readSpace(index: Index, cell: string): Space | undefined {
  const manifest = index.elements.get(index.cells.get(cell) ?? '');
  const current = manifest?.children.find(({ type }) => type === stream.currentRevision);
  if (current === undefined) return undefined;
  const roots = new Map<number, string>();
  const declared = new Map<string, Parts>();
  const seen = new Set<string>();
  for (let name = current.data.name(); name !== undefined;) {
    if (seen.has(name)) throw createDamage('its versions lead back to themselves');
    seen.add(name);
    name = readRevision(index, name, { roots, declared });
  }
  return createSpace({
    roots,
    read(name) {
      const parts = declared.get(name);
      return parts && readObject(parts, index.allowance);
    },
    file: (name) => declared.get(name)?.get(partition.file)?.data,
  });
}

/** Adds what later revisions do not replace. Returns the name of the revision before. */
function readRevision(
  { elements, revisions }: Index,
  name: string,
  { roots, declared }: { roots: Map<number, string>; declared: Map<string, Parts> },
): string | undefined {
  let before: string | undefined;
  const groups: string[] = [];
  for (const { type, data } of elements.get(revisions.get(name) ?? '')?.children ?? []) {
    data.at = 0;
    const first = data.name();
    if (type === stream.revision) before = data.name();
    else if (type === stream.groupReference && first !== undefined) groups.push(first);
    else if (type === stream.revisionRoot) {
      const [guid, role] = (first ?? '').split('/');
      const root = data.name();
      if (guid === revisionRoots && root !== undefined && !roots.has(Number(role))) roots.set(Number(role), root);
    }
  }
  for (const group of groups.toReversed())
    for (const [object, parts] of readGroup(elements, group)) if (!declared.has(object)) declared.set(object, parts);
  return before;
}

function readGroup(elements: ReadonlyMap<string, DataElement>, group: string): Map<string, Parts> {
  const children = elements.get(group)?.children ?? [];
  const inside = (type: number) => children.filter((child) => child.type === type).flatMap((child) => child.children);
  const data = inside(stream.groupData);
  const objects = new Map<string, Parts>();
  for (const [at, declaration] of inside(stream.declarations).entries()) {
    const content = data[at];
    if (content === undefined) break;
    declaration.data.at = 0;
    const name = declaration.data.name();
    if (declaration.type === stream.blobDeclaration) declaration.data.name();
    const number = declaration.data.compact();
    const part = readPart(elements, content);
    if (name === undefined || part === undefined) continue;
    const parts: Parts = objects.get(name) ?? new Map();
    objects.set(name, parts.set(number, part));
  }
  return objects;
}

function readPart(elements: ReadonlyMap<string, DataElement>, { type, data }: StreamObject): Part | undefined {
  data.at = 0;
  const objects = data.list(() => data.name());
  const cells = data.list(() => data.cell());
  if (type === stream.objectData) return { objects, cells, data: data.take(data.compact()) };
  if (type !== stream.blobReference) return undefined;
  const blob = elements.get(data.name() ?? '')?.children.find((child) => child.type === stream.blob)?.data;
  if (blob === undefined) return undefined;
  blob.at = 0;
  return { objects, cells, data: blob.take(blob.compact()) };
}

const noProperties: Properties = new Map();

function readObject(parts: Parts, allowance: Allowance): NoteObject {
  const content = parts.get(partition.properties);
  const kind = parts.get(partition.kind);
  allowance.countBytes(content?.data.length ?? 0);
  return {
    kind: kind === undefined ? 0 : new Cursor(kind.data).uint32(),
    properties: content
      ? readPropertySet(content.data, { object: (at) => content.objects[at], space: (at) => content.cells[at] })
      : noProperties,
  };
}
