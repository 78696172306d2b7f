import { writeJsonArray, writeJsonObject, streamJson } from '../../services/storage/json-stream';
import { createKeyCheck, findKeys } from './api-key';
import { createBase64Stream } from './body/base64-stream';
import { getBaseName } from './body/file-name';
import { createUploads } from './body/uploads';
import { readTenant } from './tenant';

const getText = async (pieces: AsyncIterable<string | Uint8Array>) => {
  const parts: Buffer[] = [];
  for await (const piece of pieces) parts.push(Buffer.from(piece));
  return Buffer.concat(parts).toString('utf8');
};
async function* cut(text: string, size: number) {
  const bytes = Buffer.from(text);
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

test.each([1, 2, 3, 5, 100])(
  'a text becomes a JSON string in pieces of %i bytes without splitting characters',
  async (size) => {
    const text = 'a "quoted" \\ line\n\u0001\u2028 ünïcødé 😀 漢字';
    expect(JSON.parse(await getText(streamJson(cut(text, size))))).toBe(text);
  },
);

test('objects and arrays in pieces are JSON, also empty ones', async () => {
  async function* items() {
    yield writeJsonObject([['a', 1]]);
    yield writeJsonObject([]);
  }
  async function* none() {}
  const written = await getText(
    writeJsonObject([
      ['x', null],
      ['list', writeJsonArray(items())],
      ['none', writeJsonArray(none())],
      ['raw', cut('{"big":18446744073709551615}', 3)],
    ]),
  );
  expect(written).toBe('{"x":null,"list":[{"a":1},{}],"none":[],"raw":{"big":18446744073709551615}}');
});

test('base64 in both alphabets, with and without line ends', () => {
  const read = (text: string) => {
    const stream = createBase64Stream();
    const first = stream.write(Buffer.from(text));
    const { bytes, isWhole } = stream.end();
    return [Buffer.concat([first, bytes]).toString('hex'), isWhole];
  };
  expect(read('+/+/')).toEqual(['fbffbf', true]);
  expect(read('-_-_')).toEqual(['fbffbf', true]);
  expect(read('QU\r\nJD')).toEqual(['414243', true]);
  expect(read('QUI')[1]).toBe(false);
});

test('any configured key is accepted in either header, and none is needed when none is configured', () => {
  const check = createKeyCheck(['one', 'two']);
  expect([check(['one']), check([undefined, ' two ']), check(['three', '']), check([])]).toEqual([
    'one',
    'two',
    undefined,
    undefined,
  ]);
  expect(createKeyCheck([])(['one', ''])).toBeUndefined();
  expect(findKeys({ 'x-api-key': 'a', authorization: 'Bearer b' })).toEqual(['a', 'b']);
  expect(findKeys({ authorization: 'Basic b' })).toEqual([undefined, undefined]);
});

test('file names lose folders and control characters, and are never empty', () => {
  expect(['a.md', '/x/a.md', 'C:\\x\\a.md', '../a.md', 'a\n.md'].map((name) => getBaseName(name))).toEqual([
    'a.md',
    'a.md',
    'a.md',
    'a.md',
    'a_.md',
  ]);
  expect(['', '..', 'x/', ' '].map((name) => getBaseName(name, 2))).toEqual(
    Array.from({ length: 4 }, () => 'file_2.pdf'),
  );
  const long = getBaseName(`${'x'.repeat(500)}.docx`);
  expect([long.length, long.endsWith('.docx')]).toEqual([180, true]);
});

test('no tenant is the tenant default', () => {
  expect([undefined, null, '', '  ', ' one '].map(readTenant)).toEqual([
    'default',
    'default',
    'default',
    'default',
    'one',
  ]);
});

test('a store that fails during an upload ends the upload with its error', async () => {
  const uploads = createUploads(
    { put: () => Promise.reject(new Error('the disk is full')), removePrefix: async () => {} },
    String,
    2,
  );
  const small = uploads.open();
  await small.write(Buffer.from('x'));
  await expect(small.end()).rejects.toThrow('the disk is full');
  const large = uploads.open();
  const fill = async () => {
    for (let count = 0; count < 100; count += 1) await large.write(Buffer.alloc(256 * 1024));
    await large.end();
  };
  await expect(fill()).rejects.toThrow('the disk is full');
  await uploads.discard();
});

test('files beyond the maximum are counted and not stored, and one folder is all there is to remove', async () => {
  const stored: string[] = [];
  const removed: string[] = [];
  const uploads = createUploads(
    { put: async (key) => void stored.push(key), removePrefix: async (prefix) => void removed.push(prefix) },
    (index) => `uploads/hour/task/${index}`,
    2,
  );
  const sizes: number[] = [];
  for (const text of ['a', 'bb', 'ccc', 'dddd']) {
    const sink = uploads.open();
    await sink.write(Buffer.from(text));
    sizes.push((await sink.end()).size);
  }
  await uploads.discard();
  expect({ stored, removed, sizes }).toEqual({
    stored: ['uploads/hour/task/0', 'uploads/hour/task/1'],
    removed: ['uploads/hour/task/'],
    sizes: [1, 2, 3, 4],
  });
});

test.each([1, 3, 4, 100])('base64 may be the text of a data: address, in pieces of %i characters', (size) => {
  const decoded = (text: string) => {
    const stream = createBase64Stream();
    const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
      stream.write(Buffer.from(text.slice(index * size, (index + 1) * size))),
    );
    const { bytes, isWhole } = stream.end();
    return [Buffer.concat([...pieces, bytes]).toString(), isWhole];
  };
  const base64 = Buffer.from('# A title').toString('base64');
  expect(decoded(base64)).toEqual(['# A title', true]);
  expect(decoded(`data:text/markdown;charset=utf-8;base64,${base64}`)).toEqual(['# A title', true]);
  expect(decoded('data')).toEqual([Buffer.from('data', 'base64').toString(), true]);
  expect(decoded('')).toEqual(['', true]);
  expect(decoded(`${'x'.repeat(40)}y`)).toMatchObject([expect.any(String), false]);
});
