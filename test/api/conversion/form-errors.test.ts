import { type ConversionApi, getFile, startConversion } from '../../support/api/conversion-client';
import type { Problem } from '../../support/api/conversion-errors';

let service: ConversionApi;
beforeAll(async () => {
  service = await startConversion();
});
afterAll(() => service.close());

describe('forms', () => {
  const send = (fields: readonly (readonly [string, string | File])[]) =>
    service.send('POST', '/v1/convert/file', { form: fields });
  const getDetail = async (fields: readonly (readonly [string, string | File])[]) => {
    const { status, body } = await send(fields);
    expect(status).toBe(422);
    return (body as { detail: Problem[] }).detail;
  };

  test('a boundary that no form may have', async () => {
    const response = await fetch(`${service.url}/v1/convert/file`, {
      method: 'POST',
      headers: { 'Content-Type': `multipart/form-data; boundary=${'b'.repeat(500)}` },
      body: 'x',
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ detail: expect.stringContaining('error parsing the body') });
  });

  test('no files', async () => {
    expect(await getDetail([['to_formats', 'md']])).toEqual([
      { type: 'missing', loc: ['body', 'files'], msg: 'Field required' },
    ]);
  });

  test('files that are text', async () => {
    expect(await getDetail([['files', 'text']])).toMatchObject([{ type: 'value_error', loc: ['body', 'files', 0] }]);
  });

  test('each invalid field is named', async () => {
    const detail = await getDetail([
      ['files', getFile('a.md')],
      ['to_formats', 'md,json'],
      ['do_ocr', 'null'],
      ['images_scale', 'big'],
      ['picture_description_api', '[object Object]'],
      ['page_range', '1'],
      ['target_type', 's3'],
    ]);
    expect(detail.map(({ type, loc }) => [type, ...loc])).toEqual([
      ['json_invalid', 'body', 'picture_description_api'],
      ['enum', 'body', 'to_formats', 0],
      ['too_short', 'body', 'page_range'],
      ['bool_parsing', 'body', 'do_ocr'],
      ['float_parsing', 'body', 'images_scale'],
      ['enum', 'body', 'target_type'],
    ]);
  });

  test('an empty to_formats', async () => {
    expect(
      await getDetail([
        ['files', getFile('a.md')],
        ['to_formats', ''],
      ]),
    ).toMatchObject([{ type: 'enum', loc: ['body', 'to_formats', 0] }]);
  });

  test('a page range from end to start', async () => {
    expect(
      await getDetail([
        ['files', getFile('a.md')],
        ['page_range', '4'],
        ['page_range', '2'],
      ]),
    ).toMatchObject([{ type: 'value_error', loc: ['body', 'page_range'] }]);
  });

  test('options that exclude each other', async () => {
    expect(
      await getDetail([
        ['files', getFile('a.md')],
        ['layout_preset', 'default'],
        ['layout_custom_config', '{"kind":"x"}'],
      ]),
    ).toMatchObject([
      { type: 'value_error', loc: ['body'], msg: expect.stringMatching(/cannot both be set/) },
      { type: 'value_error', loc: ['body'], msg: expect.stringMatching(/Custom Layout configuration is disabled/) },
    ]);
  });

  test('a form without a boundary', async () => {
    const response = await fetch(`${service.url}/v1/convert/file`, {
      method: 'POST',
      body: 'x',
      headers: { 'Content-Type': 'multipart/form-data' },
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ detail: 'Missing boundary in multipart.' });
  });

  test('a form that ends early', async () => {
    const before = service.memory.stored.size;
    const response = await fetch(`${service.url}/v1/convert/file`, {
      method: 'POST',
      body: '--b\r\nContent-Disposition: form-data; name="files"; filename="a.md"\r\n\r\nhalf of a fi',
      headers: { 'Content-Type': 'multipart/form-data; boundary=b' },
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ detail: expect.stringContaining('error parsing the body') });
    expect(service.memory.stored.size).toBe(before);
  });

  test('a field over a megabyte', async () => {
    const { status, body } = await send([
      ['files', getFile('a.md')],
      ['md_page_break_placeholder', 'x'.repeat(1024 * 1024 + 1)],
    ]);
    expect(status).toBe(400);
    expect(body).toEqual({ detail: 'Part exceeded maximum size of 1024KB.' });
  });
});
