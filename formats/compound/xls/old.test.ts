import { createCipheriv, createHash } from 'node:crypto';
import { convertBytes } from '../../convert';
import { excelDefaultPassword } from '../crypt/password';
import { createRc4Stream } from '../crypt/rc4';
import { joinBytes, compoundFile, failuresOfDamaged, type Piece } from '../test-support';
import { biff } from './records';
import { computeXorArray, computeXorKey } from './xor';

const record = (type: number, ...pieces: Piece[]) => {
  const data = joinBytes(...pieces);
  return joinBytes([2, type], [2, data.length], data);
};
const ascii = (text: string) => Buffer.from(text, 'latin1');
const double = (value: number) => {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return bytes;
};
const cell = (row: number, column: number, style = 0) => joinBytes([2, row], [2, column], [2, style]);
const eof = record(biff.eof);

async function readCells(bytes: Uint8Array, password?: string, name = 'old.xls') {
  const { document } = await convertBytes({ bytes, name, ...(password === undefined ? {} : { paged: { password } }) });
  const texts = document.tables.flatMap(({ data }) => data.table_cells.map(({ text }) => text));
  return { document, texts };
}

test('an Excel 2 sheet is read: integers, numbers, texts, formula results', async () => {
  const place = (column: number) => joinBytes([2, 0], [2, column], [1, 1], [2, 0]);
  const bytes = joinBytes(
    record(0x09, [2, 2], [2, 0x10]),
    record(0x1e, [1, 7], ascii('General')),
    record(0x1e, [1, 2], ascii('0%')),
    record(0x43, [2, 0], [2, 0]),
    record(0x43, [2, 0], [2, 1]),
    record(0x02, place(0), [2, 1987]),
    record(0x03, place(1), double(0.5)),
    record(0x04, place(2), [1, 5], ascii('Total')),
    record(0x06, place(3), double(0.25), [1, 0]),
    eof,
  );
  expect((await readCells(bytes)).texts).toEqual(['198700%', '50%', 'Total', '25%']);
  expect((await convertBytes({ bytes, name: 'sheet' })).format).toBe('xls');
  expect(await failuresOfDamaged(bytes, 'a.xls', 3)).toEqual([]);
});

test('an Excel 4 workbook is read sheet by sheet', async () => {
  const sheet = (text: string) => [
    record(0x409, [2, 4], [2, 0x10], [2, 0]),
    record(biff.label, cell(0, 0), [2, text.length], ascii(text)),
    record(0x406, cell(0, 1), double(3), [2, 0]),
    eof,
  ];
  const named = (name: string) => record(biff.bundleHeader, [4, 0], [1, name.length], ascii(name));
  const bytes = joinBytes(
    record(0x409, [2, 4], [2, 0x100], [2, 0]),
    named('Costs'),
    ...sheet('Rent'),
    named('Sales'),
    ...sheet('Bread'),
    eof,
  );
  const { document, texts } = await readCells(bytes, undefined, 'book.xlw');
  expect(texts).toEqual(['Rent', '3', 'Bread', '3']);
  expect(document.groups.map(({ name }) => name)).toEqual(['Costs', 'Sales']);
});

const bof = (kind: number, version = 0x600) => record(biff.bof, [2, version], [2, kind], [4, 0], [4, 0], [4, 0]);

/** A workbook with one sheet and one text; `pass` comes before everything that may be encrypted. */
function workbook(pass: Uint8Array, version = 0x600, records: Uint8Array[] = []): Buffer {
  const flag = version === 0x600 ? [Buffer.from([0])] : [];
  const label = record(biff.label, cell(0, 0), [2, 6], ...flag, ascii('secret'));
  const head = (at: number) =>
    joinBytes(bof(5, version), pass, record(biff.boundSheet, [4, at], [2, 0], [1, 1], ...flag, ascii('S')), eof);
  return joinBytes(head(head(0).length), bof(0x10, version), label, ...records, eof);
}

/** Encrypts the encrypted parts of a workbook with a mask for each position of the stream. */
function encrypt(stream: Buffer, mask: (byte: number, at: number, recordEnd: number) => number): Buffer {
  const plain = new Set<number>([biff.bof, biff.filePass]);
  for (let at = 0; at + 4 <= stream.length;) {
    const [type, end] = [stream.readUInt16LE(at), at + 4 + stream.readUInt16LE(at + 2)];
    const from = at + 4 + (type === biff.boundSheet ? 4 : 0);
    if (!plain.has(type))
      for (let place = from; place < end; place += 1) stream[place] = mask(stream[place]!, place, end + place - at - 4);
    at = end;
  }
  return stream;
}
const sum = (algorithm: string, ...parts: Uint8Array[]) => createHash(algorithm).update(Buffer.concat(parts)).digest();
const uint32 = (value: number) => joinBytes([4, value]);

/** RC4 with MD5, as Excel 97 to 2003 encrypt by default. */
function withRc4(password: string): Buffer {
  const salt = Buffer.alloc(16, 7);
  const start = sum('md5', Buffer.from(password, 'utf16le')).subarray(0, 5);
  const base = sum('md5', ...Array.from({ length: 16 }, () => Buffer.concat([start, salt]))).subarray(0, 5);
  const keys = createRc4Stream(sum('md5', base, uint32(0)), 1024);
  const proof = Buffer.concat([Buffer.alloc(16, 9), sum('md5', Buffer.alloc(16, 9))]).map(
    (byte, at) => byte ^ keys[at]!,
  );
  const pass = record(biff.filePass, [2, 1], [2, 1], [2, 1], salt, proof);
  return encrypt(workbook(pass), (byte, at) => byte ^ keys[at % 1024]!);
}

function withXor(password: string): Buffer {
  const key = computeXorKey(ascii(password));
  const array = computeXorArray(password, key)!;
  const pass = record(biff.filePass, [2, key], [2, 0]);
  return encrypt(workbook(pass, 0x500), (byte, _, index) => {
    const masked = byte ^ array[index & 0xf]!;
    return ((masked >> 3) | (masked << 5)) & 0xff;
  });
}

test.each([
  ['RC4', withRc4],
  ['obfuscation', withXor],
])(
  "a workbook encrypted with %s opens with Excel's own password or the given one, else it is rejected",
  async (_, make) => {
    const refused = { code: 'DOCUMENT_ENCRYPTED' };
    const standing = compoundFile({ Workbook: make(excelDefaultPassword) });
    expect((await readCells(standing)).texts).toEqual(['secret']);
    const own = compoundFile({ Workbook: make('open') });
    expect((await readCells(own, 'open')).texts).toEqual(['secret']);
    await expect(readCells(own)).rejects.toMatchObject(refused);
    await expect(readCells(own, 'other')).rejects.toMatchObject({
      ...refused,
      message: expect.stringContaining('other than'),
    });
  },
);

test('the key of a password matches the example in the specification', () => {
  expect(computeXorKey(ascii('abc'))).toBe(20_810);
});

test('RC4 produces the known key stream', () => {
  expect(Buffer.from(createRc4Stream(ascii('Key'), 8)).toString('hex')).toBe('eb9f7781b734ca72');
});

test('stream names are case-insensitive, and Excel 5 notes are comments', async () => {
  const long = 'x'.repeat(20);
  const notes = [
    record(biff.note, [2, 2], [2, 1], [2, 40], ascii(long)),
    record(biff.note, [2, 0xffff], [2, 0], [2, 20], ascii('and more')),
  ];
  const bytes = compoundFile({ BOOK: workbook(Buffer.alloc(0), 0x500, notes) });
  const { document, texts } = await readCells(bytes);
  expect(texts).toEqual(['secret']);
  expect(document.texts.map(({ text, content_layer: layer }) => [text, layer])).toEqual([[`${long}and more`, 'notes']]);
  expect(document.groups.at(-1)!.name).toBe('comment-S-B3');
});

/** An encrypted package as Office 2007 writes it: AES without chaining, keys by SHA-1. */
function encryptedPackage(content: Uint8Array, password: string): Uint8Array {
  const salt = Buffer.alloc(16, 3);
  let key = sum('sha1', salt, Buffer.from(password, 'utf16le'));
  for (let spin = 0; spin < 50_000; spin += 1) key = sum('sha1', uint32(spin), key);
  key = sum('sha1', key, uint32(0));
  const half = (fill: number) =>
    sum(
      'sha1',
      Buffer.alloc(64, fill).map((byte, at) => byte ^ (key[at] ?? 0)),
    );
  const aes = Buffer.concat([half(0x36), half(0x5c)]).subarray(0, 16);
  const encrypted = (plain: Uint8Array) => {
    const cipher = createCipheriv('aes-128-ecb', aes, null).setAutoPadding(false);
    const padded = Buffer.concat([plain, Buffer.alloc((16 - (plain.length % 16)) % 16)]);
    return Buffer.concat([cipher.update(padded), cipher.final()]);
  };
  const proof = Buffer.alloc(16, 5);
  const header = joinBytes([4, 0], [4, 0], [4, 0x660e], [4, 0x8004], [4, 128], [4, 24], [4, 0], [4, 0]);
  const verifier = joinBytes([4, 16], salt, encrypted(proof), [4, 20], encrypted(sum('sha1', proof)));
  return compoundFile({
    EncryptionInfo: joinBytes([2, 3], [2, 2], [4, 0x24], [4, header.length], header, verifier),
    EncryptedPackage: joinBytes([4, content.length], [4, 0], encrypted(content)),
  });
}

test("an encrypted Office 2007 document opens with Excel's own password or the given one", async () => {
  const text = Buffer.from('<html><body><p>inner</p></body></html>');
  const open = async (bytes: Uint8Array, password?: string) =>
    (await convertBytes({ bytes, name: 'a.html', ...(password ? { paged: { password } } : {}) })).document.texts[0]!
      .text;
  expect(await open(encryptedPackage(text, excelDefaultPassword))).toBe('inner');
  expect(await open(encryptedPackage(text, 'open'), 'open')).toBe('inner');
  await expect(open(encryptedPackage(text, 'open'), 'no')).rejects.toMatchObject({ code: 'DOCUMENT_ENCRYPTED' });
  expect(await failuresOfDamaged(encryptedPackage(text, excelDefaultPassword), 'a.xlsx', 1501)).toEqual([]);
});
