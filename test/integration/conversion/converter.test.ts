import path from 'node:path';
import { Document, HeadingLevel, Packer, Paragraph } from 'docx';
import Pdf from 'pdfkit';
import { buildDefaultConvertOptions } from '../../../model/conversion/request/options';
import type { Converter } from '../../../services/conversion/converter';
import { createConverter } from '../../../services/conversion/converter';
import { getThreadFile } from '../../../threads/entries';
import { createModelServer } from '../../support/servers/model-server';
import { until } from '../../support/system/system';

// Threads run compiled code, as in production.
const root = path.join(__dirname, '..', '..', '..');
const { build } = require(path.join(root, 'scripts', 'build.js')) as { build: () => number };

let converter: Converter;
beforeAll(() => {
  build();
  const conversionThread = getThreadFile('conversion', path.join(root, 'dist'));
  converter = createConverter({ threadFile: conversionThread, threads: 2, memoryMb: 128 });
});
afterAll(() => converter.close());

const never = new AbortController().signal;
const convert = (name: string, bytes: Uint8Array, timeoutMs = 30_000) =>
  converter.convert({ bytes, name, timeoutMs, signal: never });
const text = (content: string) => new TextEncoder().encode(content);

function drawPdf(options: Record<string, unknown> = {}): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const pdf = new Pdf(options);
    const parts: Buffer[] = [];
    pdf.on('data', (part: Buffer) => parts.push(part));
    pdf.on('end', () => resolve(new Uint8Array(Buffer.concat(parts))));
    pdf.on('error', reject);
    pdf.fontSize(24).text('Tide Report').fontSize(11).text('The level was read at the northern pier.');
    pdf.addPage().text('Nothing else was read on that day.');
    pdf.end();
  });
}

test('threads return Markdown, JSON, title and pages for Markdown, Word and PDF', async () => {
  const word = await Packer.toBuffer(
    new Document({
      sections: [
        {
          children: [new Paragraph({ text: 'Minutes', heading: HeadingLevel.HEADING_1 }), new Paragraph('All agreed.')],
        },
      ],
    }),
  );
  const [markdown, docx, pdf] = await Promise.all([
    convert('notes.md', text('# Notes\n\nBring boots.')),
    convert('minutes.docx', new Uint8Array(word)),
    convert('report.pdf', await drawPdf()),
  ]);
  expect(markdown).toMatchObject({ format: 'md', markdown: '# Notes\n\nBring boots.', title: 'Notes' });
  expect(docx).toMatchObject({ format: 'docx', title: 'Minutes', markdown: expect.stringContaining('All agreed.') });
  expect(pdf).toMatchObject({
    format: 'pdf',
    pages: 2,
    title: 'Tide Report',
    markdown: expect.stringContaining('northern pier'),
  });
  expect(JSON.parse(pdf.documentJson)).toMatchObject({
    schema_name: 'DoclingDocument',
    name: 'report',
    pages: { '2': { page_no: 2 } },
  });
});

test('threads return error codes: encrypted, damaged, unknown, empty', async () => {
  const outcomes = await Promise.allSettled([
    drawPdf({ userPassword: 'secret' }).then((bytes) => convert('locked.pdf', bytes)),
    convert('broken.pdf', text('%PDF-1.4 and no more')),
    convert('broken.docx', text('PK not really')),
    convert('program.exe', new Uint8Array([0x4d, 0x5a, 0, 1, 2, 255, 254])),
    convert('empty.md', new Uint8Array()),
  ]);
  expect(
    outcomes.map((outcome) =>
      outcome.status === 'rejected' ? (outcome.reason as { code: string }).code : 'converted',
    ),
  ).toEqual(['DOCUMENT_ENCRYPTED', 'DOCUMENT_CORRUPT', 'DOCUMENT_CORRUPT', 'FORMAT_UNSUPPORTED', 'DOCUMENT_EMPTY']);
});

test('a document over its time limit is ended and the thread is replaced', async () => {
  const large = text(`${'word '.repeat(40)}\n\n`.repeat(60_000));
  await expect(convert('large.md', large, 150)).rejects.toMatchObject({ code: 'CONVERSION_TIMEOUT' });
  expect(await convert('small.md', text('small'))).toMatchObject({ markdown: 'small' });
});

test('the process is no larger after five hundred documents than after fifty', async () => {
  const round = async (count: number) => {
    const body = 'The harbour office keeps a record of the water level. '.repeat(40);
    await Promise.all(
      Array.from({ length: count }, (_, index) =>
        convert(`n${index}.md`, text(`# Note ${index}\n\n${body}\n\n- one\n- two\n`)),
      ),
    );
    return process.memoryUsage.rss();
  };
  await round(50);
  const after50 = await round(50);
  expect(await round(500)).toBeLessThan(after50 * 1.25);
});

test('documents that wait for a model do not delay the others', async () => {
  const server = await createModelServer();
  const aborting = new AbortController();
  server.fault = () => 'hang';
  const url = `${server.url}/v1/chat/completions`;
  const vision = {
    ...buildDefaultConvertOptions(),
    pipeline: 'vlm' as const,
    vlm_pipeline_custom_config: { engine_options: { engine_type: 'api' as const, url } },
  };
  const guarded = createConverter({
    threadFile: getThreadFile('conversion', path.join(root, 'dist')),
    threads: 1,
    memoryMb: 128,
    vision: { remoteServices: true, network: { allowed: ['127.0.0.1'], own: [] } },
  });
  const pdf = await drawPdf();
  const waiting = [1, 2, 3].map(() =>
    guarded
      .convert({ bytes: new Uint8Array(pdf), name: 'a.pdf', vision, timeoutMs: 60_000, signal: aborting.signal })
      .catch((error: Error) => error.name),
  );
  await until('the model is asked', () => server.asked.length >= 2);
  const { markdown } = await guarded.convert({ bytes: text('# A'), name: 'a.md', timeoutMs: 30_000, signal: never });
  expect(markdown).toBe('# A');
  aborting.abort();
  expect(await Promise.all(waiting)).toEqual(['AbortError', 'AbortError', 'AbortError']);
  await guarded.close();
  await server.stop();
});

test('a flow that needs a vision model fails with the name of the missing setting', async () => {
  const vision = { ...buildDefaultConvertOptions(), do_picture_description: true };
  await expect(
    converter.convert({ bytes: text('# A'), name: 'a.md', vision, timeoutMs: 1_000, signal: never }),
  ).rejects.toMatchObject({ code: 'CONVERSION_FAILED', message: expect.stringContaining('DOCLOOM_VISION_URL') });
});
