import { createDamage, Cursor } from './cursor';

/** The value of a property. References are the names of objects or spaces. */
export type Value = number | boolean | Buffer | readonly string[] | readonly Properties[];

/** Properties by the lower 26 bits of their identifier (MS-ONE 2.1.12). */
export type Properties = ReadonlyMap<number, Value>;

/** Returns the names for the references of an object, in their order in the object. */
export interface References {
  object: (index: number, compact: number) => string | undefined;
  space: (index: number, compact: number) => string | undefined;
}

const maxDepth = 20;

interface Streams {
  cursor: Cursor;
  objects: (string | undefined)[];
  spaces: (string | undefined)[];
  nextObject: number;
  nextSpace: number;
}

/** Reads an ObjectSpaceObjectPropSet (MS-ONESTORE 2.6.1). */
export function readPropertySet(data: Buffer, references: References): Properties {
  const cursor = new Cursor(data);
  const objects = readReferences(cursor);
  const spaces = objects.isLast ? undefined : readReferences(cursor);
  if (spaces?.hasMore) readReferences(cursor);
  return readProperties(
    {
      cursor,
      objects: objects.compact.map((id, index) => references.object(index, id)),
      spaces: (spaces?.compact ?? []).map((id, index) => references.space(index, id)),
      nextObject: 0,
      nextSpace: 0,
    },
    0,
  );
}

function readReferences(cursor: Cursor): { compact: number[]; hasMore: boolean; isLast: boolean } {
  const header = cursor.uint32();
  const ids = new Cursor(cursor.take(4 * (header & 0xffffff)));
  const compact: number[] = [];
  while (!ids.isAtEnd()) compact.push(ids.uint32());
  return { compact, hasMore: (header & 0x4000_0000) !== 0, isLast: (header & 0x8000_0000) !== 0 };
}

function readProperties(streams: Streams, depth: number): Properties {
  if (depth > maxDepth) throw createDamage(`properties are nested deeper than ${maxDepth}`);
  const { cursor } = streams;
  const ids = new Cursor(cursor.take(4 * cursor.uint16()));
  const properties = new Map<number, Value>();
  while (!ids.isAtEnd()) {
    const id = ids.uint32();
    properties.set(id & 0x3ff_ffff, readValue(streams, id, depth));
  }
  return properties;
}

/** The types of MS-ONESTORE 2.6.6. */
function readValue(streams: Streams, id: number, depth: number): Value {
  const { cursor } = streams;
  switch ((id >>> 26) & 0x1f) {
    case 0x1:
      return false;
    case 0x2:
      return id >>> 31 === 1;
    case 0x3:
      return cursor.uint8();
    case 0x4:
      return cursor.uint16();
    case 0x5:
      return cursor.uint32();
    case 0x6:
      return cursor.take(8);
    case 0x7:
      return cursor.take(cursor.uint32());
    case 0x8:
      return takeObjects(streams, 1);
    case 0x9:
      return takeObjects(streams, cursor.uint32());
    case 0xa:
      return takeSpaces(streams, 1);
    case 0xb:
      return takeSpaces(streams, cursor.uint32());
    case 0xc:
      return [];
    case 0xd:
      cursor.uint32();
      return [];
    case 0x10:
      return readSets(streams, depth);
    case 0x11:
      return [readProperties(streams, depth + 1)];
    default:
      throw createDamage('a property has an unknown type');
  }
}

function readSets(streams: Streams, depth: number): Properties[] {
  const count = streams.cursor.uint32();
  if (count === 0) return [];
  streams.cursor.uint32();
  const sets: Properties[] = [];
  // Each set has at least two bytes, so that the bytes limit the number.
  for (let index = 0; index < count; index++) sets.push(readProperties(streams, depth + 1));
  return sets;
}

function takeObjects(streams: Streams, count: number): string[] {
  const from = streams.nextObject;
  if (from + count > streams.objects.length) throw createDamage('an object refers to more objects than it lists');
  streams.nextObject += count;
  return streams.objects.slice(from, from + count).filter((name) => name !== undefined);
}

function takeSpaces(streams: Streams, count: number): string[] {
  const from = streams.nextSpace;
  if (from + count > streams.spaces.length) throw createDamage('an object refers to more pages than it lists');
  streams.nextSpace += count;
  return streams.spaces.slice(from, from + count).filter((name) => name !== undefined);
}
