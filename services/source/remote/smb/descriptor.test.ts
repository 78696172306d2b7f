import { readDescriptor } from './descriptor';

const sid = (...parts: number[]) => {
  const bytes = Buffer.alloc(8 + parts.length * 4);
  bytes[0] = 1;
  bytes[1] = parts.length;
  bytes[7] = 5;
  for (const [at, part] of parts.entries()) bytes.writeUInt32LE(part, 8 + at * 4);
  return bytes;
};
const alice = sid(21, 1, 2, 4_294_967_295, 1001);
const entry = (type: number, flags: number, body: Buffer) => {
  const head = Buffer.alloc(8);
  head[0] = type;
  head[1] = flags;
  head.writeUInt16LE(8 + body.length, 2);
  head.writeUInt32LE(0x1200a9, 4);
  return Buffer.concat([head, body]);
};

function descriptor(entries: readonly Buffer[], { control = 0x8004, count = entries.length } = {}): Buffer {
  const head = Buffer.alloc(20);
  head[0] = 1;
  head.writeUInt16LE(control, 2);
  head.writeUInt32LE(20, 4);
  head.writeUInt32LE(20 + alice.length, 16);
  const list = Buffer.concat([Buffer.alloc(8), ...entries]);
  list[0] = 2;
  list.writeUInt16LE(list.length, 2);
  list.writeUInt16LE(count, 4);
  return Buffer.concat([head, alice, list]);
}

test('owner and entries are read in their order, conditional ones and those of objects too', () => {
  const objectEntry = Buffer.concat([Buffer.from([1, 0, 0, 0]), Buffer.alloc(16), sid(11)]);
  const rights = readDescriptor(descriptor([entry(1, 0, alice), entry(0, 8, sid(11)), entry(5, 0, objectEntry)]));
  expect(rights).toEqual({
    owner: 'S-1-5-21-1-2-4294967295-1001',
    entries: [
      {
        sid: 'S-1-5-21-1-2-4294967295-1001',
        allows: false,
        mask: 0x1200a9,
        isInheritOnly: false,
        isConditional: false,
      },
      { sid: 'S-1-5-11', allows: true, mask: 0x1200a9, isInheritOnly: true, isConditional: false },
      { sid: 'S-1-5-11', allows: true, mask: 0x1200a9, isInheritOnly: false, isConditional: true },
    ],
  });
});

test('a descriptor that declares no list has none; one that does not declare it is rejected', () => {
  const open = descriptor([]);
  open.writeUInt32LE(0, 16);
  expect(readDescriptor(open).entries).toBeUndefined();
  expect(() => readDescriptor(descriptor([], { control: 0x8000 }))).toThrow(
    expect.objectContaining({ code: 'ACCESS_LIST_INVALID' }),
  );
});

test.each([
  ['cut off', descriptor([entry(0, 0, alice)]).subarray(0, 60)],
  ['more entries than there are', descriptor([entry(0, 0, alice)], { count: 2 })],
  ['an unknown type of entry', descriptor([entry(77, 0, alice)])],
  ['an entry without an id', descriptor([entry(0, 0, Buffer.alloc(2))])],
  ['nothing', Buffer.alloc(0)],
])('%s is refused', (_name, bytes) => {
  expect(() => readDescriptor(bytes)).toThrow(expect.objectContaining({ code: 'ACCESS_LIST_INVALID' }));
});
