import { burn, type Entry } from '@kenjiuno/msgreader/lib/Burner';
import { encode } from 'iconv-lite';
import { convertBytes } from '../../convert';

type Folder = { [name: string]: Uint8Array | Folder };
const [storage, stream, root] = [1, 2, 5];

/** A compound file with these folders and streams. */
function compoundFile(content: Folder): Uint8Array {
  const entries: Entry[] = [{ name: 'Root Entry', type: root, length: 0, children: [] }];
  const add = (parent: Entry, folder: Folder): void => {
    for (const [name, inner] of Object.entries(folder)) {
      const isStream = inner instanceof Uint8Array;
      const entry: Entry = isStream
        ? { name, type: stream, length: inner.length, binaryProvider: () => Uint8Array.from(inner) }
        : { name, type: storage, length: 0, children: [] };
      parent.children!.push(entries.push(entry) - 1);
      if (!isStream) add(entry, inner);
    }
  };
  add(entries[0]!, content);
  return burn(entries);
}

const text = (tag: string, value: string): Folder => ({ [`__substg1.0_${tag}001F`]: Buffer.from(value, 'utf16le') });

/** A property stream: a header (32 bytes in the message, 8 below it), then 16 bytes for each fixed value. */
function properties(headerBytes: number, values: [tag: number, value: bigint][]): Folder {
  const bytes = Buffer.alloc(headerBytes + 16 * values.length);
  for (const [index, [tag, value]] of values.entries()) {
    bytes.writeUInt32LE(tag, headerBytes + 16 * index);
    bytes.writeUInt32LE(6, headerBytes + 16 * index + 4);
    bytes.writeBigUInt64LE(value, headerBytes + 16 * index + 8);
  }
  return { '__properties_version1.0': bytes };
}
const recipient = (kind: bigint, name: string, address: string): Folder => ({
  ...properties(8, [[0x0c150003, kind]]),
  ...text('3001', name),
  ...text('39FE', address),
});
// Units of 100 ns since 1601.
const submitted = BigInt(Date.UTC(2026, 4, 20, 10, 30) + 11_644_473_600_000) * 10_000n;

const message = (body: Folder): Uint8Array =>
  compoundFile({
    ...properties(32, [[0x00390040, submitted]]),
    ...text('001A', 'IPM.Note'),
    ...text('0037', 'Plan'),
    ...text('0C1A', 'Jane Doe'),
    ...text('5D01', 'jane@a.example'),
    ...body,
    '__recip_version1.0_#00000000': recipient(1n, 'Bob', 'bob@a.example'),
    '__recip_version1.0_#00000001': recipient(2n, 'Boss', 'boss@a.example'),
    '__attach_version1.0_#00000000': {
      ...properties(8, [[0x37050003, 1n]]),
      ...text('3707', 'numbers.csv'),
      ...text('370E', 'text/csv'),
      '__substg1.0_37010102': Buffer.from('1;2'),
    },
  });

test('an Outlook message has subject, sender, recipients, date and body; carbon copies and attachments are in meta', async () => {
  const bytes = message(text('1000', 'Hello,\r\n\r\nall is well.\r\n'));
  const { document, format } = await convertBytes({ bytes, name: 'plan.msg' });
  expect(format).toBe('msg');
  expect(document.texts.map(({ label, text: shown }) => [label, shown])).toEqual([
    ['title', 'Plan'],
    ['text', 'From: Jane Doe <jane@a.example>'],
    ['text', 'To: Bob <bob@a.example>'],
    ['text', 'Cc: Boss <boss@a.example>'],
    ['text', 'Date: 2026-05-20T10:30:00+00:00'],
    ['text', 'Hello,'],
    ['text', 'all is well.'],
  ]);
  expect(document.body.meta).toEqual({
    docloom__mail: {
      cc: 'Boss <boss@a.example>',
      attachments: [{ name: 'numbers.csv', mediaType: 'text/csv', sizeBytes: 3 }],
    },
  });
});

test('blind copies are shown', async () => {
  const bytes = message({
    ...text('1000', 'Hello'),
    '__recip_version1.0_#00000005': recipient(3n, 'Ann', 'ann@a.example'),
  });
  const { document } = await convertBytes({ bytes, name: 'plan.msg' });
  expect(document.texts.map(({ text: shown }) => shown)).toContain('Bcc: Ann <ann@a.example>');
});

test('a body in HTML only is read as HTML', async () => {
  const bytes = message({ '__substg1.0_10130102': Buffer.from('<html><body><h1>Grüße</h1><p>a</p></body></html>') });
  const { document } = await convertBytes({ bytes, name: 'plan.msg' });
  expect(document.texts.slice(5).map(({ label, text: shown }) => [label, shown])).toEqual([
    ['title', 'Grüße'],
    ['text', 'a'],
  ]);
});

test('a message is recognized by its content, other compound files are not messages', async () => {
  // As in a request: a view of a larger buffer.
  const bytes = new Uint8Array([1, 2, 3, ...message(text('1000', 'Hello'))]).subarray(3);
  expect((await convertBytes({ bytes, name: 'plan.doc' })).format).toBe('msg');
  const other = compoundFile({ WordDocument: Buffer.from('x') });
  await expect(convertBytes({ bytes: other, name: 'plan.msg' })).rejects.toMatchObject({ code: 'DOCUMENT_CORRUPT' });
});

test('a truncated message is damaged', async () => {
  const bytes = message(text('1000', 'Hello'.repeat(2000)));
  await expect(convertBytes({ bytes: bytes.slice(0, 2048), name: 'plan.msg' })).rejects.toMatchObject({
    code: expect.stringMatching(/^(?:DOCUMENT_CORRUPT|FORMAT_UNSUPPORTED)$/),
  });
});

test('properties of a wrong type are ignored', async () => {
  const bytes = compoundFile({
    ...properties(32, [
      [0x0c1a0003, 7n],
      [0x5d010003, 7n],
    ]),
    ...text('0037', 'Plan'),
    ...text('1000', 'Hello'),
    '__recip_version1.0_#00000000': properties(8, [
      [0x0c150003, 1n],
      [0x30010003, 7n],
    ]),
  });
  const { document } = await convertBytes({ bytes, name: 'plan.msg' });
  expect(document.texts.map(({ text: shown }) => shown)).toEqual(['Plan', 'Hello']);
});

test.each([
  [[[0x3ffd0003, 1251n]], 'Отчёт', 'cp1251'],
  [[[0x3fde0003, 950n]], '測試', 'cp950'],
  [[[0x3fde0003, 20866n]], 'Отчёт', 'cp1251'],
  [[[0x3ff10003, 0x0419n]], 'Отчёт', 'cp1251'],
  [[[0x3fde0003, 28591n]], 'Grüße – €', 'cp1252'],
  [[], 'Grüße', 'cp1252'],
] as [[number, bigint][], string, string][])(
  'texts are decoded with the code page of %j',
  async (known, words, encoding) => {
    const stored = (tag: string) => ({ [`__substg1.0_${tag}001E`]: encode(words, encoding) });
    const bytes = compoundFile({
      ...properties(32, known),
      ...stored('0037'),
      ...stored('1000'),
      '__recip_version1.0_#00000000': { ...properties(8, [[0x0c150003, 2n]]), ...stored('3001') },
    });
    const { document } = await convertBytes({ bytes, name: 'plan.msg' });
    expect(document.texts.map(({ text: shown }) => shown)).toEqual([words, `Cc: ${words}`, words]);
  },
);

test('an attached message is read after the body', async () => {
  const bytes = compoundFile({
    ...properties(32, []),
    ...text('0037', 'Plan'),
    ...text('1000', 'See below'),
    '__attach_version1.0_#00000000': {
      ...properties(8, [[0x37050003, 5n]]),
      '__substg1.0_3701000D': { ...properties(24, []), ...text('0037', 'Inner'), ...text('1000', 'Old news') },
    },
  });
  const { document } = await convertBytes({ bytes, name: 'plan.msg' });
  expect(document.texts.map(({ text: shown }) => shown)).toEqual(['Plan', 'See below', 'Inner', 'Old news']);
});
