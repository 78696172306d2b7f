/**
 * The value of a field: whole numbers become varints, other numbers state their width, strings and bytes are copied,
 * messages are lists of fields.
 */
export type Value = number | string | Uint8Array | Field[] | { float: Uint8Array } | { double: number };
/** A field of a message: its number and value. */
export type Field = [number, Value];

function varint(value: number): number[] {
  const bytes: number[] = [];
  let left = value;
  for (; left >= 128; left = Math.floor(left / 128)) bytes.push((left % 128) + 128);
  return [...bytes, left];
}
function encode(fields: readonly Field[]): Uint8Array {
  return Buffer.concat(
    fields.map(([number, value]) => {
      if (typeof value === 'number') return Buffer.from([...varint(number * 8), ...varint(value)]);
      if (typeof value === 'object' && 'float' in value)
        return Buffer.concat([Buffer.from(varint(number * 8 + 5)), value.float]);
      if (typeof value === 'object' && 'double' in value)
        return Buffer.concat([Buffer.from(varint(number * 8 + 1)), double(value.double)]);
      const bytes = typeof value === 'string' ? Buffer.from(value) : Array.isArray(value) ? encode(value) : value;
      return Buffer.concat([Buffer.from([...varint(number * 8 + 2), ...varint(bytes.length)]), bytes]);
    }),
  );
}
/** Creates the value of a field that references an object. */
export const reference = (id: number): Field[] => [[1, id]];
/** Creates a table of runs: pairs of a start character and the object that applies from there. */
export const runs = (...entries: [number, number | undefined][]): Field[] =>
  entries.map(([at, id]): Field => [
    1,
    id === undefined
      ? [[1, at]]
      : [
          [1, at],
          [2, reference(id)],
        ],
  ]);

/** Creates an archive: Snappy with literals only, in blocks as Pages writes them. */
export function archive(objects: Record<number, [type: number, fields: Field[]]>): Uint8Array {
  const content = Buffer.concat(
    Object.entries(objects).map(([id, [type, fields]]) => {
      const payload = encode(fields);
      const header = encode([
        [1, Number(id)],
        [
          2,
          [
            [1, type],
            [3, payload.length],
          ],
        ],
      ]);
      return Buffer.concat([Buffer.from(varint(header.length)), header, payload]);
    }),
  );
  const blocks: Buffer[] = [];
  for (let at = 0; at < content.length; at += 60_000) {
    const piece = content.subarray(at, at + 60_000);
    const snappy = Buffer.concat([
      Buffer.from(varint(piece.length)),
      Buffer.from([61 << 2, (piece.length - 1) & 255, (piece.length - 1) >> 8]),
      piece,
    ]);
    blocks.push(
      Buffer.concat([Buffer.from([0, snappy.length & 255, (snappy.length >> 8) & 255, snappy.length >> 16]), snappy]),
    );
  }
  return new Uint8Array(Buffer.concat(blocks));
}

/** Creates a cell of version 5 with the members that `flags` names, in their order. */
export function cell(kind: number, flags: number, ...values: Uint8Array[]): Uint8Array {
  const head = Buffer.alloc(12);
  head[0] = 5;
  head[1] = kind;
  head.writeUInt32LE(flags, 8);
  return Buffer.concat([head, ...values]);
}
/** Creates a number of a cell. */
export const double = (value: number) => {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return bytes;
};
/** Creates a reference of a cell to an entry of a list. */
export const key = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};
/** Creates 12.5 as a 128-bit decimal: 125 and the exponent -1. */
export const decimal = () => {
  const bytes = Buffer.alloc(16);
  bytes[0] = 125;
  const exponent = 6_176 - 1;
  bytes[14] = (exponent & 0x7f) << 1;
  bytes[15] = exponent >> 7;
  return bytes;
};
/** Creates a row of a tile. */
export function row(index: number, cells: (Uint8Array | undefined)[]): Field {
  const offsets = Buffer.alloc(cells.length * 2);
  let at = 0;
  for (const [column, bytes] of cells.entries()) {
    offsets.writeInt16LE(bytes ? at / 4 : -1, column * 2);
    at += bytes?.length ?? 0;
  }
  return [
    5,
    [
      [1, index],
      [6, Buffer.concat(cells.flatMap((bytes) => bytes ?? []))],
      [7, offsets],
      [8, 1],
    ],
  ];
}

const float = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return bytes;
};

/** Creates the value of a field with a position or size. */
export const pair = (value: number, other: number): Field[] => [
  [1, { float: float(value) }],
  [2, { float: float(other) }],
];

/** Creates the message that all drawables have. */
export const drawable = (place: readonly [x: number, y: number], ...more: Field[]): Field[] => [
  [
    1,
    [
      [1, pair(...place)],
      [2, pair(100, 20)],
    ],
  ],
  ...more,
];
