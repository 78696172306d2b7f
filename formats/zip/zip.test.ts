import { strFromU8, strToU8, zipSync } from 'fflate';
import type { ErrorCode } from '../../model/errors';
import { listDamagedEntries, openZip } from './zip';

const limits = { maxEntries: 100, maxExpandedBytes: 64 * 1024 * 1024 };

function getCode(run: () => unknown): ErrorCode | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    return (error as { code: ErrorCode }).code;
  }
}

/** Offset of the first directory entry. */
function getDirectory(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer);
  return view.getUint32(bytes.length - 22 + 16, true);
}

test('stored and deflated entries are read by name', () => {
  const zip = openZip(
    zipSync({ 'a/b.txt': strToU8('hello'.repeat(100)), 'c.bin': [new Uint8Array([1, 2, 3]), { level: 0 }] }),
    limits,
  );
  expect(zip.names).toEqual(['a/b.txt', 'c.bin']);
  expect(Buffer.from(zip.read('a/b.txt')!).toString()).toBe('hello'.repeat(100));
  expect([...zip.read('c.bin')!]).toEqual([1, 2, 3]);
  expect(zip.read('missing')).toBeUndefined();
});

test('a name in different case is found, as in packages created on Windows', () => {
  expect(openZip(zipSync({ 'Word/Document.xml': strToU8('x') }), limits).has('word/document.xml')).toBe(true);
});

test('bytes before the container are ignored', () => {
  const zip = openZip(Buffer.concat([Buffer.from('#!/bin/sh\n'), zipSync({ a: strToU8('text') })]), limits);
  expect(Buffer.from(zip.read('a')!).toString()).toBe('text');
});

test('an entry that claims a thousandfold expansion is rejected', () => {
  const bomb = zipSync({ a: new Uint8Array(40 * 1024 * 1024) });
  expect(getCode(() => openZip(bomb, limits).read('a'))).toBe('DOCUMENT_TOO_LARGE');
});

test('an entry with a false size in its header is measured and rejected', () => {
  const bomb = zipSync({ a: new Uint8Array(40 * 1024 * 1024) });
  new DataView(bomb.buffer).setUint32(getDirectory(bomb) + 24, 10, true);
  const before = process.memoryUsage().arrayBuffers;
  expect(getCode(() => openZip(bomb, limits).read('a'))).toBe('DOCUMENT_TOO_LARGE');
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(80 * 1024 * 1024);
});

test('the limit applies to all entries together', () => {
  const bytes = zipSync({ a: strToU8('x'.repeat(600)), b: strToU8('y'.repeat(600)) });
  const zip = openZip(bytes, { maxEntries: 10, maxExpandedBytes: 1000 });
  expect(zip.read('a')).toHaveLength(600);
  expect(getCode(() => zip.read('b'))).toBe('DOCUMENT_TOO_LARGE');
});

test('too many entries are rejected before any is read', () => {
  const many = zipSync(Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`${index}`, strToU8('')])));
  expect(getCode(() => openZip(many, { maxEntries: 11, maxExpandedBytes: 1000 }))).toBe('DOCUMENT_TOO_LARGE');
});

test('an encrypted entry is reported as such', () => {
  const bytes = zipSync({ a: strToU8('secret') });
  const view = new DataView(bytes.buffer);
  view.setUint16(getDirectory(bytes) + 8, 1, true);
  expect(getCode(() => openZip(bytes, limits).read('a'))).toBe('DOCUMENT_ENCRYPTED');
});

/** The error code, or the content of the first entry and whether damage was reported. */
function readCut(cut: Uint8Array): string {
  const code = getCode(() => openZip(cut, limits));
  if (code !== undefined) return code;
  const read = openZip(cut, limits).read('a');
  return `${read ? strFromU8(read) : 'missing'}${listDamagedEntries(cut).length > 0 ? ' and told' : ''}`;
}

test('a container truncated anywhere gives its intact entries, or is damaged', () => {
  const [first, second] = ['some text '.repeat(50), 'more'];
  const bytes = zipSync({ a: strToU8(first), b: strToU8(second) });
  for (let length = 0; length < bytes.length; length += 7) {
    const cut = bytes.slice(0, length);
    const outcome = readCut(cut);
    expect(['DOCUMENT_CORRUPT', `${first} and told`, 'missing and told']).toContain(outcome);
  }
});

test.each([true, false])('entries are found without a directory; sizes precede the entries: %s', (isTold) => {
  const bytes = zipSync({ a: strToU8('some text '.repeat(50)), b: strToU8('more') });
  const cut = bytes.slice(0, getDirectory(bytes));
  if (!isTold) {
    const view = new DataView(cut.buffer);
    view.setUint16(6, 8, true);
    for (const at of [14, 18, 22]) view.setUint32(at, 0, true);
  }
  const zip = openZip(cut, limits);
  expect(zip.names).toEqual(['a', 'b']);
  expect(strFromU8(zip.read('a')!)).toBe('some text '.repeat(50));
  expect(strFromU8(zip.read('b')!)).toBe('more');
  expect(listDamagedEntries(cut)).toEqual(['the directory']);
});

test('a flipped bit in the content is detected by the checksum, and an entry that cannot be expanded counts as missing', () => {
  const bytes = zipSync({ a: [strToU8('some text'), { level: 0 }], b: strToU8('b'.repeat(500)) });
  bytes[35] = bytes[35]! ^ 1;
  bytes[31 + 9 + 31] = 0xff;
  const zip = openZip(bytes, limits);
  expect(zip.read('a')).toHaveLength(9);
  expect(zip.read('b')).toBeUndefined();
  expect(listDamagedEntries(bytes)).toEqual(['a', 'b']);
});
