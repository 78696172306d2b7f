import { type ConversionApi, getFile, inline, startConversion } from '../../support/api/conversion-client';
import { sendInvalid } from '../../support/api/conversion-errors';

let service: ConversionApi;
beforeAll(async () => {
  service = await startConversion();
});
afterAll(() => service.close());

const source = '/v1/convert/source';
const item = [inline('a.md')];
const refused = (json: unknown, headers?: Record<string, string>) => sendInvalid(service, json, headers);

describe('the sentence form of 422', () => {
  test.each<[what: string, json: unknown, detail: string]>([
    ['document_timeout of zero', { document_timeout: 0 }, 'document_timeout must be greater than 0.'],
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
      'an engine for text recognition that is not installed',
      { ocr_preset: 'ppocr' },
      'ocr_preset: the text recognition ppocr is not installed on this server. Ask its administrator to add its model pack, or use auto.',
    ],
    [
      'an invalid language',
      { ocr_lang: ['../../etc'] },
      "ocr_lang: '../../etc' is not a text recognition language; expected a code such as eng or de.",
    ],
    ['images_scale of zero', { images_scale: 0 }, 'images_scale must be greater than 0.'],
    [
      'an unknown chart_extraction_preset',
      { chart_extraction_preset: 'foo' },
      "chart_extraction_preset 'foo' is not allowed. Allowed values: ['default', 'granite_vision_v3_3', 'granite_vision_v4', 'granite_vision_v4_mlx'].",
    ],
    ['images_scale beyond the limit', { images_scale: 2.5 }, 'images_scale exceeds the configured maximum of 2.0.'],
    [
      'an unknown ocr_preset',
      { ocr_preset: 'foo' },
      "ocr_preset 'foo' is not allowed. Allowed values: ['auto', 'easyocr', 'kserve_v2_ocr', 'nemotron-ocr', 'ocrmac', 'ppocr', 'rapidocr', 'tesseract', 'tesserocr'].",
    ],
    [
      'a page model in full',
      { vlm_pipeline_custom_config: { engine_options: { engine_type: 'transformers' } } },
      'Custom VLM configuration is disabled by server policy.',
    ],
    [
      'several refusals',
      { images_scale: 9, layout_preset: 'x', table_structure_preset: 'y' },
      "images_scale exceeds the configured maximum of 2.0. table_structure_preset 'y' is not allowed. Allowed values: ['default', 'slanet_plus', 'tableformer_v1_accurate', 'tableformer_v1_fast', 'tableformer_v2']. layout_preset 'x' is not allowed. Allowed values: ['default', 'docling_layout_default'].",
    ],
    [
      'an unsupported pipeline',
      { pipeline: 'asr' },
      "pipeline 'asr' is not implemented. Allowed values: ['native', 'standard', 'vlm'].",
    ],
    [
      'an unknown preset',
      { table_structure_preset: 'x' },
      "table_structure_preset 'x' is not allowed. Allowed values: ['default', 'slanet_plus', 'tableformer_v1_accurate', 'tableformer_v1_fast', 'tableformer_v2'].",
    ],
    [
      'a remote model while they are switched off',
      { picture_description_api: { url: 'https://example.org/v1/chat/completions' } },
      'Remote services are disabled on this server; its operator can allow them with CONVERT_SERVE_ENABLE_REMOTE_SERVICES=true.',
    ],
  ])('%s', async (_name, options, detail) => {
    expect(await refused({ sources: item, options })).toEqual({ status: 422, detail });
  });

  test('a presigned target without a store', async () => {
    expect(await refused({ sources: item, target: { kind: 'presigned_url' } })).toEqual({
      status: 422,
      detail: 'Presigned URL target requires artifact storage to be configured and enabled on the server.',
    });
  });

  test('a presigned target for chunking', async () => {
    const { status, body } = await service.send('POST', '/v1/chunk/hybrid/source', {
      json: { sources: item, target: { kind: 'presigned_url' } },
    });
    expect(status).toBe(422);
    expect(body).toEqual({ detail: 'presigned_url target is not supported for chunk endpoints.' });
  });

  test('targets that this server does not write', async () => {
    expect(await refused({ sources: item, target: { kind: 'google_drive', path_id: 'x' } })).toEqual({
      status: 422,
      detail:
        "target kind 'google_drive' is not allowed. Allowed values: ['azure_blob', 'google_cloud_storage', 'inbody', 'presigned_url', 'put', 's3', 'zip'].",
    });
  });

  test('containers and Google buckets whose secrets cannot be used are rejected at once, without repeating them', async () => {
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
      const { status, detail } = await refused({ sources: item, target });
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
    expect(await getDetail({ sources: item, options: { image_export_mode: 'embedded' } })).toBe(
      "image_export_mode 'embedded' is not allowed. Allowed values: ['placeholder'].",
    );
    expect(await getDetail({ sources: item, target: { kind: 'zip' } })).toBe(
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

async function getPolicy(change: object) {
  const { defaultConversionSettings } = await import('../../../api/conversion/settings');
  return { ...defaultConversionSettings.policy, ...change };
}
