/** The value of a field: numbers become varints, strings and bytes are copied, messages are lists of fields. */
export type Value = number | string | Uint8Array | Field[];
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
