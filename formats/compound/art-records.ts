/** A record of PowerPoint or of a drawing in Office 97 to 2003 (MS-PPT 2.3.1, MS-ODRAW 2.2.1). */
export interface ArtRecord {
  type: number;
  instance: number;
  data: Buffer;
  isContainer: boolean;
}
/** Size of a record header in bytes. */
export const headerBytes = 8;

/** Returns the record at an offset; undefined if it does not fit into the bytes. */
export function readRecord(bytes: Buffer, at: number): ArtRecord | undefined {
  if (at < 0 || at + headerBytes > bytes.length) return undefined;
  const head = bytes.readUInt16LE(at);
  const end = at + headerBytes + bytes.readUInt32LE(at + 4);
  if (end > bytes.length) return undefined;
  const data = bytes.subarray(at + headerBytes, end);
  return { type: bytes.readUInt16LE(at + 2), instance: head >> 4, data, isContainer: (head & 0xf) === 0xf };
}

/** Returns the records in a container, up to the first one that does not fit. */
export function readChildren({ data, isContainer }: ArtRecord): ArtRecord[] {
  const children: ArtRecord[] = [];
  let at = 0;
  for (let next = isContainer ? readRecord(data, 0) : undefined; next; next = readRecord(data, at)) {
    children.push(next);
    at += headerBytes + next.data.length;
  }
  return children;
}

/** Returns the first record of a type in a container. */
export function findChild(record: ArtRecord | undefined, type: number, instance?: number): ArtRecord | undefined {
  if (record === undefined) return undefined;
  return readChildren(record).find(
    (child) => child.type === type && (instance === undefined || child.instance === instance),
  );
}

/** Types of drawing records that readers use (MS-ODRAW 2.2). */
export const art = {
  drawingGroup: 0xf000,
  blipStore: 0xf001,
  drawing: 0xf002,
  shapeGroup: 0xf003,
  shape: 0xf004,
  storeEntry: 0xf007,
  shapeHead: 0xf00a,
  properties: 0xf00b,
  textbox: 0xf00d,
  childAnchor: 0xf00f,
  anchor: 0xf010,
  clientData: 0xf011,
  tertiaryProperties: 0xf122,
} as const;

/** Numbers of shape properties (MS-ODRAW 2.3). */
export const artProperty = {
  /** Number of the picture in the store, from 1. */
  picture: 0x104,
  /** Flags of a PowerPoint table. */
  tableFlags: 0x39f,
} as const;

const propertyBytes = 6;

/** Returns a property from the shape's list of that type; undefined if the shape does not set it. */
export function findProperty(shape: ArtRecord, list: number, property: number): number | undefined {
  const properties = findChild(shape, list);
  if (properties === undefined) return undefined;
  const { data, instance } = properties;
  const end = Math.min(data.length, instance * propertyBytes);
  for (let at = 0; at + propertyBytes <= end; at += propertyBytes) {
    if ((data.readUInt16LE(at) & 0x3fff) === property) return data.readUInt32LE(at + 2);
  }
  return undefined;
}

/** True if the shape was deleted and is kept only for undo. */
export function isDeleted(shape: ArtRecord): boolean {
  return ((findChild(shape, art.shapeHead)?.data[4] ?? 0) & 8) !== 0;
}
