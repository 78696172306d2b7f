/** The size is stored before the value, in one byte or in two. */
const [sizedByByte, sizedByWord] = [-1, -2];
/** Value sizes of Word 6 property changes in bytes, by number. */
const sizes = new Map<number, number>();
const setSize = (bytes: number, ...ranges: (number | [number, number])[]) => {
  for (const range of ranges) {
    const [from, to] = typeof range === 'number' ? [range, range] : range;
    for (let number = from; number <= to; number += 1) sizes.set(number, bytes);
  }
};
setSize(0, 0, 75, 82, 116, 184);
setSize(1, [4, 11], 13, 14, 24, 25, 29, 35, 37, 44, [50, 51], [65, 67], 71, 73, 83, [85, 92], 94, 98, 100, 104, 106);
setSize(1, 117, 118, [131, 132], 134, [136, 139], 142, 145, 146, 151, 153, 157, 162, 185, 186);
setSize(
  2,
  2,
  [16, 19],
  21,
  22,
  [26, 28],
  [30, 34],
  36,
  [38, 43],
  [45, 49],
  69,
  72,
  80,
  84,
  93,
  95,
  [96, 97],
  99,
  101,
  107,
);
setSize(
  2,
  [109, 110],
  133,
  135,
  [140, 141],
  143,
  144,
  [147, 150],
  152,
  [154, 156],
  [158, 161],
  [163, 171],
  [182, 183],
  189,
);
setSize(4, 20, 68, 70, 192, 194, 199);
setSize(3, 74);
setSize(sizedByByte, 3, 12, 15, 23, 52, 81, 103, 105, 108, 119, 187, 188);
setSize(sizedByWord, 190, 191);

/** Word 97 codes of the supported changes, by their Word 6 number. */
const codes: ReadonlyMap<number, number> = new Map([
  [24, 0x2416],
  [25, 0x2417],
  [65, 0x0800],
  [85, 0x0835],
  [86, 0x0836],
  [87, 0x0837],
  [92, 0x083c],
  [94, 0x2a3e],
  [104, 0x2a48],
]);
const tableDefinition = 190;

/** Yields the changes of a Word 6 or 95 list. Stops at a change of unknown length. */
export function* readChanges(list: Buffer): Generator<{ number: number; value: Buffer }> {
  for (let at = 0; at < list.length;) {
    const number = list[at]!;
    at += 1;
    let bytes = sizes.get(number);
    if (bytes === undefined) return;
    if (bytes === sizedByByte) [bytes, at] = [list[at] ?? 0, at + 1];
    else if (bytes === sizedByWord) {
      if (at + 2 > list.length) return;
      [bytes, at] = [Math.max(list.readUInt16LE(at) - 1, 0), at + 2];
    }
    yield { number, value: list.subarray(at, at + bytes) };
    at += bytes;
  }
}

/** Converts a Word 6 or 95 list of changes to the Word 97 format. Unsupported changes are dropped. */
export function toWord97List(list: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (const { number, value } of readChanges(list)) {
    const code = codes.get(number);
    if (number === tableDefinition) parts.push(readDefinition(value));
    else if (code !== undefined && value.length === 1) parts.push(Buffer.from([code & 0xff, code >> 8]), value);
  }
  return Buffer.concat(parts);
}

/** Keeps the number of cells and their edges. The data of each cell after them has a different format. */
function readDefinition(value: Buffer): Buffer {
  const edges = value.subarray(0, 1 + 2 * ((value[0] ?? 0) + 1));
  const head = Buffer.alloc(4);
  head.writeUInt16LE(0xd608, 0);
  head.writeUInt16LE(edges.length + 1, 2);
  return Buffer.concat([head, edges]);
}
