// Long because every way to reject a request is tested against one service, with the text that clients match on.
import { type ConversionApi, getFile, inline, startConversion } from '../../support/api/conversion-client';

let service: ConversionApi;
beforeAll(async () => {
  service = await startConversion();
});
afterAll(() => service.close());

interface Problem {
  type: string;
  loc: unknown[];
  msg: string;
}
const source = '/v1/convert/source';
const one = [inline('a.md')];

/** Sends a JSON text and returns the reported problems. */
async function refused(json: unknown, headers?: Record<string, string>): Promise<{ status: number; detail: never }> {
  const response = await fetch(`${service.url}${source}`, {
    method: 'POST',
    body: typeof json === 'string' ? json : JSON.stringify(json),
    headers: { 'Content-Type': 'application/json', ...headers },
  });
  expect(response.headers.get('Content-Type')).toBe('application/json');
  const { detail } = (await response.json()) as { detail: never };
  return { status: response.status, detail };
}
const problems = async (json: unknown, headers?: Record<string, string>): Promise<Problem[]> => {
  const { status, detail } = await refused(json, headers);
  expect(status).toBe(422);
  for (const problem of detail as Problem[]) expect(Object.keys(problem)).toEqual(['type', 'loc', 'msg']);
  return detail;
};

describe('the list form of 422', () => {
  test.each<[what: string, json: unknown, type: string, loc: unknown[], msg: RegExp]>([
    ['no body', '', 'missing', ['body'], /^Field required$/],
    ['broken JSON', '{"sources": [}', 'json_invalid', ['body', expect.any(Number)], /^JSON decode error$/],
    ['a body that is a list', '[]', 'model_attributes_type', ['body'], /^Input should be a valid dictionary or object/],
    ['sources missing', {}, 'missing', ['body', 'sources'], /^Field required$/],
    [
      'sources empty',
      { sources: [] },
      'too_short',
      ['body', 'sources'],
      /^List should have at least 1 item after validation, not 0$/,
    ],
    [
      'a source without kind',
      { sources: [{}] },
      'union_tag_not_found',
      ['body', 'sources', 0],
      /^Unable to extract tag using discriminator 'kind'$/,
    ],
    [
      'a source of a wrong kind',
      { sources: [{ kind: 'ftp' }] },
      'union_tag_invalid',
      ['body', 'sources', 0],
      /^Input tag 'ftp' found using 'kind' does not match any of the expected tags: 'file', 'http'$/,
    ],
    [
      'an address that is not http',
      { sources: [{ kind: 'http', url: 'ftp://example.org/a' }] },
      'url_scheme',
      ['body', 'sources', 0, 'http', 'url'],
      /^URL scheme should be 'http' or 'https'$/,
    ],
    [
      'an address that is none',
      { sources: [{ kind: 'http', url: 'a.html' }] },
      'url_parsing',
      ['body', 'sources', 0, 'http', 'url'],
      /^Input should be a valid URL/,
    ],
    [
      'an archive by address',
      { sources: [{ kind: 'http', url: 'https://example.org/all.ZIP?x=1' }] },
      'value_error',
      ['body', 'sources', 0, 'http', 'url'],
      /ZIP URLs are not accepted on the convert endpoint/,
    ],
    [
      'a word that is not of the list',
      { sources: one, options: { image_export_mode: 'large' } },
      'enum',
      ['body', 'options', 'image_export_mode'],
      /^Input should be 'placeholder', 'embedded' or 'referenced'$/,
    ],
    [
      'a format that is not of the list',
      { sources: one, options: { to_formats: ['md', 'docx'] } },
      'enum',
      ['body', 'options', 'to_formats', 1],
      /^Input should be 'md', 'json'/,
    ],
    [
      'a text instead of a list',
      { sources: one, options: { to_formats: 'md' } },
      'list_type',
      ['body', 'options', 'to_formats'],
      /^Input should be a valid list$/,
    ],
    [
      'a page range from end to start',
      { sources: one, options: { page_range: [4, 2] } },
      'value_error',
      ['body', 'options', 'page_range'],
      /^Value error, Invalid page range: start must be ≥ 1 and end must be ≥ start\.$/,
    ],
    ['sources that are null', { sources: null }, 'list_type', ['body', 'sources'], /valid list$/],
    ['a source that is null', { sources: [null] }, 'model_attributes_type', ['body', 'sources', 0], /object/],
    [
      'a kind that is a number',
      { sources: [{ kind: 3 }] },
      'union_tag_invalid',
      ['body', 'sources', 0],
      /'file', 'http'$/,
    ],
    [
      'a file without its name',
      { sources: [{ kind: 'file', base64_string: 'IyBB' }] },
      'missing',
      ['body', 'sources', 0, 'file', 'filename'],
      /^Field required$/,
    ],
    [
      'base64 that is a number',
      { sources: [{ kind: 'file', base64_string: 7, filename: 'a.md' }] },
      'string_type',
      ['body', 'sources', 0, 'file', 'base64_string'],
      /valid string$/,
    ],
    [
      'headers that are a list',
      { sources: [{ kind: 'http', url: 'https://example.org/a', headers: [] }] },
      'dict_type',
      ['body', 'sources', 0, 'http', 'headers'],
      /valid dictionary$/,
    ],
    [
      'a header with a line feed',
      { sources: [{ kind: 'http', url: 'https://example.org/a', headers: { a: 'x\r\nb: c' } }] },
      'string_pattern_mismatch',
      ['body', 'sources', 0, 'http', 'headers', 'a'],
      /should match/,
    ],
    [
      'a page range of three',
      { sources: one, options: { page_range: [1, 2, 3] } },
      'too_long',
      ['body', 'options', 'page_range'],
      /at most 2 items after validation, not 3$/,
    ],
    [
      'half a page',
      { sources: one, options: { page_range: [1.5, 2] } },
      'int_from_float',
      ['body', 'options', 'page_range', 0],
      /fractional part$/,
    ],
    ['a target that is a text', { sources: one, target: 'zip' }, 'model_attributes_type', ['body', 'target'], /object/],
    [
      'a bucket without its keys',
      { sources: one, target: { kind: 's3', endpoint: 'a', bucket: 'b', secret_key: 'c' } },
      'missing',
      ['body', 'target', 's3', 'access_key'],
      /^Field required$/,
    ],
    [
      'callbacks that are a text',
      { sources: one, callbacks: 'http://x' },
      'list_type',
      ['body', 'callbacks'],
      /valid list$/,
    ],
    [
      'a callback without an address',
      { sources: one, callbacks: [{ url: 'x' }] },
      'url_parsing',
      ['body', 'callbacks', 0, 'url'],
      /^Input should be a valid URL/,
    ],
    ['options that are null', { sources: one, options: null }, 'model_attributes_type', ['body', 'options'], /object/],
    [
      'a boolean that is none',
      { sources: one, options: { do_ocr: 2 } },
      'bool_parsing',
      ['body', 'options', 'do_ocr'],
      /unable to interpret input$/,
    ],
    [
      'chunking without a chunker',
      { sources: one, options: { chunking_options: { max_tokens: 5 } } },
      'union_tag_not_found',
      ['body', 'options', 'chunking_options'],
      /discriminator 'chunker'/,
    ],
    [
      'a put target without an address',
      { sources: one, target: { kind: 'put' } },
      'missing',
      ['body', 'target', 'put', 'url'],
      /^Field required$/,
    ],
    [
      'a preset and its model in full',
      { sources: one, options: { layout_preset: 'default', layout_custom_config: { kind: 'x' } } },
      'value_error',
      ['body', 'options'],
      /^Value error, layout_preset and layout_custom_config cannot both be set\.$/,
    ],
    [
      'base64 that ends within a group',
      { sources: [{ kind: 'file', filename: 'a.md', base64_string: 'IyBUaXRsZ' }] },
      'value_error',
      ['body', 'sources', 0, 'file', 'base64_string'],
      /^Value error, Invalid base64: incorrect padding, or characters other than those of base64$/,
    ],
  ])('%s', async (_what, json, type, loc, msg) => {
    expect(await problems(json)).toEqual([{ type, loc, msg: expect.stringMatching(msg) }]);
  });

  test('a body with a text media type', async () => {
    expect(await problems('{"sources":[]}', { 'Content-Type': 'text/plain' })).toEqual([
      { type: 'model_attributes_type', loc: ['body'], msg: expect.stringContaining('valid dictionary') },
    ]);
  });

  test('several invalid options are reported together, in the order of the options', async () => {
    const found = await problems({
      sources: one,
      options: { table_mode: 'slow', do_ocr: 'maybe', to_formats: 'md', pipeline: 'x' },
    });
    expect(found.map(({ loc }) => loc.at(-1))).toEqual(['to_formats', 'pipeline', 'do_ocr', 'table_mode']);
  });

  test('characters that are not base64 are ignored', async () => {
    const base64_string = Buffer.from('# A\n\nb').toString('base64').replace('I', 'I\n *');
    const { status } = await refused({ sources: [{ kind: 'file', filename: 'a.md', base64_string }] });
    expect(status).toBe(200);
  });

  test.each(['%%%%%%%%', '¡¡¡¡', '{"text":"# A"}', '<html>…</html>'])(
    'garbage in place of base64: %s',
    async (base64_string) => {
      expect(await problems({ sources: [{ kind: 'file', filename: 'a.md', base64_string }] })).toMatchObject([
        { type: 'value_error', loc: ['body', 'sources', 0, 'file', 'base64_string'] },
      ]);
    },
  );

  test.each([
    [
      'a source',
      { sources: [inline('a.md'), { kind: 'http', url: 'http://127.0.0.1:9200/a' }] },
      ['body', 'sources', 1, 'http', 'url'],
    ],
    [
      'a source in another spelling',
      { sources: [{ kind: 'http', url: 'http://2130706433/' }] },
      ['body', 'sources', 0, 'http', 'url'],
    ],
    [
      'a source on this machine',
      { sources: [{ kind: 'http', url: 'http://a.localhost/' }] },
      ['body', 'sources', 0, 'http', 'url'],
    ],
    ['a callback', { sources: one, callbacks: [{ url: 'http://[::1]:9200/_close' }] }, ['body', 'callbacks', 0, 'url']],
    [
      'a target',
      { sources: one, target: { kind: 'put', url: 'http://169.254.169.254/x' } },
      ['body', 'target', 'put', 'url'],
    ],
  ])('%s that this server may not reach is rejected at once', async (_what, json, loc) => {
    const before = service.memory.requests.length;
    expect(await problems(json)).toMatchObject([
      { type: 'value_error', loc, msg: expect.stringContaining('The host') },
    ]);
    expect(service.memory.requests).toHaveLength(before);
  });

  test('a rejected request leaves nothing', async () => {
    const before = service.memory.stored.size;
    await problems({ sources: [inline('a.md'), { kind: 'ftp' }] });
    await problems(`{"sources":[{"kind":"file","base64_string":"${'QUJD'.repeat(200_000)}`);
    expect(service.memory.stored.size).toBe(before);
  });
});

describe('the sentence form of 422', () => {
  test.each<[what: string, json: unknown, detail: string]>([
    ['document_timeout of nothing', { document_timeout: 0 }, 'document_timeout must be greater than 0.'],
    [
      'document_timeout beyond the limit',
      { document_timeout: 604_801 },
      'document_timeout exceeds the configured maximum of 604800.0 seconds.',
    ],
    [
      'languages of which none has data',
      { ocr_lang: ['fra, deu'] },
      'ocr_lang: text recognition has no data for fra, deu on this server. Ask its administrator to install it, or set do_ocr to false.',
    ],
    [
      'a language that is none',
      { ocr_lang: ['../../etc'] },
      "ocr_lang: '../../etc' is not a text recognition language; expected a code such as eng or de.",
    ],
    ['images_scale of nothing', { images_scale: 0 }, 'images_scale must be greater than 0.'],
    [
      'an unknown chart_extraction_preset',
      { chart_extraction_preset: 'foo' },
      "chart_extraction_preset 'foo' is not allowed. Allowed values: ['default', 'granite_vision_v3_3', 'granite_vision_v4', 'granite_vision_v4_mlx'].",
    ],
    ['images_scale beyond the limit', { images_scale: 2.5 }, 'images_scale exceeds the configured maximum of 2.0.'],
    [
      'an unknown ocr_preset',
      { ocr_preset: 'foo' },
      "ocr_preset 'foo' is not allowed. Allowed values: ['auto', 'easyocr', 'kserve_v2_ocr', 'nemotron-ocr', 'ocrmac', 'rapidocr', 'tesseract', 'tesserocr'].",
    ],
    [
      'a page model in full',
      { vlm_pipeline_custom_config: { engine_options: { engine_type: 'transformers' } } },
      'Custom VLM configuration is disabled by server policy.',
    ],
    [
      'every refusal of several',
      { images_scale: 9, layout_preset: 'x', table_structure_preset: 'y' },
      "images_scale exceeds the configured maximum of 2.0. table_structure_preset 'y' is not allowed. Allowed values: ['default', 'tableformer_v1_accurate', 'tableformer_v1_fast', 'tableformer_v2']. layout_preset 'x' is not allowed. Allowed values: ['default', 'docling_layout_default'].",
    ],
    [
      'a pipeline that there is not',
      { pipeline: 'asr' },
      "pipeline 'asr' is not implemented. Allowed values: ['native', 'standard', 'vlm'].",
    ],
    [
      'an unknown preset',
      { table_structure_preset: 'x' },
      "table_structure_preset 'x' is not allowed. Allowed values: ['default', 'tableformer_v1_accurate', 'tableformer_v1_fast', 'tableformer_v2'].",
    ],
    [
      'a remote model while they are switched off',
      { picture_description_api: { url: 'https://example.org/v1/chat/completions' } },
      'Remote services are disabled on this server; its operator can allow them by CONVERT_SERVE_ENABLE_REMOTE_SERVICES=true.',
    ],
  ])('%s', async (_what, options, detail) => {
    expect(await refused({ sources: one, options })).toEqual({ status: 422, detail });
  });

  test('a presigned target without a store', async () => {
    expect(await refused({ sources: one, target: { kind: 'presigned_url' } })).toEqual({
      status: 422,
      detail: 'Presigned URL target requires artifact storage to be configured and enabled on the server.',
    });
  });

  test('a presigned target of a chunking', async () => {
    const { status, body } = await service.send('POST', '/v1/chunk/hybrid/source', {
      json: { sources: one, target: { kind: 'presigned_url' } },
    });
    expect(status).toBe(422);
    expect(body).toEqual({ detail: 'presigned_url target is not supported for chunk endpoints.' });
  });

  test('targets that this server does not write', async () => {
    expect(await refused({ sources: one, target: { kind: 'google_drive', path_id: 'x' } })).toEqual({
      status: 422,
      detail:
        "target kind 'google_drive' is not allowed. Allowed values: ['azure_blob', 'google_cloud_storage', 'inbody', 'presigned_url', 'put', 's3', 'zip'].",
    });
  });

  test('containers and Google buckets whose secrets cannot be used are refused at once, without repeating them', async () => {
    const azure = (connection_string: string) => ({
      kind: 'azure_blob',
      account_name: 'example',
      container: 'box',
      connection_string,
    });
    const google = (service_account_key: object, bucket = 'a-box') => ({
      kind: 'google_cloud_storage',
      bucket,
      service_account_key,
    });
    const wrong: [object, string][] = [
      [azure('AccountName=example;AccountKay=c2VjcmV0'), 'connection_string'],
      [azure('AccountName=another;AccountKey=c2VjcmV0'), 'connection_string'],
      [azure('AccountKey=c2VjcmV0;BlobEndpoint=ftp://example.org'), 'connection_string'],
      [azure('AccountKey=c2VjcmV0;BlobEndpoint=https://127.0.0.1/example'), 'connection_string'],
      [google({ client_email: 'a@example.org', private_key: 7, note: 'c2VjcmV0' }), 'service_account_key'],
      [google({ client_email: 'a@example.org', private_key: 'c2VjcmV0' }, '../b'), 'bucket'],
    ];
    for (const [target, member] of wrong) {
      const { status, detail } = await refused({ sources: one, target });
      expect(status).toBe(422);
      expect(detail).toMatchObject([
        { type: 'value_error', loc: ['body', 'target', (target as { kind: string }).kind, member] },
      ]);
      expect(JSON.stringify(detail)).not.toContain('c2VjcmV0');
    }
  });

  test('too many sources, too many files; chunking has no such limit', async () => {
    const small = await startConversion({
      policy: await getPolicy({ maxSources: 3 }),
    });
    const sources = [1, 2, 3, 4].map((number) => inline(`${number}.md`));
    const files = [1, 2, 3, 4].map((number) => ['files', getFile(`${number}.md`)] as const);
    expect((await small.send('POST', source, { json: { sources } })).body).toEqual({
      detail: 'Too many sources: 4 exceeds the maximum of 3.',
    });
    expect((await small.send('POST', '/v1/convert/file', { form: files })).body).toEqual({
      detail: 'Too many files: 4 exceeds the maximum of 3.',
    });
    expect((await small.send('POST', '/v1/chunk/hybrid/source', { json: { sources } })).status).toBe(200);
    expect(small.memory.requests).toHaveLength(1);
    await small.close();
  });

  test('kinds and modes that the operator does not allow', async () => {
    const strict = await startConversion({
      policy: await getPolicy({ imageExportModes: ['placeholder'], targetKinds: ['inbody'], sourceKinds: ['file'] }),
    });
    const getDetail = async (json: object) =>
      ((await strict.send('POST', source, { json })).body as { detail: string }).detail;
    expect(await getDetail({ sources: one, options: { image_export_mode: 'embedded' } })).toBe(
      "image_export_mode 'embedded' is not allowed. Allowed values: ['placeholder'].",
    );
    expect(await getDetail({ sources: one, target: { kind: 'zip' } })).toBe(
      "target kind 'zip' is not allowed. Allowed values: ['inbody'].",
    );
    // Files and addresses may always be sources.
    expect(
      (await strict.send('POST', source, { json: { sources: [{ kind: 'http', url: 'https://example.org/a.md' }] } }))
        .status,
    ).toBe(200);
    await strict.close();
  });
});

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
    const found = await getDetail([
      ['files', getFile('a.md')],
      ['to_formats', 'md,json'],
      ['do_ocr', 'null'],
      ['images_scale', 'big'],
      ['picture_description_api', '[object Object]'],
      ['page_range', '1'],
      ['target_type', 's3'],
    ]);
    expect(found.map(({ type, loc }) => [type, ...loc])).toEqual([
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
    ).toMatchObject([{ type: 'value_error', loc: ['body'] }]);
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

async function getPolicy(change: object) {
  const { defaultConversionSettings } = await import('../../../api/conversion/settings');
  return { ...defaultConversionSettings.policy, ...change };
}
