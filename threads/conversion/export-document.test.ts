import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Document, ImageRun, Packer, Paragraph } from 'docx';
import { zipSync } from 'fflate';
import { convertBytes } from '../../formats/convert';
import { buildDefaultConvertOptions } from '../../model/conversion/request/options';
import type { ExportTask } from '../../services/conversion/export';
import { bundledTokenizer } from '../../services/embedding/tokenizers';
import { exportDocument } from './export-document';
import { buildPartPath } from './write-output';

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAABQAAAAUCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
/** A Word document with a picture whose header says 20 by 20; smaller ones count as spacers. */
function picture(): Promise<Uint8Array> {
  const image = new ImageRun({
    type: 'png',
    data: Buffer.from(pixel, 'base64'),
    transformation: { width: 90, height: 90 },
  });
  const children = [new Paragraph('Text.'), new Paragraph({ children: [image] })];
  return Packer.toBuffer(new Document({ sections: [{ children }] }));
}

async function exported(
  name: string,
  content: string | Uint8Array,
  change: Partial<ExportTask['options']> = {},
  more: Partial<ExportTask> = {},
) {
  const options = { ...buildDefaultConvertOptions(), ...change };
  const answer = await exportDocument({
    name,
    bytes: typeof content === 'string' ? Buffer.from(content) : content,
    options,
    packaging: 'inbody',
    ...more,
  });
  if ('failure' in answer) throw new Error(answer.failure.message);
  const text = (format: string) => Buffer.from(answer.exported.outputs[format] ?? []).toString();
  return { ...answer.exported, text };
}

test('coverage is empty for a document that is whole, and absent for one that was not read', async () => {
  const mail = 'Content-Type: text/csv; name=a.csv\r\nContent-Disposition: attachment; filename=a.csv\r\n\r\na,b\r\n';
  expect((await exported('a.md', Buffer.from('# One'))).coverage).toEqual([]);
  expect((await exported('a.eml', Buffer.from(mail))).coverage).toEqual([
    { kind: 'attachment', count: 1, words: 0, in_json: false },
  ]);
  expect(await exported('a.pub', Buffer.from('d0cf11e0a1b11ae1', 'hex'))).not.toHaveProperty('coverage');
});

test('outputs are the requested ones that have a writer', async () => {
  const { outputs, status, timings } = await exported('a.md', '# A', { to_formats: ['md', 'text', 'latex'] });
  expect(Object.keys(outputs)).toEqual(['md', 'text', 'latex']);
  expect(status).toBe('success');
  expect(Object.keys(timings)).toEqual([
    'pipeline_total',
    'doc_build',
    'doc_export_md',
    'doc_export_text',
    'doc_export_latex',
  ]);
});

test('a full disk is a failure of the service, and no result of the document', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'docloom-full-'));
  try {
    const file = path.join(folder, 'a.md');
    // What the writer opens leads to a device without room.
    symlinkSync('/dev/full', buildPartPath(file));
    const answer = await exportDocument({
      name: 'a.md',
      bytes: Buffer.from('# A'),
      options: { ...buildDefaultConvertOptions(), to_formats: ['md'] },
      packaging: 'inbody',
      outputFiles: { md: file },
    });
    expect(answer).toEqual({ failure: { code: 'STORAGE_ERROR', message: 'The disk is full.' } });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('dclx is an archive of the document with its pictures that reads as the document, in the same bytes each time', async () => {
  const options = { to_formats: ['dclx' as const], image_export_mode: 'referenced' as const };
  const write = async () => (await exported('a.docx', await picture(), options)).outputs['dclx']!;
  const archive = await write();
  expect(Buffer.compare(archive, await write())).toBe(0);
  const { document, format } = await convertBytes({ bytes: archive, name: 'a.dclx' });
  expect(format).toBe('dclx');
  expect(document.pictures.map(({ image }) => image?.uri)).toEqual([`data:image/png;base64,${pixel}`]);
});

test('pictures are a mark, are in the text, or become files beside it', async () => {
  const formats = { to_formats: ['md' as const, 'json' as const] };
  const marked = await exported('a.docx', await picture(), formats);
  expect(marked.text('md')).toContain('<!-- image -->');
  expect(marked.text('json')).not.toContain(pixel);
  const embedded = await exported('a.docx', await picture(), { ...formats, image_export_mode: 'embedded' });
  expect(embedded.text('md')).toContain(`data:image/png;base64,${pixel}`);
  const referenced = await exported(
    'a.docx',
    await picture(),
    { ...formats, image_export_mode: 'referenced' },
    { packaging: 'archive' },
  );
  const [artifact] = referenced.artifacts;
  expect(artifact?.name).toMatch(/^artifacts\/image_000000_[0-9a-f]{64}\.png$/);
  expect(Buffer.from(artifact?.bytes ?? []).toString('base64')).toBe(pixel);
  for (const format of ['md', 'json']) expect(referenced.text(format)).toContain(artifact?.name);
});

test('include_images: false leaves pictures out of every format', async () => {
  const { text } = await exported('a.docx', await picture(), {
    to_formats: ['md', 'json', 'html'],
    image_export_mode: 'embedded',
    include_images: false,
  });
  for (const format of ['md', 'json', 'html']) expect(text(format)).not.toContain(pixel);
});

test.each([
  ['bad.docx', 'no zip', 'failure', 'backend_failure'],
  ['a.xyz', '\u0000\u0001', 'skipped', 'policy'],
  ['empty.docx', '', 'failure', 'backend_failure'],
])('%s is answered, not thrown', async (name, content, status, category) => {
  const answer = await exported(name, content);
  expect(answer).toMatchObject({ status, outputs: {}, confidence: null });
  expect(answer.errors).toEqual([expect.objectContaining({ category, error_message: expect.any(String) })]);
});

test('an empty file is an empty document where text formats may be empty', async () => {
  expect(await exported('a.md', '')).toMatchObject({ status: 'success', errors: [] });
});

test('chunks carry the exact hash of the bytes', async () => {
  const chunking = {
    chunker: 'hierarchical' as const,
    use_markdown_tables: false,
    use_markdown_images: false,
    image_placeholder: '',
    include_raw_text: false,
  };
  const { text, hash } = await exported('a.md', '# A\n\nText.', { to_formats: ['chunks'] }, { chunking });
  expect(text('chunks')).toContain(`"binary_hash":${hash}`);
  expect(text('chunks').trim().split('\n')).toHaveLength(1);
});

test('chunks name the tokenizer if it differs from the requested one', async () => {
  const chunking = {
    chunker: 'hybrid' as const,
    use_markdown_tables: false,
    use_markdown_images: false,
    image_placeholder: '',
    include_raw_text: false,
    max_tokens: null,
    merge_peers: true,
  };
  const names = async (tokenizer: string) => {
    const input = { ...chunking, tokenizer };
    const { text } = await exported('a.md', '# A\n\nText.', { to_formats: ['chunks'] }, { chunking: input });
    return (JSON.parse(text('chunks')) as { metadata: { tokenizer?: string } }).metadata.tokenizer;
  };
  expect(await names('somebody/unknown')).toBe(bundledTokenizer);
  expect(await names(bundledTokenizer)).toBeUndefined();
});

test('a document of more pages than the operator allows fails by policy', async () => {
  const slides = readFileSync('samples/documents/public/company-profile.pptx');
  const limited = await exported('a.pptx', slides, {}, { limits: { maxPages: 2 } });
  expect(limited).toMatchObject({ status: 'failure', errors: [{ category: 'policy' }] });
  expect(limited.errors[0]?.error_message).toMatch(/slides; the limit is 2/);
  expect(await exported('a.pptx', slides, {}, { limits: { maxPages: 100 } })).toMatchObject({ status: 'success' });
});

test.each(['finance/annual-report-2024.pdf', 'public/company-profile.pptx'])(
  '%s: a range of pages after the last one is reported, not an empty success',
  async (name) => {
    const bytes = readFileSync(path.join(__dirname, '..', '..', 'samples', 'documents', name));
    const { status, errors } = await exported(path.basename(name), bytes, { page_range: [50, 60] });
    expect([status, errors[0]?.category]).toEqual(['failure', 'policy']);
    expect(errors[0]?.error_message).toMatch(/^Document has \d pages, fewer than the requested page_range start 50\.$/);
    expect(await exported(path.basename(name), bytes, { page_range: [2, 60] })).toMatchObject({ status: 'success' });
    expect(await exported('a.md', 'text', { page_range: [50, 60] })).toMatchObject({ status: 'success' });
  },
);

test('a refused format comes with the reason and what to do', async () => {
  const older = zipSync({ 'index.xml': Buffer.from('<ls:document/>') });
  const { status, errors } = await exported('a.numbers', older);
  expect([status, errors[0]?.category]).toEqual(['skipped', 'policy']);
  expect(errors[0]?.error_message).toMatch(
    /^File format not allowed: a\.numbers\. 'a\.numbers' is .*Numbers '09.*export it as/,
  );
});

test('a PDF says how much of its text the document contains', async () => {
  const bytes = readFileSync('samples/documents/finance/annual-report-2024.pdf');
  expect((await exported('a.pdf', bytes)).textShare).toEqual({ share: 1, incomplete: [] });
});

test('an empty output fails alone, with the reason', async () => {
  const { outputs, status, errors } = await exported('a.md', '# A', { to_formats: ['md', 'vtt'] });
  expect([Object.keys(outputs), status]).toEqual([['md'], 'partial_success']);
  expect(errors).toMatchObject([
    { category: 'policy', error_message: expect.stringContaining('cannot be written as vtt') },
  ]);
});

test('tables and pictures are also separate files, while the outputs keep their placeholder', async () => {
  const found = await exported(
    'a.docx',
    await picture(),
    { to_formats: ['md', 'json'] },
    { parts: ['figures', 'tables'] },
  );
  expect(found.text('md')).toContain('<!-- image -->');
  expect(found.text('json')).not.toContain(pixel);
  expect(found.parts?.map(({ name, bytes }) => [name, Buffer.from(bytes).toString('base64')])).toEqual([
    ['figure-1.png', pixel],
  ]);
  const html = '<table><tr><th colspan="2">A, "B"</th></tr><tr><td>1</td><td>two<br>lines</td></tr></table>';
  const { parts } = await exported('a.html', html, {}, { parts: ['tables'] });
  expect(parts?.map(({ name, bytes }) => [name, Buffer.from(bytes).toString()])).toEqual([
    ['table-1.csv', expect.stringMatching(/^"A, ""B""",\r\n1,"?two\s+lines"?\r\n$/)],
  ]);
  expect((await exported('a.html', html)).parts).toBeUndefined();
});
