import * as fc from 'fast-check';
import { RequestError } from '../http/request-error';
import { readJsonBody } from './json-body';
import { createUploads } from './uploads';

/** Reads a body that arrives in pieces of `size` bytes; also returns the stored bytes. */
async function read(text: string | Buffer, size: number) {
  const stored: Buffer[] = [];
  const files = {
    put: async (key: string, bytes: Uint8Array | AsyncIterable<Buffer>) => {
      const parts: Uint8Array[] = [];
      if (bytes instanceof Uint8Array) parts.push(bytes);
      else for await (const part of bytes) parts.push(part);
      stored[Number(key)] = Buffer.concat(parts);
    },
    removePrefix: async () => {},
  };
  const uploads = createUploads(files, String, 10);
  const bytes = Buffer.from(text);
  async function* pieces() {
    for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
  }
  const body = await readJsonBody(pieces(), uploads);
  return { ...body, stored };
}
const findProblem = (text: string | Buffer, size = 7) =>
  read(text, size).then(
    () => undefined,
    (error: unknown) => (error as RequestError).detail,
  );
const notJson = [{ type: 'json_invalid', loc: ['body', expect.any(Number)], msg: 'JSON decode error' }];

test.each([1, 2, 3, 7, 64, 10_000])('moves files from the body to the store, in pieces of %i bytes', async (size) => {
  const candidate = 'first file ünïcødé '.repeat(20);
  const two = 'second';
  const body = {
    options: { base64_string: 'stays' },
    sources: [
      { kind: 'file', base64_string: Buffer.from(candidate).toString('base64'), filename: 'a "quoted" \\ name' },
      { kind: 'file', filename: 'b', base64_string: Buffer.from(two).toString('base64') },
      { kind: 'file', deeper: { base64_string: 'stays' }, list: ['base64_string', 'stays'] },
    ],
    file_sources: [{ base64_string: '', filename: 'empty' }],
  };
  const { value, uploads, stored } = await read(JSON.stringify(body, null, size % 2), size);
  const { sources, file_sources: files, options } = value as typeof body;
  expect(sources[0]).toEqual({ kind: 'file', base64_string: 'upload-0', filename: 'a "quoted" \\ name' });
  expect(sources[1]?.base64_string).toBe('upload-1');
  expect(sources[2]).toEqual(body.sources[2]);
  expect(options).toEqual({ base64_string: 'stays' });
  expect(files[0]?.base64_string).toBe('upload-2');
  expect(stored.map(String)).toEqual([candidate, two, '']);
  expect([...uploads.values()].map(({ isWhole, size: bytes }) => [isWhole, bytes])).toEqual([
    [true, Buffer.byteLength(candidate)],
    [true, 6],
    [true, 0],
  ]);
});

test.each([1, 5, 1_000])('accepts escaped slashes and line ends inside a file, in pieces of %i bytes', async (size) => {
  const bytes = Buffer.from([0xff, 0xef, 0xff, 0xfb, 0xff, 0xbf]);
  const escaped = bytes.toString('base64').replaceAll('/', '\\/').replace(/^(..)/, '$1\\n\\u000a');
  const { stored } = await read(`{"sources":[{"base64_string":"${escaped}"}]}`, size);
  expect(stored[0]).toEqual(bytes);
});

test('names of members may contain escapes', async () => {
  const { stored } = await read(String.raw`{"sourc\u0065s":[{"base64\u005fstring":"QQ=="}]}`, 3);
  expect(stored.map(String)).toEqual(['A']);
});

test('a file whose base64 is broken is stored and marked', async () => {
  for (const text of ['QUJ', 'QQ=', 'QQ==QQ==', 'A'])
    expect((await read(`{"sources":[{"base64_string":"${text}"}]}`, 4)).uploads.get('upload-0')?.isWhole).toBe(false);
});

test('invalid JSON is a problem wherever it occurs', async () => {
  const whole = '{"sources":[{"kind":"file","base64_string":"QUJD","filename":"a"}]}';
  for (let length = 1; length < whole.length; length += 1)
    expect(await findProblem(whole.slice(0, length))).toEqual(notJson);
  for (const text of ['{"a":1}}', '[1,]', '{"sources":[{"base64_string":"QUJD}]}', 'nonsense', '{\u0001}'])
    expect(await findProblem(text)).toEqual(notJson);
  expect(await findProblem(Buffer.from([0x22, 0xff, 0x22]))).toEqual(notJson);
});

test('an empty body is a missing body', async () => {
  for (const text of ['', '  \n']) expect(await findProblem(text)).toMatchObject([{ type: 'missing', loc: ['body'] }]);
});

test('a body that is nested too deeply, or too large without its files, is rejected', async () => {
  expect(await findProblem('['.repeat(100) + ']'.repeat(100))).toMatchObject([{ type: 'recursion_loop' }]);
  const large = `{"options":{"a":"${'x'.repeat(17 * 1024 * 1024)}"}}`;
  expect(await findProblem(large, 1024 * 1024)).toContain('Payload too large');
});

test('parses any JSON as JSON.parse does, however it is split', async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue({ maxDepth: 5 }), fc.integer({ min: 1, max: 40 }), async (value, size) => {
      const text = JSON.stringify(value);
      const { value: parsed } = await read(text, size);
      expect(parsed).toEqual(JSON.parse(text));
    }),
    { numRuns: 200 },
  );
});

test('files with any bytes are stored', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), fc.integer({ min: 1, max: 40 }), async (bytes, size) => {
      const base64_string = Buffer.from(bytes).toString('base64');
      const { stored } = await read(JSON.stringify({ sources: [{ base64_string }] }), size);
      expect(stored[0]).toEqual(Buffer.from(bytes));
    }),
    { numRuns: 200 },
  );
});
