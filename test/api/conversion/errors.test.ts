import { type ConversionApi, inline, startConversion } from '../../support/api/conversion-client';
import { getProblems, sendInvalid } from '../../support/api/conversion-errors';

let service: ConversionApi;
beforeAll(async () => {
  service = await startConversion();
});
afterAll(() => service.close());

const sources = [inline('a.md')];
const send = (json: unknown, headers?: Record<string, string>) => sendInvalid(service, json, headers);
const problems = (json: unknown, headers?: Record<string, string>) => getProblems(service, json, headers);

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
      'a source of an unknown kind',
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
      'an address that is not a URL',
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
      'an unlisted value',
      { sources, options: { image_export_mode: 'large' } },
      'enum',
      ['body', 'options', 'image_export_mode'],
      /^Input should be 'placeholder', 'embedded' or 'referenced'$/,
    ],
    [
      'an unlisted format',
      { sources, options: { to_formats: ['md', 'docx'] } },
      'enum',
      ['body', 'options', 'to_formats', 1],
      /^Input should be 'md', 'json'/,
    ],
    [
      'a string instead of a list',
      { sources, options: { to_formats: 'md' } },
      'list_type',
      ['body', 'options', 'to_formats'],
      /^Input should be a valid list$/,
    ],
    [
      'a reversed page range',
      { sources, options: { page_range: [4, 2] } },
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
      'a file without a name',
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
      'a page range with three numbers',
      { sources, options: { page_range: [1, 2, 3] } },
      'too_long',
      ['body', 'options', 'page_range'],
      /at most 2 items after validation, not 3$/,
    ],
    [
      'half a page',
      { sources, options: { page_range: [1.5, 2] } },
      'int_from_float',
      ['body', 'options', 'page_range', 0],
      /fractional part$/,
    ],
    ['a target that is a string', { sources, target: 'zip' }, 'model_attributes_type', ['body', 'target'], /object/],
    [
      'a bucket without an access key',
      { sources, target: { kind: 's3', endpoint: 'a', bucket: 'b', secret_key: 'c' } },
      'missing',
      ['body', 'target', 's3', 'access_key'],
      /^Field required$/,
    ],
    [
      'callbacks that are a string',
      { sources, callbacks: 'http://x' },
      'list_type',
      ['body', 'callbacks'],
      /valid list$/,
    ],
    [
      'a callback without an address',
      { sources, callbacks: [{ url: 'x' }] },
      'url_parsing',
      ['body', 'callbacks', 0, 'url'],
      /^Input should be a valid URL/,
    ],
    ['options that are null', { sources, options: null }, 'model_attributes_type', ['body', 'options'], /object/],
    [
      'a boolean that is a number',
      { sources, options: { do_ocr: 2 } },
      'bool_parsing',
      ['body', 'options', 'do_ocr'],
      /unable to interpret input$/,
    ],
    [
      'chunking without a chunker',
      { sources, options: { chunking_options: { max_tokens: 5 } } },
      'union_tag_not_found',
      ['body', 'options', 'chunking_options'],
      /discriminator 'chunker'/,
    ],
    [
      'a put target without an address',
      { sources, target: { kind: 'put' } },
      'missing',
      ['body', 'target', 'put', 'url'],
      /^Field required$/,
    ],
    [
      'a preset together with the options that it stands for',
      { sources, options: { chunking_preset: 'default', chunking_options: { chunker: 'hierarchical' } } },
      'value_error',
      ['body', 'options'],
      /^Value error, chunking_options and chunking_preset cannot both be set\.$/,
    ],
    [
      'base64 with incorrect padding',
      { sources: [{ kind: 'file', filename: 'a.md', base64_string: 'IyBUaXRsZ' }] },
      'value_error',
      ['body', 'sources', 0, 'file', 'base64_string'],
      /^Value error, Invalid base64: incorrect padding, or characters other than those of base64$/,
    ],
  ])('%s', async (_name, json, type, loc, msg) => {
    expect(await problems(json)).toEqual([{ type, loc, msg: expect.stringMatching(msg) }]);
  });

  test('a body with a text media type', async () => {
    expect(await problems('{"sources":[]}', { 'Content-Type': 'text/plain' })).toEqual([
      { type: 'model_attributes_type', loc: ['body'], msg: expect.stringContaining('valid dictionary') },
    ]);
  });

  test('several invalid options are reported together, in the order of the options', async () => {
    const entries = await problems({
      sources,
      options: { table_mode: 'slow', do_ocr: 'maybe', to_formats: 'md', pipeline: 'x' },
    });
    expect(entries.map(({ loc }) => loc.at(-1))).toEqual(['to_formats', 'pipeline', 'do_ocr', 'table_mode']);
  });

  test('one reply lists the problems found by the schema, the other options and the settings of the server', async () => {
    const options = {
      to_formats: ['nope'],
      page_range: [5, 2],
      images_scale: -1,
      ocr_preset: 'nope',
      pipeline: 'legacy',
      layout_preset: 'default',
      layout_custom_config: { kind: 'a' },
      ocr_custom_config: { kind: 'b' },
    };
    const reasons = [
      /Invalid page range/,
      /layout_preset and layout_custom_config cannot both be set/,
      /images_scale must be greater than 0/,
      /ocr_preset 'nope' is not allowed/,
      /pipeline 'legacy' is not implemented/,
      /Custom Layout configuration is disabled/,
      /Custom OCR configuration is disabled/,
    ];
    const all = await problems({ sources, options });
    expect(all[0]).toMatchObject({ type: 'enum', loc: ['body', 'options', 'to_formats', 0] });
    const { to_formats: _, ...others } = options;
    for (const entries of [all, await problems({ sources, options: others })])
      for (const reason of reasons) expect(entries.map(({ msg }) => msg)).toContainEqual(expect.stringMatching(reason));
  });

  test('an option that the schema rejects has no second problem', async () => {
    const options = { page_range: [3], images_scale: 'x', ocr_preset: 7 };
    const entries = await problems({ sources, options });
    expect(new Set(entries.map(({ loc }) => loc.at(-1)))).toEqual(
      new Set(['images_scale', 'ocr_preset', 'page_range']),
    );
    expect(entries).toHaveLength(3);
  });

  test('the reply to a form with an invalid field also lists what the settings reject', async () => {
    const { status, body } = await service.send('POST', '/v1/convert/file', {
      form: [
        ['files', new File(['a'], 'a.md')],
        ['table_mode', 'nope'],
        ['images_scale', '-1'],
        ['pipeline', 'asr'],
      ],
    });
    expect(status).toBe(422);
    const { detail } = body as { detail: { msg: string }[] };
    expect(detail.map(({ msg }) => msg)).toEqual([
      expect.stringMatching(/'fast' or 'accurate'/),
      expect.stringMatching(/images_scale must be greater than 0/),
      expect.stringMatching(/pipeline 'asr' is not implemented/),
    ]);
  });

  test('characters that are not base64 are ignored', async () => {
    const base64_string = Buffer.from('# A\n\nb').toString('base64').replace('I', 'I\n *');
    const { status } = await send({ sources: [{ kind: 'file', filename: 'a.md', base64_string }] });
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
    ['a callback', { sources, callbacks: [{ url: 'http://[::1]:9200/_close' }] }, ['body', 'callbacks', 0, 'url']],
    [
      'a target',
      { sources, target: { kind: 'put', url: 'http://169.254.169.254/x' } },
      ['body', 'target', 'put', 'url'],
    ],
  ])('%s that this server may not reach is rejected at once', async (_name, json, loc) => {
    const before = service.memory.requests.length;
    expect(await problems(json)).toMatchObject([
      { type: 'value_error', loc, msg: expect.stringContaining('The host') },
    ]);
    expect(service.memory.requests).toHaveLength(before);
  });

  test('a rejected request stores nothing', async () => {
    const before = service.memory.stored.size;
    await problems({ sources: [inline('a.md'), { kind: 'ftp' }] });
    await problems(`{"sources":[{"kind":"file","base64_string":"${'QUJD'.repeat(200_000)}`);
    expect(service.memory.stored.size).toBe(before);
  });
});
