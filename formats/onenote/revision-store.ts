import { AppError } from '../../model/errors';
import { Allowance, type SectionLimits } from './allowance';
import { createDamage, Cursor } from './cursor';
import { type Chunk, createFileNodes, type FileNode, type FileNodes, readWideReference } from './file-nodes';
import { type Properties, readPropertySet } from './property-set';
import { createSpace, type NoteObject, type Section, type Space } from './section';

/** Kinds of file nodes (MS-ONESTORE 2.4.3). */
const node = {
  spaceRoot: 0x04,
  spaceList: 0x08,
  spaceStart: 0x0c,
  revisionList: 0x10,
  revisionStart: 0x1e,
  revisionStartInContext: 0x1f,
  globalId: 0x24,
  root: 0x5a,
  role: 0x5c,
  fileObject: 0x72,
  fileObjectOften: 0x73,
  encryptionKey: 0x7c,
  storeList: 0x90,
  storedFile: 0x94,
  object: 0xa4,
  objectOften: 0xa5,
  objectGroup: 0xb0,
  groupStart: 0xb4,
  constant: 0xc4,
  constantOften: 0xc5,
} as const;

const currentRole = 1;
/** Header and footer of a stored file (MS-ONESTORE 2.6.13). */
const storedFileHeader = 36;

interface Declared {
  kind: number;
  chunk: Chunk | undefined;
  /** Names a file in the store: `<ifndf>{…}`. */
  file: string | undefined;
  ids: ReadonlyMap<number, string>;
}

interface Revision {
  name: string;
  /** The revision that this one changes. */
  before: string;
  roots: Map<number, string>;
  groups: Chunk[];
}

interface Store {
  nodes: FileNodes;
  files: ReadonlyMap<string, Chunk>;
  allowance: Allowance;
}

/** Reads the form that OneNote 2010 and later save on disks (MS-ONESTORE 2.3). */
export function readRevisionStore(file: Buffer, limits: SectionLimits): Section {
  const allowance = new Allowance(limits);
  const nodes = createFileNodes(file, readTransactions(file, allowance), allowance);
  const roots = nodes.list(readWideReference(new Cursor(file, 172)));
  const store: Store = { nodes, files: readFiles(nodes, roots), allowance };
  const rootName = roots.find(({ id }) => id === node.spaceRoot)?.rest.extendedGuid();
  const chunks = new Map(
    roots.filter(({ id }) => id === node.spaceList).map(({ chunk, rest }) => [rest.extendedGuid(), chunk]),
  );
  const spaces = new Map<string, Space>();
  const findSpace = (name: string): Space | undefined => {
    const chunk = chunks.get(name);
    if (chunk === undefined) return undefined;
    const space = spaces.get(name) ?? readSpace(store, chunk);
    spaces.set(name, space);
    return space;
  };
  const root = rootName === undefined ? undefined : findSpace(rootName);
  if (root === undefined) throw createDamage('its root is missing');
  return { root, space: findSpace };
}

/** The number of nodes in each list. Nodes after it belong to a transaction that was never finished (2.3.3). */
function readTransactions(file: Buffer, allowance: Allowance): Map<number, number> {
  const finished = new Cursor(file, 96).uint32();
  const counts = new Map<number, number>();
  const changed = new Map<number, number>();
  const seen = new Set<number>();
  let transactions = 0;
  for (let chunk = readWideReference(new Cursor(file, 160)); chunk !== undefined && transactions < finished;) {
    if (seen.has(chunk.at)) throw createDamage('its list of transactions leads back to itself');
    seen.add(chunk.at);
    const fragment = new Cursor(new Cursor(file, chunk.at).take(chunk.length));
    const end = fragment.data.length - 12;
    while (fragment.at + 8 <= end && transactions < finished) {
      allowance.countPart();
      const [list, count] = [fragment.uint32(), fragment.uint32()];
      if (list === 0) break;
      if (list !== 1) changed.set(list, count);
      else {
        transactions += 1;
        for (const [name, nodes] of changed) counts.set(name, nodes);
        changed.clear();
      }
    }
    chunk = readWideReference(new Cursor(fragment.data, Math.max(0, end)));
  }
  return counts;
}

function readFiles(nodes: FileNodes, roots: readonly FileNode[]): Map<string, Chunk> {
  const files = new Map<string, Chunk>();
  for (const { id, chunk } of roots) {
    if (id !== node.storeList) continue;
    for (const stored of nodes.list(chunk))
      if (stored.id === node.storedFile && stored.chunk) files.set(stored.rest.guid(), stored.chunk);
  }
  return files;
}

function readSpace(store: Store, chunk: Chunk): Space {
  const list = store.nodes.list(chunk).findLast(({ id }) => id === node.revisionList);
  const { revisions, current } = readRevisions(store.nodes.list(list?.chunk));
  const declared = new Map<string, Declared>();
  const roots = new Map<number, string>();
  const seen = new Set<string>();
  for (let revision = revisions.get(current ?? ''); revision; revision = revisions.get(revision.before)) {
    if (seen.has(revision.name)) throw createDamage('its versions lead back to themselves');
    seen.add(revision.name);
    for (const [role, name] of revision.roots) if (!roots.has(role)) roots.set(role, name);
    // A later group or revision replaces the objects of earlier ones.
    for (const group of revision.groups.toReversed())
      for (const [name, object] of readGroup(store, group)) if (!declared.has(name)) declared.set(name, object);
  }
  return createSpace({
    roots,
    read(name) {
      const entry = declared.get(name);
      return entry && readObject(entry, store);
    },
    file: (name) => readFile(declared.get(name)?.file, store),
  });
}

function readRevisions(nodes: readonly FileNode[]): {
  revisions: Map<string, Revision>;
  current: string | undefined;
} {
  const revisions = new Map<string, Revision>();
  let current: string | undefined;
  let open: Revision | undefined;
  for (const { id, chunk, rest } of nodes) {
    switch (id) {
      case node.revisionStart:
      case node.revisionStartInContext: {
        open = { name: rest.extendedGuid(), before: rest.extendedGuid(), roots: new Map(), groups: [] };
        revisions.set(open.name, open);
        // Other contexts are earlier versions of the page, and pages in conflict.
        if (id === node.revisionStart && rest.uint32() === currentRole) current = open.name;
        break;
      }
      case node.role: {
        const name = rest.extendedGuid();
        if (rest.uint32() === currentRole) current = name;
        break;
      }
      case node.root: {
        const name = rest.extendedGuid();
        open?.roots.set(rest.uint32(), name);
        break;
      }
      case node.objectGroup:
        if (chunk) open?.groups.push(chunk);
        break;
      case node.encryptionKey:
        throw new AppError('DOCUMENT_ENCRYPTED', 'The OneNote section is protected with a password.');
    }
  }
  return { revisions, current };
}

function readGroup({ nodes }: Store, chunk: Chunk): Map<string, Declared> {
  const objects = new Map<string, Declared>();
  const ids = new Map<number, string>();
  for (const { id, chunk: data, rest } of nodes.list(chunk)) {
    switch (id) {
      case node.globalId:
        ids.set(rest.uint32(), rest.guid());
        break;
      case node.object:
      case node.objectOften:
      case node.constant:
      case node.constantOften: {
        const name = findName(ids, rest.uint32());
        if (name !== undefined) objects.set(name, { kind: rest.uint32(), chunk: data, file: undefined, ids });
        break;
      }
      case node.fileObject:
      case node.fileObjectOften: {
        const name = findName(ids, rest.uint32());
        const kind = rest.uint32();
        rest.take(id === node.fileObject ? 1 : 4);
        const file = rest.take(2 * rest.uint32()).toString('utf16le');
        if (name !== undefined) objects.set(name, { kind, chunk: undefined, file, ids });
        break;
      }
    }
  }
  return objects;
}

/** The name of a CompactID (MS-ONESTORE 2.2.2). */
function findName(ids: ReadonlyMap<number, string>, compact: number): string | undefined {
  const guid = ids.get(compact >>> 8);
  return guid === undefined ? undefined : `${guid}/${compact & 0xff}`;
}

const noProperties: Properties = new Map();

function readObject({ kind, chunk, ids }: Declared, { nodes, allowance }: Store): NoteObject {
  allowance.countBytes(chunk?.length ?? 0);
  const find = (_: number, compact: number) => findName(ids, compact);
  return { kind, properties: chunk ? readPropertySet(nodes.data(chunk), { object: find, space: find }) : noProperties };
}

function readFile(reference: string | undefined, { nodes, files }: Store): Buffer | undefined {
  const guid = /^<ifndf>\{([0-9a-f-]{36})\}/i.exec(reference ?? '')?.[1];
  const chunk = guid === undefined ? undefined : files.get(getFileOrder(guid));
  if (chunk === undefined) return undefined;
  const stored = new Cursor(nodes.data(chunk), 16);
  const length = stored.uint64();
  stored.at = storedFileHeader;
  return stored.take(length);
}

/** A written GUID as its bytes are in the file, in hexadecimal digits: the first three groups are little-endian numbers. */
function getFileOrder(guid: string): string {
  const [a, b, c, ...rest] = guid.toLowerCase().split('-');
  const turn = (digits = '') => (digits.match(/../g) ?? []).reverse().join('');
  return [turn(a), turn(b), turn(c), ...rest].join('');
}
