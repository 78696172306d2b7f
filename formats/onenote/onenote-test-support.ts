/** A value of a property; `objects` and `spaces` are names in the same section. */
export type TestValue = string | number | boolean | Buffer | { objects: string[] } | { spaces: string[] };

export interface TestObject {
  kind: number;
  properties?: Record<number, TestValue>;
}

/** A page, or the section itself. */
export interface TestSpace {
  roots: Record<number, string>;
  objects: Record<string, TestObject>;
  files?: Record<string, Buffer>;
}

export type TestSection = Record<string, TestSpace>;

const u16 = (number: number) => Buffer.from(Uint16Array.of(number).buffer);
const u32 = (...numbers: number[]) => Buffer.from(Uint32Array.from(numbers).buffer);
const u64 = (number: number) => Buffer.from(BigUint64Array.of(BigInt(number)).buffer);
const hex = (digits: string) => Buffer.from(digits, 'hex');
const guid = (byte: number) => Buffer.alloc(16, byte);
const sectionFile = hex('e4525c7b8cd8a74daeb15378d02996d3');

const objectGuid = guid(0xaa);
const spaceGuid = guid(0xbb);
const revisionGuid = guid(0xcc);

/** Reads the names of all objects and spaces as numbers, the same in both forms. */
function numberNames(section: TestSection): { object: (name: string) => number; space: (name: string) => number } {
  const objects = Object.values(section).flatMap((space) => [
    ...Object.keys(space.objects),
    ...Object.keys(space.files ?? {}),
  ]);
  const spaces = Object.keys(section);
  const find = (names: string[]) => (name: string) => {
    const at = names.indexOf(name);
    // Names that are not there stand for references to nothing.
    return at < 0 ? 250 : at + 1;
  };
  return { object: find(objects), space: find(spaces) };
}

/** ObjectSpaceObjectPropSet with the references that it lists. */
function writeProperties(
  properties: Record<number, TestValue>,
  names: ReturnType<typeof numberNames>,
): { data: Buffer; objects: number[]; spaces: number[] } {
  const objects: number[] = [];
  const spaces: number[] = [];
  const ids: Buffer[] = [];
  const values: Buffer[] = [];
  const add = (id: number, type: number, value = Buffer.alloc(0)) => {
    ids.push(u32(((type << 26) | id) >>> 0));
    values.push(value);
  };
  for (const [key, value] of Object.entries(properties)) {
    const id = Number(key);
    if (typeof value === 'string') {
      const text = Buffer.from(`${value}\0`, 'utf16le');
      add(id, 0x7, Buffer.concat([u32(text.length), text]));
    } else if (Buffer.isBuffer(value)) add(id, 0x7, Buffer.concat([u32(value.length), value]));
    else if (typeof value === 'number') add(id, 0x5, u32(value));
    else if (typeof value === 'boolean') ids.push(u32(((value ? 1 << 31 : 0) | (0x2 << 26) | id) >>> 0));
    else if ('objects' in value) {
      objects.push(...value.objects.map(names.object));
      add(id, 0x9, u32(value.objects.length));
    } else {
      spaces.push(...value.spaces.map(names.space));
      add(id, 0xb, u32(value.spaces.length));
    }
  }
  // A CompactID: the number, and the index of its GUID: 0 for objects, 1 for spaces.
  const streams = [u32(objects.length, ...objects), u32(spaces.length, ...spaces.map((number) => number | (1 << 8)))];
  return { data: Buffer.concat([...streams, u16(ids.length), ...ids, ...values]), objects, spaces };
}

type Chunk = [at: number, length: number];

/** The parts of a file that grows. */
function createStore() {
  const parts: Buffer[] = [Buffer.alloc(1024)];
  const counts: number[] = [];
  let length = 1024;
  const put = (part: Buffer): Chunk => {
    parts.push(part);
    length += part.length;
    return [length - part.length, part.length];
  };
  return {
    parts,
    /** Number of nodes of each list, as transactions record it. */
    counts,
    put,
    node: (id: number, rest: Buffer, to?: { chunk: Chunk; type: number }): Buffer => {
      const reference = to ? u32(...to.chunk) : Buffer.alloc(0);
      const size = 4 + reference.length + rest.length;
      const head = u32((id | (size << 10) | (1 << 23) | ((to?.type ?? 0) << 27) | (1 << 31)) >>> 0);
      return Buffer.concat([head, reference, rest]);
    },
    list: (nodes: Buffer[]): Chunk => {
      counts.push(counts.length / 2 + 16, nodes.length);
      const header = Buffer.concat([u32(0xf5f7f4c4, 0xa4567ab1), u32(counts.at(-2)!), u32(0)]);
      return put(Buffer.concat([header, ...nodes, Buffer.alloc(8), Buffer.alloc(8, 0xff), u32(0), Buffer.alloc(8)]));
    },
  };
}
type Store = ReturnType<typeof createStore>;
type Names = ReturnType<typeof numberNames>;

/** Writes the form of OneNote 2010 and later (MS-ONESTORE 2.3). */
export function writeRevisionStore(section: TestSection, { isEncrypted = false } = {}): Buffer {
  const names = numberNames(section);
  const store = createStore();
  const { node, list, put } = store;
  const spaces = Object.entries(section).map(([name, space]) => {
    const group = writeGroup(store, space, names);
    const roots = Object.entries(space.roots).map(([role, object]) =>
      node(0x5a, Buffer.concat([objectGuid, u32(names.object(object)), u32(Number(role))])),
    );
    const revisions = list([
      node(0x1e, Buffer.concat([revisionGuid, u32(1), Buffer.alloc(20), u32(1), u16(0)])),
      ...(isEncrypted ? [node(0x7c, Buffer.alloc(0))] : []),
      node(0xb0, Buffer.concat([guid(1), u32(1)]), { chunk: group, type: 2 }),
      ...roots,
      node(0x1c, Buffer.alloc(0)),
    ]);
    const manifests = list([node(0x10, Buffer.alloc(0), { chunk: revisions, type: 2 })]);
    return node(0x08, Buffer.concat([spaceGuid, u32(names.space(name))]), { chunk: manifests, type: 2 });
  });
  const files = Object.values(section).flatMap((space) => Object.entries(space.files ?? {}));
  const stored = files.map(([name, bytes]) =>
    node(0x94, guid(names.object(name)), {
      chunk: put(Buffer.concat([guid(7), u64(bytes.length), Buffer.alloc(12), bytes, guid(8)])),
      type: 1,
    }),
  );
  const fileStore = node(0x90, Buffer.alloc(0), { chunk: list(stored), type: 2 });
  const root = list([node(0x04, Buffer.concat([spaceGuid, u32(1)])), ...spaces, fileStore]);
  const log = put(Buffer.concat([u32(...store.counts, 1, 0), Buffer.alloc(8, 0xff), u32(0)]));
  const header = store.parts[0]!;
  sectionFile.copy(header, 0);
  hex('3fdd9a101b91f549a5d01791edc8aed8').copy(header, 48);
  header.writeUInt32LE(1, 96);
  for (const [at, [start, size]] of [
    [160, log],
    [172, root],
  ] as const) {
    header.writeUInt32LE(start, at);
    header.writeUInt32LE(size, at + 8);
  }
  return Buffer.concat(store.parts);
}

function writeGroup({ node, list, put }: Store, space: TestSpace, names: Names): Chunk {
  const compact = (name: string) => u32(names.object(name));
  const objects = Object.entries(space.objects).map(([object, { kind, properties = {} }]) =>
    node(0xa4, Buffer.concat([compact(object), u32(kind), Buffer.from([0, 1])]), {
      chunk: put(writeProperties(properties, names).data),
      type: 1,
    }),
  );
  const files = Object.keys(space.files ?? {}).map((object) => {
    const digits = guid(names.object(object)).toString('hex');
    const reference = digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '<ifndf>{$1-$2-$3-$4-$5}');
    const kind = Buffer.concat([compact(object), u32(0x80036), Buffer.from([1]), u32(reference.length)]);
    return node(0x72, Buffer.concat([kind, Buffer.from(reference, 'utf16le'), u32(0)]));
  });
  const ids = [objectGuid, spaceGuid].map((bytes, index) => node(0x24, Buffer.concat([u32(index), bytes])));
  const start = [node(0xb4, Buffer.concat([guid(1), u32(1)])), node(0x22, Buffer.alloc(1))];
  return list([...start, ...ids, ...objects, ...files]);
}

/** A compact number in its shortest form of one, two or nine bytes. */
function compactNumber(number: number): Buffer {
  if (number === 0) return Buffer.from([0]);
  if (number < 1 << 7) return Buffer.from([(number << 1) | 1]);
  if (number < 1 << 14) return u16((number << 2) | 2);
  return Buffer.concat([Buffer.from([0x80]), u64(number)]);
}

/** An extended GUID in its form of five, ten or 32 bits. */
function extendedGuid(bytes: Buffer, number: number): Buffer {
  if (number < 32) return Buffer.concat([Buffer.from([(number << 3) | 4]), bytes]);
  if (number < 1024) return Buffer.concat([u16((number << 6) | 0x20), bytes]);
  return Buffer.concat([Buffer.from([0x80]), u32(number), bytes]);
}

/** A stream object with what is in it, if it is a compound. */
function streamObject(type: number, data: Buffer, inside?: Buffer[]): Buffer {
  const header = u32((2 | (inside ? 4 : 0) | (type << 3) | (Math.min(data.length, 0x7fff) << 17)) >>> 0);
  const long = data.length >= 0x7fff ? compactNumber(data.length) : Buffer.alloc(0);
  return Buffer.concat([header, long, data, ...(inside ? [...inside, u16(3 | (type << 2))] : [])]);
}

const context = hex('b9fade84a3aa0d4aa3a8520c77ac7073');
const none = Buffer.from([0]);

/** Adds a data element and returns its name. */
type AddElement = (type: number, inside: Buffer[]) => Buffer;

/** Writes the form that OneNote 2007 and Office 365 exchange (MS-ONESTORE 2.8). */
export function writePackage(section: TestSection): Buffer {
  const names = numberNames(section);
  const cell = (name: string) => Buffer.concat([extendedGuid(context, 1), extendedGuid(spaceGuid, names.space(name))]);
  const elements: Buffer[] = [];
  const element: AddElement = (type, inside) => {
    const name = extendedGuid(guid(0x11), elements.length + 1);
    elements.push(streamObject(0x01, Buffer.concat([name, none, compactNumber(type)]), inside));
    return name;
  };
  const index = Object.entries(section).flatMap(([name, space]) => {
    const group = writeObjects(element, space, names);
    const revision = extendedGuid(revisionGuid, names.space(name));
    const roots = Object.entries(space.roots).map(([role, object]) => {
      const id = extendedGuid(hex('f817374a141ce749952681d942de1741'), Number(role));
      return streamObject(0x0a, Buffer.concat([id, extendedGuid(objectGuid, names.object(object))]));
    });
    const manifest = element(0x04, [
      streamObject(0x1a, Buffer.concat([revision, none])),
      ...roots,
      streamObject(0x19, group),
    ]);
    const cellManifest = element(0x03, [streamObject(0x0b, revision)]);
    return [
      streamObject(0x0e, Buffer.concat([cell(name), cellManifest, none])),
      streamObject(0x0d, Buffer.concat([revision, manifest, none])),
    ];
  });
  const [root = ''] = Object.keys(section);
  const storage = element(0x02, [streamObject(0x07, Buffer.concat([extendedGuid(context, 2), cell(root)]))]);
  const storageIndex = element(0x01, [streamObject(0x11, Buffer.concat([storage, none])), ...index]);
  const header = Buffer.alloc(68);
  sectionFile.copy(header, 0);
  hex('2fe98d63d4a6c14b9a36b3fc2511a5b7').copy(header, 48);
  const packaging = streamObject(0x7a, Buffer.concat([storageIndex, guid(0)]), [streamObject(0x15, none, elements)]);
  return Buffer.concat([header, packaging]);
}

/** Adds the object group of a space and returns its name. */
function writeObjects(element: AddElement, space: TestSpace, names: Names): Buffer {
  const declarations: Buffer[] = [];
  const contents: Buffer[] = [];
  const declare = (object: string, partition: number, blob?: Buffer) =>
    declarations.push(
      streamObject(
        blob ? 0x05 : 0x18,
        Buffer.concat([
          extendedGuid(objectGuid, names.object(object)),
          blob ?? Buffer.alloc(0),
          compactNumber(partition),
        ]),
      ),
    );
  for (const [object, { kind, properties = {} }] of Object.entries(space.objects)) {
    const { data, objects, spaces } = writeProperties(properties, names);
    declare(object, 4);
    contents.push(writeData(u32(kind), [], []));
    declare(object, 1);
    contents.push(writeData(data, objects, spaces));
  }
  for (const [object, bytes] of Object.entries(space.files ?? {})) {
    const blob = element(0x0a, [streamObject(0x02, Buffer.concat([compactNumber(bytes.length), bytes]))]);
    declare(object, 2, blob);
    contents.push(streamObject(0x1c, Buffer.concat([none, none, blob])));
  }
  return element(0x05, [
    streamObject(0x1d, Buffer.alloc(0), declarations),
    streamObject(0x1e, Buffer.alloc(0), contents),
  ]);
}

function writeData(data: Buffer, objects: number[], spaces: number[]): Buffer {
  const parts = [
    compactNumber(objects.length),
    ...objects.map((object) => extendedGuid(objectGuid, object)),
    compactNumber(spaces.length),
    ...spaces.flatMap((space) => [extendedGuid(context, 1), extendedGuid(spaceGuid, space)]),
    compactNumber(data.length),
    data,
  ];
  return streamObject(0x16, Buffer.concat(parts));
}
