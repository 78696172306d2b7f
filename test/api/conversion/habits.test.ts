import { type ConversionApi, getFile, inline, startConversion } from '../../support/api/conversion-client';

// Requests as the clients that exist send them, in their order.
let service: ConversionApi;
beforeAll(async () => {
  service = await startConversion({ apiKeys: ['key'] });
});
afterAll(() => service.close());
const key = { 'X-Api-Key': 'key' };
const lastRequest = () => service.memory.requests.at(-1);
interface Result {
  document: { md_content: string };
}

test('Open WebUI: one upload under the full path of the server, flags in Python notation', async () => {
  const { status, body } = await service.send('POST', '/v1/convert/file', {
    headers: key,
    form: [
      ['files', getFile('/app/backend/data/uploads/0b8c_report.pdf')],
      ['image_export_mode', 'placeholder'],
      ['do_ocr', 'True'],
      ['force_ocr', 'False'],
      ['ocr_engine', 'tesseract'],
      ['ocr_lang', 'eng'],
      ['ocr_lang', 'deu'],
      ['md_page_break_placeholder', '\f'],
    ],
  });
  expect(status).toBe(200);
  expect((body as Result).document.md_content).toContain('0b8c_report.pdf');
  expect(lastRequest()).toMatchObject({
    sources: [{ filename: '0b8c_report.pdf' }],
    options: { do_ocr: true, force_ocr: false, ocr_preset: 'tesseract', ocr_lang: ['eng', 'deu'] },
  });
});

test('n8n: a bearer key, the page range as JSON text, then poll and result', async () => {
  const headers = { Authorization: 'Bearer key' };
  const { body } = await service.send('POST', '/v1/convert/file/async', {
    headers,
    form: [
      ['files', getFile('report.pdf')],
      ['to_formats', 'json'],
      ['page_range', '[1, 3]'],
      ['target_type', 'inbody'],
    ],
  });
  const { task_id: id } = body as { task_id: string };
  expect(lastRequest()?.options.page_range).toEqual([1, 3]);
  expect((await service.send('GET', `/v1/status/poll/${id}`, { headers })).body).toMatchObject({
    task_status: 'success',
  });
  expect((await service.send('GET', `/v1/result/${id}`, { headers })).status).toBe(200);
});

test('RAGFlow: chunking without a chunker is rejected, the old address and the plain request are not', async () => {
  const probe = await fetch(`${service.url}/openapi.json`, { method: 'HEAD' });
  expect(probe.status).toBe(200);
  const options = { from_formats: ['pdf'], to_formats: ['json', 'md', 'text'], do_chunking: true };
  const first = await service.send('POST', '/v1/convert/source', {
    headers: key,
    json: { sources: [inline('a.pdf')], options: { ...options, chunking_options: { max_tokens: 512, overlap: 50 } } },
  });
  expect(first.status).toBe(422);
  const { kind: _, ...file } = inline('a.pdf');
  const second = await service.send('POST', '/v1alpha/convert/source', {
    headers: key,
    json: { options, file_sources: [file] },
  });
  expect(second.status).toBe(200);
  const third = await service.send('POST', '/v1/convert/source', {
    headers: key,
    json: { sources: [inline('a.pdf')], options, target: { kind: 'inbody' } },
  });
  expect((third.body as Result).document.md_content).toContain('a.pdf');
});

test('an older Haystack: addresses as http_sources', async () => {
  const { body } = await service.send('POST', '/v1/convert/source', {
    headers: key,
    json: { http_sources: [{ url: 'https://example.org/paper.html' }], options: { to_formats: ['md'] } },
  });
  expect(body).toMatchObject({ status: 'success', document: { filename: 'paper.html' } });
});

test('the community TypeScript client: polls with wait=100, and requests the short address for progress', async () => {
  const { body } = await service.send('POST', '/v1/convert/source/async', {
    headers: key,
    json: { sources: [inline('a.md')], options: { do_ocr: true }, target: { kind: 'inbody' } },
  });
  const { task_id: id } = body as { task_id: string };
  for (const path of [`/v1/status/poll/${id}?wait=100`, `/v1/status/${id}`])
    expect((await service.send('GET', path, { headers: key })).body).toMatchObject({ task_status: 'success' });
});

test('the strict clients: presigned first, and the text on which they fall back to the body', async () => {
  const json = (kind: string) => ({ sources: [inline('a.md')], target: { kind } });
  const first = await service.send('POST', '/v1/convert/source/async', { headers: key, json: json('presigned_url') });
  expect(first.status).toBe(422);
  expect((first.body as { detail: string }).detail).toContain('artifact storage to be configured');
  const form = await service.send('POST', '/v1/convert/file/async', {
    headers: key,
    form: [
      ['files', getFile('a.md')],
      ['target_type', 'presigned_url'],
    ],
  });
  expect((form.body as { detail: string }).detail).toContain('artifact storage to be configured');
  const second = await service.send('POST', '/v1/convert/source/async', { headers: key, json: json('inbody') });
  expect([second.status, second.headers.get('Content-Type')]).toEqual([200, 'application/json']);
});

test('Langflow: one file to json_content, errors as a list', async () => {
  const { body } = await service.send('POST', '/v1/convert/source/async', {
    headers: key,
    json: {
      sources: [inline('a.docx')],
      options: { to_formats: ['json'], image_export_mode: 'placeholder', do_ocr: false },
    },
  });
  const { task_id: id } = body as { task_id: string };
  expect((await service.send('GET', `/v1/result/${id}`, { headers: key })).body).toMatchObject({
    errors: [],
    document: { json_content: { schema_name: 'DoclingDocument' } },
  });
});
