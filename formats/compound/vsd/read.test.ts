import { convertBytes } from '../../convert';
import { joinBytes, compoundFile, failuresOfDamaged, type Piece } from '../test-support';

/** A block with its type and format; blocks within it are listed by pointers. */
interface Block {
  type: number;
  content: Buffer | Block[];
}

const zeros = (length: number) => Buffer.alloc(length);
const double = (value: number) => {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return bytes;
};
const numbers = (...values: number[]) => Buffer.concat(values.flatMap((value) => [Buffer.from([0x41]), double(value)]));
const chunk = (type: number, id: number, level: number, ...data: Piece[]) => {
  const content = joinBytes(...data);
  const head = [
    [4, type],
    [4, id],
    [4, 0],
    [4, content.length],
    [2, level],
    [1, 0x54],
  ] as const;
  return joinBytes(...head, content);
};
const string = (text: string) => Buffer.from(`${text}\0`, 'utf16le');
const text = (value: string) => chunk(0x0e, 4, 2, zeros(8), string(value));
const name = (id: number, value: string) => chunk(0x2d, id, 3, string(value));
const field = (kind: number, value: Buffer, format: number) =>
  chunk(0xa1, 0, 3, zeros(7), [1, kind], value, [1, 0], [1, 0xe8], [4, format], zeros(32));
/** The middle of the shape, its size, and its middle in its own coordinates. */
const place = (x: number, y: number) => chunk(0x9b, 0, 3, numbers(x, y, 2, 1, 1, 0.5), zeros(15));
const shape = (id: number, { parent = 0, master = 0xffffffff, masterShape = 0xffffffff, type = 0x48 } = {}) =>
  chunk(type, id, 1, zeros(10), [4, parent], zeros(4), [4, master], zeros(4), [4, masterShape], zeros(38));
const pageSize = chunk(0x92, 0, 2, numbers(8, 10, 0, 0, 1, 1), zeros(20));
/** Between two chunks are up to three numbers that are none. */
const gap = joinBytes([4, 5], zeros(8));

/** The bytes of a block, after those of the blocks within it, and its pointer. */
function write(block: Block, at: number): { bytes: Buffer; pointer: Buffer } {
  if (Buffer.isBuffer(block.content)) return withPointer(block.type, 0xd0, zeros(0), block.content, at);
  let inner = zeros(0);
  const pointers = block.content.map((child) => {
    const written = write(child, at + inner.length);
    inner = Buffer.concat([inner, written.bytes]);
    return written.pointer;
  });
  const list = joinBytes([4, 12], zeros(4), [4, 0], [4, pointers.length], zeros(4), ...pointers);
  return withPointer(block.type, 0x50, inner, list, at);
}

function withPointer(type: number, format: number, before: Buffer, content: Buffer, at: number) {
  const pointer = joinBytes([4, type], zeros(4), [4, at + before.length], [4, content.length], [2, format]);
  return { bytes: Buffer.concat([before, content]), pointer };
}

function drawing(pages: Buffer[], { masters = [], version = 11 }: { masters?: Buffer[]; version?: number } = {}) {
  const block = (type: number, type2: number, contents: Buffer[]): Block => ({
    type,
    content: contents.map((content) => ({ type: type2, content })),
  });
  const top = { type: 0x14, content: [block(0x1d, 0x1e, masters), block(0x27, 0x15, pages)] };
  const { bytes, pointer } = write(top, 54);
  const head = joinBytes(Buffer.from('Visio (TM) Drawing\r\n'), zeros(6), [1, version], zeros(9), pointer);
  return compoundFile({ VisioDocument: Buffer.concat([head, bytes]) });
}

function countRepeated(bytes: Buffer, at: number): number {
  let length = 0;
  while (length < 18 && at + length < bytes.length && bytes[at + length] === bytes[at + length - 2]) length += 1;
  return length;
}

/** Compresses bytes: what repeats the two bytes before it becomes a copy of up to 18 bytes. */
function pack(bytes: Buffer): Buffer {
  const output: number[] = [];
  let [at, flagsAt] = [0, 0];
  for (let token = 0; at < bytes.length; token += 1) {
    if (token % 8 === 0) flagsAt = output.push(0) - 1;
    const length = at < 2 ? 0 : countRepeated(bytes, at);
    if (length < 3) {
      output[flagsAt]! |= 1 << (token % 8);
      output.push(bytes[at++]!);
      continue;
    }
    const from = (at - 2 - 18 + 4096) % 4096;
    output.push(from & 0xff, ((from >> 4) & 0xf0) | (length - 3));
    at += length;
  }
  return Buffer.from(output);
}

const textsOf = async (bytes: Uint8Array) => {
  const { document, format } = await convertBytes({ bytes, name: 'plan.bin' });
  expect(format).toBe('vsd');
  return document.texts;
};

test('texts are read by page and row, with the places of groups, gaps between chunks and the values of masters', async () => {
  const master = joinBytes(
    shape(0, { type: 0x47 }),
    text('not on the page'),
    shape(6),
    text('from the master'),
    place(1, 2),
  );
  const first = joinBytes(
    chunk(0x46, 0, 1, zeros(68)),
    pageSize,
    ...[shape(1, { type: 0x47 }), gap, place(3, 3), shape(2, { parent: 1 }), gap, text('in the group'), place(1, 0.5)],
    ...[shape(3), text('right'), place(6, 9), shape(4), text('left\n'), place(2, 9)],
    shape(5, { master: 0, masterShape: 6 }),
  );
  const texts = await textsOf(
    drawing([first, joinBytes(pageSize, shape(1), text('second page'))], { masters: [master] }),
  );
  expect(texts.map((item) => [item.text, item.prov[0]?.page_no])).toEqual([
    ['left', 1],
    ['right', 1],
    ['in the group', 1],
    ['from the master', 1],
    ['second page', 2],
  ]);
  expect(texts[2]?.prov[0]?.bbox).toMatchObject({ l: 144, t: 468, r: 288, b: 540 });
});

test('fields show their strings, dates and numbers with their units', async () => {
  const mark = '\ufffc';
  const inches = (value: number) => double(value / 25.4);
  const texts = await textsOf(
    drawing([
      joinBytes(
        ...[shape(1), text(`By ${mark}, on ${mark}`), field(0xe8, joinBytes([4, 1], zeros(4)), 0)],
        ...[field(0x28, double(43_652.5), 2), name(0, '@'), name(1, 'Ann')],
        ...[shape(2), text(`Wide ${mark}`), field(0x46, inches(12.5), 0), name(0, 'esc(1)')],
        ...[shape(3), text(`Bare ${mark}`), field(0x46, inches(12.5), 0), name(0, 'esc(0)')],
        ...[shape(4), text(`Lost ${mark}.`)],
      ),
    ]),
  );
  expect(texts.map((item) => item.text)).toEqual(['By Ann, on 2019-07-06', 'Wide 12.5 mm', 'Bare 12.5', 'Lost .']);
});

test('compressed blocks are expanded, and older versions are refused by their number', async () => {
  const literal = joinBytes(shape(1), text('aaaaaaaaaaaaaaaaaaaa'), text('aaaaaaaaaaaaaaaaaaaa'));
  const packed = pack(literal);
  expect(packed.length).toBeLessThan(literal.length);
  const bytes = drawing([packed]);
  const stream = Buffer.from(bytes);
  // The pointer of the page gets the flag of compressed blocks.
  const at = stream.indexOf(joinBytes([4, packed.length], [2, 0xd0]));
  stream[at + 4] = 0xd2;
  expect((await textsOf(stream)).map((item) => item.text)).toEqual(['aaaaaaaaaaaaaaaaaaaa']);
  await expect(convertBytes({ bytes: drawing([literal], { version: 6 }), name: 'a.vsd' })).rejects.toMatchObject({
    code: 'FORMAT_UNSUPPORTED',
    message: expect.stringContaining('version 6'),
  });
});

test('groups within each other, and damage, end with a document or a clear error', async () => {
  const loop = joinBytes(
    shape(1, { parent: 2 }),
    text('a'),
    place(1, 1),
    shape(2, { parent: 1 }),
    text('b'),
    place(1, 1),
  );
  expect((await textsOf(drawing([loop]))).map((item) => item.text).sort()).toEqual(['a', 'b']);
  expect(await failuresOfDamaged(drawing([loop]), 'a.vsd', 23)).toEqual([]);
});
