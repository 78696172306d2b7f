import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildDefaultConvertOptions } from '../../../model/conversion/request/options';
import { recognitionPack, tableStructurePack } from '../../../model/llm/model-packs';
import { type ConversionApi, getFile, inline, startConversion } from '../../support/api/conversion-client';

// Each row of the specification's tables on the service, under its name in the table.
let service: ConversionApi;
beforeAll(async () => {
  const { policy } = (await import('../../../api/conversion/settings')).defaultConversionSettings;
  service = await startConversion({
    policy: {
      ...policy,
      remoteServices: true,
      models: new Set(['description', 'pages']),
      customConfigs: new Set(['picture_description']),
    },
  });
});
afterAll(() => service.close());
const asJson = async (options: object) => {
  const { status, body, headers } = await service.send('POST', '/v1/convert/source', {
    json: { sources: [inline('a.md')], options },
  });
  return { status, body, headers, options: service.memory.requests.at(-1)?.options };
};
const asForm = async (fields: readonly (readonly [string, string])[]) => {
  const form = [['files', getFile('a.md')] as const, ...fields];
  const { status } = await service.send('POST', '/v1/convert/file', { form });
  return { status, options: service.memory.requests.at(-1)?.options };
};

describe('options', () => {
  const model = {
    engine_options: { engine_type: 'api', url: 'https://example.org/v1/chat/completions' },
    prompt: 'Say.',
  };
  test.each<[name: string, value: unknown, fields: readonly string[]]>([
    ['from_formats', ['docx', 'pdf', 'iwork_numbers'], ['docx', 'pdf', 'iwork_numbers']],
    ['to_formats', ['md', 'html', 'doctags'], ['md', 'html', 'doctags']],
    ['image_export_mode', 'referenced', ['referenced']],
    ['do_ocr', false, ['false']],
    ['force_ocr', true, ['true']],
    ['ocr_preset', 'tesseract', ['tesseract']],
    ['ocr_lang', ['eng', 'deu'], ['eng', 'deu']],
    ['table_mode', 'fast', ['fast']],
    ['pdf_backend', 'dlparse_v4', ['dlparse_v4']],
    ['pipeline', 'vlm', ['vlm']],
    ['do_code_enrichment', true, ['True']],
    ['do_formula_enrichment', true, ['1']],
    ['do_picture_classification', true, ['yes']],
    ['do_picture_description', true, ['on']],
    ['do_chart_extraction', true, ['t']],
    ['picture_description_preset', 'smolvlm', ['smolvlm']],
    ['picture_description_custom_config', model, [JSON.stringify(model)]],
    ['md_page_break_placeholder', '\f', ['\f']],
    ['md_compact_tables', true, ['true']],
    ['page_range', [2, 3], ['2', '3']],
    ['document_timeout', 12.5, ['12.5']],
    ['abort_on_error', true, ['true']],
    ['table_cell_matching', false, ['n']],
    ['do_table_structure', false, ['off']],
    ['table_structure_preset', 'tableformer_v1_fast', ['tableformer_v1_fast']],
    ['layout_preset', 'default', ['default']],
    ['images_scale', 1, ['1']],
    ['picture_description_area_threshold', 0.2, ['0.2']],
    ['picture_classification_preset', 'default', ['default']],
    ['code_formula_preset', 'granite_docling', ['granite_docling']],
    ['vlm_pipeline_preset', 'granite_docling', ['granite_docling']],
    ['chunking_preset', 'hierarchical', ['hierarchical']],
  ])('%s, in JSON and in a form', async (name, value, fields) => {
    const json = await asJson({ [name]: value });
    expect(json.status).toBe(200);
    expect(json.options).toMatchObject({ [name]: value });
    const form = await asForm(fields.map((field) => [name, field] as const));
    expect(form.status).toBe(200);
    expect(form.options).toEqual(json.options);
  });

  test('picture_description_preset granite_vision, smolvlm and default are names of models', async () => {
    for (const picture_description_preset of ['granite_vision', 'smolvlm', 'default'])
      expect((await asJson({ picture_description_preset })).status).toBe(200);
  });

  test('pipeline vlm is rejected without a model for it', async () => {
    const plain = await startConversion();
    const detail = "pipeline 'vlm' is not available: this server has no model that sees pages.";
    const json = { sources: [inline('a.md')], options: { pipeline: 'vlm' } };
    expect(await plain.send('POST', '/v1/convert/source', { json })).toMatchObject({ status: 422, body: { detail } });
    await plain.close();
  });

  test('enrichment flags without a model are accepted, with a note that they have no effect', async () => {
    const plain = await startConversion();
    for (const option of ['do_formula_enrichment', 'do_picture_description']) {
      const json = { sources: [inline('a.md')], options: { [option]: true } };
      const { status, headers } = await plain.send('POST', '/v1/convert/source', { json });
      expect([status, headers.get('Deprecation')]).toEqual([200, null]);
      expect(headers.get('Warning')).toContain(`${option} has no effect`);
    }
    await plain.close();
  });

  test('unknown engines and presets are accepted, with a note that names them', async () => {
    const options = {
      ocr_preset: 'easyocr',
      layout_preset: 'docling_layout_default',
      table_structure_preset: 'default',
    };
    const { headers } = await asJson(options);
    expect(headers.get('Warning')).toContain('The text recognition easyocr is not on this server; Tesseract');
    expect(headers.get('Warning')).toContain('layout_preset docling_layout_default');
    expect(headers.get('Warning')).not.toContain('table_structure_preset');
    expect((await asJson({ ocr_preset: 'tesseract' })).headers.get('Warning')).toBeNull();
    const some = await asJson({ ocr_lang: ['eng, fra, deu, spa'] });
    expect(some.headers.get('Warning')).toContain('no data for fra, deu, spa on this server; eng was used');
    const unread = await asJson({ ocr_lang: ['fra'], do_ocr: false });
    expect(unread.headers.get('Warning')).toBeNull();
  });

  test('slanet_plus is used if its model pack is installed; without it, a note says that the rules were used', async () => {
    const modelsFolder = mkdtempSync(path.join(tmpdir(), 'table-models-'));
    mkdirSync(path.join(modelsFolder, tableStructurePack.name));
    writeFileSync(path.join(modelsFolder, tableStructurePack.name, 'model.onnx'), 'x');
    const service = await startConversion({ modelsFolder });
    const json = { sources: [inline('a.md')], options: { table_structure_preset: 'slanet_plus' } };
    const { status, headers } = await service.send('POST', '/v1/convert/source', { json });
    expect([status, headers.get('Warning')]).toEqual([200, null]);
    await service.close();
    rmSync(modelsFolder, { recursive: true });
    const without = await asJson({ table_structure_preset: 'slanet_plus' });
    expect(without.headers.get('Warning')).toContain(
      'table_structure_preset slanet_plus is not on this server; its own rules',
    );
  });

  test('ppocr and rapidocr are used if the model pack is installed; languages that it does not know are reported', async () => {
    const modelsFolder = mkdtempSync(path.join(tmpdir(), 'text-models-'));
    mkdirSync(path.join(modelsFolder, recognitionPack.name));
    for (const { to } of recognitionPack.files) writeFileSync(path.join(modelsFolder, recognitionPack.name, to), 'x');
    const service = await startConversion({ modelsFolder });
    const warn = async (options: object) => {
      const json = { sources: [inline('a.md')], options };
      const { status, headers } = await service.send('POST', '/v1/convert/source', { json });
      return [status, headers.get('Warning')];
    };
    expect(await warn({ ocr_preset: 'ppocr' })).toEqual([200, null]);
    expect(await warn({ ocr_preset: 'rapidocr', ocr_lang: ['en', 'zh'] })).toEqual([200, null]);
    // Tesseract has no data for it, but is not used.
    expect(await warn({ ocr_preset: 'ppocr', ocr_lang: ['fra'] })).toEqual([
      200,
      expect.stringContaining('ppocr was not trained for fra'),
    ]);
    // Without data of Tesseract, auto reads Chinese with ppocr.
    expect(await warn({ ocr_lang: ['zh', 'en'] })).toEqual([200, null]);
    expect(await warn({ ocr_lang: ['fra'] })).toEqual([422, null]);
    expect(await warn({ ocr_lang: ['fra!'] })).toEqual([422, null]);
    await service.close();
    rmSync(modelsFolder, { recursive: true });
    expect((await asJson({ ocr_lang: ['zh'] })).status).toBe(422);
    const without = await asJson({ ocr_preset: 'rapidocr' });
    expect(without.headers.get('Warning')).toContain('rapidocr is not on this server; Tesseract');
    expect((await asJson({ ocr_preset: 'ppocr', do_ocr: false })).status).toBe(200);
  });

  test('full model settings: remote ones need the setting for remote services, others the permission and a way to run', async () => {
    const { policy } = (await import('../../../api/conversion/settings')).defaultConversionSettings;
    const remote = { engine_options: { engine_type: 'api', url: 'https://example.org/v1/chat/completions' } };
    const local = { engine_options: { engine_type: 'transformers' } };
    const permitted = { ...policy, remoteServices: true, customConfigs: new Set(['vlm', 'chart_extraction']) };
    const allowed = await startConversion({ policy: permitted });
    const refused = await startConversion({ policy: { ...policy, customConfigs: permitted.customConfigs } });
    const send = async (api: ConversionApi, options: object) => {
      const json = { sources: [inline('a.md')], options };
      const { status, body } = await api.send('POST', '/v1/convert/source', { json });
      return status === 200 ? 200 : (body as { detail: string }).detail;
    };
    for (const name of [
      'vlm_pipeline_custom_config',
      'picture_description_custom_config',
      'picture_classification_custom_config',
      'chart_extraction_custom_config',
      'code_formula_custom_config',
    ]) {
      expect(await send(allowed, { [name]: remote })).toBe(200);
      expect(await send(refused, { [name]: remote })).toContain('CONVERT_SERVE_ENABLE_REMOTE_SERVICES');
    }
    expect(await send(allowed, { pipeline: 'vlm', vlm_pipeline_custom_config: remote })).toBe(200);
    expect(await send(allowed, { code_formula_custom_config: local })).toBe(
      'Custom Code and formula configuration is disabled by server policy.',
    );
    expect(await send(allowed, { do_chart_extraction: true, chart_extraction_custom_config: local })).toContain(
      "do_chart_extraction cannot be run inside this server (engine_type 'transformers')",
    );
    const form = { ...remote, model_spec: { response_format: 'mineru2' } };
    expect(await send(allowed, { pipeline: 'vlm', vlm_pipeline_custom_config: form })).toContain(
      "response_format 'mineru2' cannot be read here.",
    );
    await Promise.all([allowed.close(), refused.close()]);
  });

  test('DOCLOOM_VISION_URL gives every task a model, where remote services are allowed', async () => {
    const { readConversionSettings } = await import('../../../api/conversion/settings');
    const { readConfig } = await import('../../../model/config');
    const url = { DOCLOOM_VISION_URL: 'http://10.0.0.7/v1/chat/completions' };
    const on = readConversionSettings(readConfig({ ...url, CONVERT_SERVE_ENABLE_REMOTE_SERVICES: 'true' }));
    expect([...on.policy.models]).toEqual(['pages', 'classification', 'charts', 'description', 'code', 'formulas']);
    expect([...readConversionSettings(readConfig(url)).policy.models]).toEqual([]);
    const api = await startConversion(on);
    const options = { pipeline: 'vlm', do_picture_description: true, do_formula_enrichment: true };
    const answer = await api.send('POST', '/v1/convert/source', { json: { sources: [inline('a.md')], options } });
    expect([answer.status, answer.headers.get('Warning')]).toEqual([200, null]);
    await api.close();
  });

  test('DOCLOOM_SPEECH_URL makes the pipeline asr available, where remote services are allowed', async () => {
    const { readConversionSettings } = await import('../../../api/conversion/settings');
    const { readConfig } = await import('../../../model/config');
    const url = { DOCLOOM_SPEECH_URL: 'http://10.0.0.7/v1/audio/transcriptions' };
    const send = async (settings: ReturnType<typeof readConversionSettings>) => {
      const api = await startConversion(settings);
      const json = { sources: [inline('a.mp3')], options: { pipeline: 'asr' } };
      const { status } = await api.send('POST', '/v1/convert/source', { json });
      await api.close();
      return status;
    };
    const allowed = readConfig({ ...url, CONVERT_SERVE_ENABLE_REMOTE_SERVICES: 'true' });
    expect(await send(readConversionSettings(allowed))).toBe(200);
    expect(await send(readConversionSettings(readConfig(url)))).toBe(422);
  });

  test('from_formats skips nothing if the operator configures that', async () => {
    const { defaultConversionSettings } = await import('../../../api/conversion/settings');
    const lenient = await startConversion({ ...defaultConversionSettings, honourFromFormats: false });
    await lenient.send('POST', '/v1/convert/source', {
      json: { sources: [inline('a.md')], options: { from_formats: ['pdf'] } },
    });
    expect(lenient.memory.requests[0]?.options.from_formats).toEqual(buildDefaultConvertOptions().from_formats);
    await lenient.close();
  });

  test('ocr_engine: deprecated; use ocr_preset', async () => {
    const { options, headers } = await asJson({ ocr_engine: 'rapidocr' });
    expect(options?.ocr_preset).toBe('rapidocr');
    expect(headers.get('Deprecation')).toBe('true');
    expect((await asJson({ ocr_engine: 'rapidocr', ocr_preset: 'tesseract' })).options?.ocr_preset).toBe('tesseract');
  });

  test('picture_description_local: deprecated; becomes picture_description_custom_config', async () => {
    const { options, headers } = await asJson({ picture_description_local: { repo_id: 'org/model' } });
    expect(options).toMatchObject({
      picture_description_local: null,
      picture_description_custom_config: {
        engine_options: { engine_type: 'transformers' },
        model_spec: { default_repo_id: 'org/model' },
        prompt: 'Describe this image in a few sentences.',
        generation_config: { max_new_tokens: 200, do_sample: false },
      },
    });
    expect(headers.get('Warning')).toContain('picture_description_local is deprecated');
  });

  test('picture_description_api: deprecated; becomes picture_description_custom_config', async () => {
    const url = 'https://example.org/v1/chat/completions';
    const { options, headers } = await asJson({ picture_description_api: { url, params: { model: 'x' } } });
    expect(options).toMatchObject({
      picture_description_api: null,
      picture_description_custom_config: {
        engine_options: { engine_type: 'api', url, params: { model: 'x' }, headers: {}, timeout: 20, concurrency: 1 },
      },
    });
    expect(headers.get('Warning')).toContain('picture_description_api is deprecated');
  });

  test('vlm_pipeline_model: deprecated; becomes vlm_pipeline_preset', async () => {
    expect((await asJson({ vlm_pipeline_model: 'granite_docling_vllm' })).options).toMatchObject({
      vlm_pipeline_model: null,
      vlm_pipeline_preset: 'granite_docling',
    });
  });

  test('pictures are kept only where a mode shows them', async () => {
    expect((await asJson({ include_page_images: true })).options).toMatchObject({
      include_images: false,
      include_page_images: false,
    });
    expect((await asJson({ include_page_images: true, image_export_mode: 'embedded' })).options).toMatchObject({
      include_images: true,
      include_page_images: true,
    });
  });

  test('none: every option has its default', async () => {
    const defaults = { ...buildDefaultConvertOptions(), include_images: false };
    expect((await asJson({})).options).toEqual(defaults);
    expect((await asForm([])).options).toEqual(defaults);
  });
});

describe('the conversion request', () => {
  test('http_sources: sources fetched by the service', async () => {
    const { status } = await service.send('POST', '/v1/convert/source', {
      json: { http_sources: [{ url: 'https://example.org/a.md' }] },
    });
    expect(status).toBe(200);
    expect(service.memory.requests.at(-1)?.sources).toEqual([
      { kind: 'http', url: 'https://example.org/a.md', headers: {} },
    ]);
  });

  test('file_sources: inline files', async () => {
    const { status } = await service.send('POST', '/v1/convert/source', {
      json: { file_sources: [{ base64_string: 'IyBB', filename: 'a.md' }] },
    });
    expect(status).toBe(200);
    expect(service.memory.requests.at(-1)?.sources).toMatchObject([{ kind: 'file', filename: 'a.md', size: 3 }]);
  });

  test('files: a repeated form field', async () => {
    const { status } = await service.send('POST', '/v1/convert/file', {
      form: [
        ['files', getFile('a.md')],
        ['files', getFile('b.md')],
      ],
    });
    expect(status).toBe(200);
    expect(service.memory.requests.at(-1)?.sources).toHaveLength(2);
  });

  test('remote picture description is rejected unless the server was launched with it', async () => {
    const closed = await startConversion();
    const { status, body } = await closed.send('POST', '/v1/convert/source', {
      json: {
        sources: [inline('a.md')],
        options: { picture_description_api: { url: 'https://example.org/v1/chat/completions' } },
      },
    });
    expect(status).toBe(422);
    expect((body as { detail: string }).detail).toContain('CONVERT_SERVE_ENABLE_REMOTE_SERVICES');
    await closed.close();
  });
});
