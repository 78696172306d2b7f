import { unzipSync } from 'fflate';
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
const getSources = () => lastRequest()?.sources.map((source) => ({ ...source, key: undefined }));
const uuid = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);

describe('POST /v1/convert/source', () => {
  test('returns every member of the result in order, null if not requested', async () => {
    const { status, headers, text, body } = await send('POST', '/v1/convert/source', {
      json: { sources: [inline('a.md')], options: { to_formats: ['md', 'json'] } },
    });
    expect(status).toBe(200);
    expect(headers.get('Content-Type')).toBe('application/json');
    expect(Object.keys(body).join()).toBe('document,status,errors,processing_time,timings,confidence,coverage');
    expect(body).toMatchObject({ coverage: [{ kind: 'note', count: 1, words: 12, in_json: true }] });
    const { document } = body as { document: Record<string, unknown> };
    expect(Object.keys(document)).toEqual([
      'filename',
      'md_content',
      'json_content',
      'html_content',
      'text_content',
      'doctags_content',
      'doclang_content',
    ]);
    expect(document).toMatchObject({
      filename: 'a.md',
      md_content: '# a.md\n\n"quoted" \u2028 ünïcødé 😀',
      json_content: { schema_name: 'DoclingDocument', name: 'a.md' },
      html_content: null,
      doclang_content: null,
    });
    expect(body).toMatchObject({ status: 'success', errors: [], processing_time: 0.75 });
    // As a number it would be 18446744073709552000.
    expect(text).toContain('"binary_hash":18446744073709551615');
  });

  test('all five contents are filled if all are requested', async () => {
    const { body } = await send('POST', '/v1/convert/source', {
      json: { sources: [inline('a.md')], options: { to_formats: ['md', 'json', 'html', 'text', 'doctags'] } },
    });
    const { document } = body as { document: Record<string, unknown> };
    for (const name of ['md', 'json', 'html', 'text', 'doctags']) expect(document[`${name}_content`]).not.toBeNull();
    expect(document['text_content']).toBe(document['md_content']);
  });

  test('accepts http_sources and file_sources, http first, and return_as_file', async () => {
    const { status, headers } = await send('POST', '/v1/convert/source', {
      json: {
        file_sources: [{ base64_string: 'IyBUaXRsZQ==', filename: 'b.md' }],
        http_sources: [{ url: 'https://example.org/a.html', headers: { 'X-A': '1' } }],
        options: { return_as_file: true },
      },
    });
    expect(status).toBe(200);
    expect(headers.get('Content-Type')).toBe('application/zip');
    expect(getSources()).toEqual([
      { kind: 'http', url: 'https://example.org/a.html', headers: { 'X-A': '1' } },
      { kind: 'file', filename: 'b.md', size: 7 },
    ]);
    expect(lastRequest()?.target).toEqual({ kind: 'zip' });
  });

  test('the bytes of inline files are in the files store', async () => {
    const text = 'x'.repeat(700_000);
    await send('POST', '/v1/convert/source/async', { json: { sources: [inline('a.md', text), inline('b.md', 'b')] } });
    const keys = lastRequest()?.sources.map((source) => ('key' in source ? source.key : '')) ?? [];
    expect(service.memory.stored.get(keys[0] ?? '')?.toString()).toBe(text);
    expect(service.memory.stored.get(keys[1] ?? '')?.toString()).toBe('b');
  });

  test('several documents make an archive with the headers that clients read', async () => {
    const { headers, bytes } = await send('POST', '/v1/convert/source', {
      json: { sources: [inline('a.md'), inline('b.md')] },
    });
    expect(headers.get('Content-Type')).toBe('application/zip');
    expect(headers.get('Content-Disposition')).toBe('attachment; filename="converted_docs.zip"');
    expect(Object.keys(unzipSync(bytes))).toEqual(['a.md.md', 'b.md.md', 'manifest.json']);
  });

  test('external targets return counts', async () => {
    const { body } = await send('POST', '/v1/convert/source', {
      json: { sources: [inline('a.md')], target: { kind: 'put', url: 'https://example.org/put' } },
    });
    expect(body).toEqual({
      processing_time: 0.75,
      num_converted: 1,
      num_succeeded: 1,
      num_partially_succeeded: 0,
      num_failed: 0,
    });
  });

  test('a file name with folders is reduced to its last part', async () => {
    for (const [input, kept] of [
      ['/srv/files/a.md', 'a.md'],
      ['../../etc/passwd.md', 'passwd.md'],
      ['C:\\docs\\b.md', 'b.md'],
    ] as const) {
      await send('POST', '/v1/convert/source', { json: { sources: [inline(input)] } });
      expect(getSources()).toMatchObject([{ filename: kept }]);
    }
  });

  test('deprecated options are converted, with a note', async () => {
    const { headers } = await send('POST', '/v1/convert/source', {
      json: { sources: [inline('a.md')], options: { ocr_engine: 'tesseract' } },
    });
    expect(lastRequest()?.options.ocr_preset).toBe('tesseract');
    expect(headers.get('Deprecation')).toBe('true');
    expect(headers.get('Warning')).toContain('ocr_engine is deprecated since 1.21.0; use ocr_preset');
  });

  test('only deprecated options produce a note', async () => {
    const { headers } = await send('POST', '/v1/convert/source', { json: { sources: [inline('a.md')] } });
    expect(headers.get('Deprecation')).toBeNull();
  });

  test('unknown members are ignored, and JSON members in any order are fine', async () => {
    const { status } = await send('POST', '/v1/convert/source', {
      json: {
        do_chunking: true,
        options: { nonsense: [1], to_formats: ['md'] },
        sources: [{ filename: 'a.md', extra: { base64_string: 'not a file' }, base64_string: 'IyBB', kind: 'file' }],
      },
    });
    expect(status).toBe(200);
    expect(getSources()).toMatchObject([{ filename: 'a.md', size: 3 }]);
  });

  test('a target of null means no target', async () => {
    const { status } = await send('POST', '/v1/convert/source', { json: { sources: [inline('a.md')], target: null } });
    expect(status).toBe(200);
    expect(lastRequest()?.target).toEqual({ kind: 'inbody' });
  });

  test('the same idempotency key returns the same task, and stores no second upload', async () => {
    const once = () =>
      send('POST', '/v1/convert/source/async', {
        json: { sources: [inline('a.md')] },
        headers: { 'Idempotency-Key': 'one' },
      });
    const first = (await once()).body as { task_id: string };
    const before = service.memory.stored.size;
    const second = (await once()).body as { task_id: string };
    expect(second.task_id).toBe(first.task_id);
    expect(service.memory.stored.size).toBe(before);
  });
});

describe('POST /v1/convert/source/async', () => {
  test('answers 200 with all seven members; a new task is pending and has a position', async () => {
    const { status, body } = await send('POST', '/v1/convert/source/async', { json: { sources: [inline('a.md')] } });
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual([
      'task_id',
      'task_type',
      'task_status',
      'task_position',
      'task_meta',
      'error_message',
      'failure',
    ]);
    service.memory.atOnce = false;
    expect(
      (await send('POST', '/v1/convert/source/async', { json: { sources: [inline('a.md')] } })).body,
    ).toMatchObject({ task_id: uuid, task_type: 'convert', task_status: 'pending', task_position: 1 });
  });

  test('the older shape is accepted too', async () => {
    const { status } = await send('POST', '/v1/convert/source/async', {
      json: { http_sources: [{ url: 'https://example.org/a.html' }] },
    });
    expect(status).toBe(200);
    expect(getSources()).toEqual([{ kind: 'http', url: 'https://example.org/a.html', headers: {} }]);
  });

  test('user and password in an address become a header, and are not shown anywhere', async () => {
    await send('POST', '/v1/convert/source/async', {
      json: {
        sources: [
          { kind: 'http', url: 'https://ann:p%40ss@example.org/a.html?x=1' },
          { kind: 'http', url: 'https://ann:pass@example.org/b.html', headers: { Authorization: 'Bearer x' } },
        ],
      },
    });
    expect(lastRequest()?.sources).toEqual([
      {
        kind: 'http',
        url: 'https://example.org/a.html?x=1',
        headers: { authorization: `Basic ${Buffer.from('ann:p@ss').toString('base64')}` },
      },
      { kind: 'http', url: 'https://example.org/b.html', headers: { Authorization: 'Bearer x' } },
    ]);
  });

  test('callbacks, headers of sources and chunking reach the task', async () => {
    await send('POST', '/v1/convert/source/async', {
      json: {
        sources: [{ kind: 'http', url: 'https://example.org/a.html', headers: { Authorization: 'Bearer x' } }],
        callbacks: [{ url: 'https://example.org/callback', headers: { 'X-B': '2' } }],
        options: { to_formats: ['chunks'], chunking_preset: 'minilm_l6' },
      },
    });
    expect(lastRequest()).toMatchObject({
      sources: [{ headers: { Authorization: 'Bearer x' } }],
      callbacks: [{ url: 'https://example.org/callback', headers: { 'X-B': '2' } }],
      chunking: { chunker: 'hybrid', tokenizer: 'sentence-transformers/all-MiniLM-L6-v2' },
    });
  });
});

describe('POST /v1/convert/file', () => {
  test('accepts repeated fields, various spellings of booleans, JSON fields and page ranges', async () => {
    const { status } = await send('POST', '/v1/convert/file', {
      form: [
        ['files', getFile('a.md')],
        ['to_formats', 'md'],
        ['to_formats', 'json'],
        ['do_ocr', 'False'],
        ['force_ocr', ' yes'],
        ['abort_on_error', ''],
        ['ocr_lang', ''],
        ['page_range', '1'],
        ['page_range', '4'],
        ['images_scale', '1.5'],
        ['pdf_heading_hierarchy_options', '{"max_level":3}'],
        ['parameters', 'ignored'],
      ],
    });
    expect(status).toBe(200);
    expect(lastRequest()?.options).toMatchObject({
      to_formats: ['md', 'json'],
      do_ocr: false,
      force_ocr: true,
      abort_on_error: false,
      ocr_lang: null,
      page_range: [1, 4],
      images_scale: 1.5,
      pdf_heading_hierarchy_options: { max_level: 3, use_style: true },
    });
  });

  test.each(['[2,5]', '2,5', '2-5'])('page_range as the single text %s is accepted', async (text) => {
    await send('POST', '/v1/convert/file', {
      form: [
        ['files', getFile('a.md')],
        ['page_range', text],
      ],
    });
    expect(lastRequest()?.options.page_range).toEqual([2, 5]);
  });

  test('fields may come before and after the files; names lose their folders', async () => {
    await send('POST', '/v1/convert/file', {
      form: [
        ['image_export_mode', 'embedded'],
        ['files', getFile('/srv/app/uploads/a.md', 'first')],
        ['target_type', 'zip'],
        ['files', getFile('b.md', 'second')],
      ],
    });
    expect(getSources()).toMatchObject([
      { kind: 'file', filename: 'a.md', size: 5 },
      { kind: 'file', filename: 'b.md', size: 6 },
    ]);
    expect(lastRequest()?.options.image_export_mode).toBe('embedded');
    expect(lastRequest()?.target).toEqual({ kind: 'zip' });
  });

  test('large files arrive complete', async () => {
    const text = 'y'.repeat(3_000_000);
    await send('POST', '/v1/convert/file', { form: [['files', getFile('a.md', text)]] });
    const [source] = lastRequest()?.sources ?? [];
    expect(service.memory.stored.get(source && 'key' in source ? source.key : '')?.length).toBe(text.length);
  });

  test('a file without a name gets one', async () => {
    const boundary = 'b0undary';
    const body = `--${boundary}\r\nContent-Disposition: form-data; name="files"; filename=""\r\nContent-Type: application/octet-stream\r\n\r\nabc\r\n--${boundary}--\r\n`;
    const response = await fetch(`${service.url}/v1/convert/file`, {
      method: 'POST',
      body,
      headers: { 'Content-Type': `multipart/form-data; boundary=${boundary}` },
    });
    expect(response.status).toBe(200);
    expect(getSources()).toMatchObject([{ filename: 'file_0.pdf', size: 3 }]);
  });

  test('callbacks are addresses or JSON', async () => {
    await send('POST', '/v1/convert/file/async', {
      form: [
        ['files', getFile('a.md')],
        ['callbacks', 'https://example.org/one'],
        ['callbacks', '{"url":"https://example.org/two","headers":{"a":"b"}}'],
      ],
    });
    expect(lastRequest()?.callbacks).toEqual([
      { url: 'https://example.org/one', headers: {}, ca_cert: '' },
      { url: 'https://example.org/two', headers: { a: 'b' }, ca_cert: '' },
    ]);
  });
});

describe('POST /v1/convert/file/async', () => {
  test('answers with the task', async () => {
    service.memory.atOnce = false;
    const { status, body } = await send('POST', '/v1/convert/file/async', { form: [['files', getFile('a.md')]] });
    expect(status).toBe(200);
    expect(body).toMatchObject({ task_id: uuid, task_type: 'convert', task_status: 'pending' });
  });
});

describe('POST /v1/convert/source/batch', () => {
  const bucket = { kind: 's3', endpoint: 's3.example.org', access_key: 'a', secret_key: 'b', bucket: 'docs' };

  test('accepts buckets as sources and targets', async () => {
    const { status } = await send('POST', '/v1/convert/source/batch', {
      json: { sources: [{ ...bucket, key_prefix: 'in/' }], target: { ...bucket, key_prefix: 'out/' } },
    });
    expect(status).toBe(200);
    expect(lastRequest()).toMatchObject({
      sources: [{ kind: 's3', bucket: 'docs', key_prefix: 'in/', verify_ssl: true }],
      target: { kind: 's3', key_prefix: 'out/' },
    });
  });

  test('a list of targets takes precedence over the single one; each must be allowed', async () => {
    const targets = [
      { ...bucket, key_prefix: 'one/' },
      { ...bucket, key_prefix: 'two/' },
    ];
    const json = { sources: [bucket], target: { ...bucket, key_prefix: 'none/' }, targets };
    expect((await send('POST', '/v1/convert/source/batch', { json })).status).toBe(200);
    expect(lastRequest()).toMatchObject({
      target: { key_prefix: 'one/' },
      further_targets: [{ kind: 's3', key_prefix: 'two/' }],
    });
    const refused = { ...json, targets: [...targets, { kind: 'presigned_url' }] };
    const { status, body } = await send('POST', '/v1/convert/source/batch', { json: refused });
    expect([status, body]).toEqual([
      422,
      { detail: expect.stringContaining('Presigned URL target requires') as string },
    ]);
  });

  test('a bucket needs a target that is a store', async () => {
    const { status, body } = await send('POST', '/v1/convert/source/batch', { json: { sources: [bucket] } });
    expect(status).toBe(422);
    expect((body as { detail: string }).detail).toBe(
      "sources of kind ['s3'] can expand into multiple documents and require a storage target with artifact result mode; got target kind 'inbody'.",
    );
  });

  test.each(['file', 'inbody', 'zip', 'put'])('%s is rejected as a tag', async (kind) => {
    const isSource = kind === 'file';
    const { status, body } = await send('POST', '/v1/convert/source/batch', {
      json: { sources: [isSource ? { kind } : bucket], ...(isSource ? {} : { target: { kind } }) },
    });
    expect(status).toBe(422);
    expect((body as { detail: { type: string }[] }).detail[0]?.type).toBe('union_tag_invalid');
  });

  test('secrets of a bucket are never repeated', async () => {
    const { text } = await send('POST', '/v1/convert/source/batch', {
      json: { sources: [{ ...bucket, secret_key: 'very-secret', bucket: 12 }], target: { kind: 'zip' } },
    });
    expect(text).not.toContain('very-secret');
  });
});

test('the addresses below /v1alpha are the same', async () => {
  const { status, body } = await send('POST', '/v1alpha/convert/source', {
    json: { http_sources: [{ url: 'https://example.org/a.md' }] },
  });
  expect(status).toBe(200);
  expect(body).toMatchObject({ status: 'success', document: { filename: 'a.md' } });
});

test('a server with its own bucket stores results there if the request has no target', async () => {
  const kept = await startConversion({}, { keepsArtifacts: true });
  const { body } = await kept.send('POST', '/v1/convert/source', { json: { sources: [inline('a.md')] } });
  expect(kept.memory.requests[0]?.target).toEqual({ kind: 'presigned_url' });
  expect(body).toMatchObject({
    num_converted: 1,
    documents: [{ source_index: 0, filename: 'a.md', status: 'success', artifacts: [{ artifact_type: 'markdown' }] }],
  });
  await kept.close();
});
