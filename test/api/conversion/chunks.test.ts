import { type ConversionApi, getFile, inline, startConversion } from '../../support/api/conversion-client';

let service: ConversionApi;
beforeAll(async () => {
  service = await startConversion();
});
afterAll(() => service.close());
beforeEach(() => {
  service.memory.atOnce = true;
  service.memory.requests.length = 0;
});
const send: ConversionApi['send'] = (...input) => service.send(...input);
const lastRequest = () => service.memory.requests.at(-1);

describe.each(['hybrid', 'hierarchical'] as const)('POST /v1/chunk/%s', (chunker) => {
  test('/source: chunks, documents under content, and no contents unless requested', async () => {
    const { body, headers } = await send('POST', `/v1/chunk/${chunker}/source`, {
      json: { sources: [inline('a.md'), inline('b.md')] },
    });
    expect(headers.get('Content-Type')).toBe('application/json');
    expect(Object.keys(body)).toEqual(['chunks', 'documents', 'processing_time']);
    const { chunks, documents } = body as { chunks: { text: string }[]; documents: { content: object }[] };
    expect(chunks).toHaveLength(4);
    expect(chunks[1]).toMatchObject({ filename: 'a.md', chunk_index: 1, text: 'Heading\nchunk 1 \u2028 end' });
    expect(documents).toMatchObject([
      { kind: 'ExportResult', content: { filename: 'a.md', json_content: null }, status: 'success' },
      { content: { filename: 'b.md' } },
    ]);
    expect(lastRequest()).toMatchObject({
      task_type: 'chunk',
      include_converted_doc: false,
      chunking: { chunker, image_placeholder: '![IMAGE]', use_markdown_tables: false },
    });
  });

  test('/source: chunks sent elsewhere are counted in the answer', async () => {
    const { status, body } = await send('POST', `/v1/chunk/${chunker}/source`, {
      json: { sources: [inline('a.md')], target: { kind: 'put', url: 'https://example.org/put' } },
    });
    expect([status, body]).toEqual([200, expect.objectContaining({ num_converted: 1, num_succeeded: 1 })]);
  });

  test('/source: options and the converted document', async () => {
    const { body } = await send('POST', `/v1/chunk/${chunker}/source`, {
      json: {
        sources: [inline('a.md')],
        include_converted_doc: true,
        convert_options: { do_ocr: false },
        chunking_options: { use_markdown_tables: true, include_raw_text: true },
      },
    });
    expect((body as { documents: { content: object }[] }).documents[0]?.content).toMatchObject({
      json_content: { schema_name: 'DoclingDocument' },
      md_content: null,
    });
    expect(lastRequest()).toMatchObject({
      options: { do_ocr: false },
      chunking: { use_markdown_tables: true, include_raw_text: true },
    });
  });

  test('/source: no sources return no chunks', async () => {
    const { status, body } = await send('POST', `/v1/chunk/${chunker}/source`, { json: { sources: [] } });
    expect(status).toBe(200);
    expect(body).toMatchObject({ chunks: [], documents: [] });
  });

  test('/source/async and /file/async: the task type is chunk', async () => {
    service.memory.atOnce = false;
    const source = await send('POST', `/v1/chunk/${chunker}/source/async`, { json: { sources: [inline('a.md')] } });
    const file = await send('POST', `/v1/chunk/${chunker}/file/async`, { form: [['files', getFile('a.md')]] });
    for (const { status, body } of [source, file]) {
      expect(status).toBe(200);
      expect(body).toMatchObject({ task_type: 'chunk', task_status: 'pending' });
    }
  });

  test('/file: fields with prefixes', async () => {
    const { status } = await send('POST', `/v1/chunk/${chunker}/file`, {
      form: [
        ['files', getFile('a.md')],
        ['convert_do_ocr', 'false'],
        ['chunking_use_markdown_tables', 'true'],
        ['include_converted_doc', 'true'],
        ...(chunker === 'hybrid' ? ([['chunking_max_tokens', '64']] as const) : []),
      ],
    });
    expect(status).toBe(200);
    expect(lastRequest()).toMatchObject({
      include_converted_doc: true,
      options: { do_ocr: false },
      chunking: { chunker, use_markdown_tables: true, ...(chunker === 'hybrid' ? { max_tokens: 64 } : {}) },
    });
  });

  test('/file: problems name the form fields', async () => {
    const { status, body } = await send('POST', `/v1/chunk/${chunker}/file`, {
      form: [
        ['files', getFile('a.md')],
        ['convert_table_mode', 'slow'],
        ['chunking_use_markdown_tables', 'perhaps'],
      ],
    });
    expect(status).toBe(422);
    expect((body as { detail: { loc: unknown }[] }).detail.map(({ loc }) => loc)).toEqual([
      ['body', 'convert_table_mode'],
      ['body', 'chunking_use_markdown_tables'],
    ]);
  });
});
