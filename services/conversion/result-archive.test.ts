import { Readable } from 'node:stream';
import { unzipSync } from 'fflate';
import type { DocumentResult, TaskResult } from './ports';
import { createArchive, listFiles } from './result-archive';

function document(index: number, filename: string, outputs: string[], artifacts: string[] = []): DocumentResult {
  const stored = (name: string) => ({ key: `${index}/${name}`, bytes: 3 });
  return {
    index,
    filename,
    source_uri: filename,
    status: outputs.length > 0 ? 'success' : 'failure',
    errors: [],
    timings: {},
    processing_time: 1,
    format: null,
    mimetype: null,
    pages: 1,
    confidence: null,
    outputs: Object.fromEntries(outputs.map((name) => [name, stored(name)])),
    artifacts: artifacts.map((name) => ({ name, ...stored(name) })),
    uploads: [],
  };
}
const getResult = (documents: DocumentResult[]) =>
  ({ task_id: 't', processing_time: 1, counts: {}, documents }) as TaskResult;

test('files of one document share a stem, stems are unique, and an image of two documents is stored once', () => {
  const image = 'artifacts/image_000000_ab.png';
  const files = listFiles([
    document(0, 'a.docx', ['md', 'json'], [image]),
    document(1, 'failed.docx', []),
    document(2, 'A.html', ['md', 'text'], [image]),
  ]);
  expect(files.map(({ name, document: index }) => [name, index])).toEqual([
    ['a.md', 0],
    ['a.json', 0],
    ['A_2.md', 2],
    ['A_2.txt', 2],
    [image, 0],
  ]);
});

test('the archive is read one file at a time', async () => {
  const opened: string[] = [];
  const open = async (key: string) => {
    opened.push(key);
    return Readable.from([Buffer.from(`content of ${key}, `), Buffer.from('in two pieces')]);
  };
  const archive = createArchive(getResult([document(0, 'a.md', ['md']), document(1, 'b.md', ['md'])]), open);
  const parts: Uint8Array[] = [];
  for await (const part of archive) parts.push(part as Uint8Array);
  expect(opened).toEqual(['0/md', '1/md']);
  const entries = unzipSync(Buffer.concat(parts));
  expect(Object.keys(entries)).toEqual(['a.md', 'b.md', 'manifest.json']);
  expect(Buffer.from(entries['b.md'] ?? []).toString()).toBe('content of 1/md, in two pieces');
});

test('a bundle has no manifest: its only JSON is the document', async () => {
  const open = async () => Readable.from([Buffer.from('{}')]);
  const image = 'artifacts/image_000000_ab.png';
  const archive = createArchive(getResult([document(0, 'report.docx', ['md', 'json'], [image])]), open, 'bundle');
  expect(Object.keys(unzipSync(Buffer.concat(await archive.toArray())))).toEqual(['report.md', 'report.json', image]);
});

test('the archive of chunks contains the chunks, their documents under one name, and the chunking options', async () => {
  const stored: Record<string, string> = {
    '0/chunks': '{"text":"one"}\n{"text":"two"}\n',
    '0/json': '{"schema_name":"DoclingDocument"}',
    '1/chunks': '{"text":"three"}\n',
  };
  const chunking = { chunker: 'hierarchical' };
  const result = {
    ...getResult([document(0, 'a.md', ['chunks', 'json']), document(1, 'b.md', ['chunks']), document(2, 'c.docx', [])]),
    task_type: 'chunk',
    include_converted_doc: true,
    chunking,
  } as unknown as TaskResult;
  const archive = createArchive(result, async (key) => Readable.from([Buffer.from(stored[key] ?? '')]));
  const entries = unzipSync(Buffer.concat(await archive.toArray()));
  expect(Object.keys(entries)).toEqual(['chunked_result.json', 'manifest.json']);
  const json = (name: string) => JSON.parse(Buffer.from(entries[name] ?? []).toString()) as unknown;
  expect(json('chunked_result.json')).toEqual({
    kind: 'ChunkedDocumentResponse',
    chunks: [{ text: 'one' }, { text: 'two' }, { text: 'three' }],
    documents: [
      expect.objectContaining({
        kind: 'ExportResult',
        content: expect.objectContaining({ filename: 'a.md', json_content: { schema_name: 'DoclingDocument' } }),
        status: 'success',
      }),
      expect.objectContaining({ content: expect.objectContaining({ filename: 'b.md', json_content: null }) }),
      expect.objectContaining({ status: 'failure' }),
    ],
    chunking_info: chunking,
  });
  expect(json('manifest.json')).toMatchObject({ documents: [{ files: ['chunked_result.json'] }, {}, { files: [] }] });
});

test('a missing output ends the stream with the error', async () => {
  const archive = createArchive(getResult([document(0, 'a.md', ['md'])]), () => Promise.reject(new Error('gone')));
  await expect(archive.toArray()).rejects.toThrow('gone');
});
