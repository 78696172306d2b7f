import { Document, ImageRun, Packer, Paragraph } from 'docx';
import type { DoclingDocument } from '../../document/model';
import { draw, prose } from '../../formats/pdf/pdf-test-support';
import { buildDefaultConvertOptions } from '../../model/conversion/request/options';
import { findVisionPlan } from '../../model/conversion/vision/vision-plan';
import type { VisionSettings } from '../../model/conversion/vision/vision-settings';
import { createModelServer, type ModelServer } from '../../test/support/servers/model-server';
import { convert } from './entry';
import { exportDocument } from './export-document';

let server: ModelServer;
let settings: VisionSettings;
beforeAll(async () => {
  server = await createModelServer();
  settings = { remoteServices: true, network: { allowed: ['127.0.0.1'], own: [] } };
});
beforeEach(() => server.reset());
afterAll(() => server.stop());

type Options = ReturnType<typeof buildDefaultConvertOptions>;
const remote = (more: object = {}) => ({
  engine_options: {
    engine_type: 'api' as const,
    url: `${server.url}/v1/chat/completions`,
    headers: { Authorization: 'Bearer secret-of-the-request' },
    params: { model: 'seer' },
    timeout: 5,
    ...more,
  },
});

async function exported(name: string, bytes: Uint8Array, change: Partial<Options>, used = settings) {
  const options: Options = { ...buildDefaultConvertOptions(), to_formats: ['md', 'json', 'doctags'], ...change };
  const vision = findVisionPlan(options, used);
  const packaging = 'inbody' as const;
  const answer = await exportDocument({ name, bytes, options, packaging, ...(vision ? { vision } : {}) });
  if ('failure' in answer) throw new Error(answer.failure.message);
  const text = (format: string) => Buffer.from(answer.exported.outputs[format] ?? []).toString();
  const document = text('json') === '' ? undefined : (JSON.parse(text('json')) as DoclingDocument);
  return { ...answer.exported, text, document };
}

const pages = (count: number) =>
  draw((pdf) => {
    for (let page = 1; page <= count; page += 1) {
      if (page > 1) pdf.addPage();
      pdf.text(`printed ${page}`);
    }
  });

describe('pipeline vlm', () => {
  const vlm = { pipeline: 'vlm' as const };

  test('pages are sent as PNG in the configured scale with the prompt, and become a document with positions', async () => {
    server.answer = () => '<doctag><title><loc_50><loc_50><loc_450><loc_80>Seen</title></doctag>';
    const { status, errors, text, document, timings } = await exported('a.pdf', await pages(1), {
      ...vlm,
      vlm_pipeline_custom_config: { ...remote(), prompt: 'Convert this page to docling.', scale: 1 } as never,
    });
    expect([status, errors]).toEqual(['success', []]);
    expect(text('md')).toBe('# Seen');
    expect(document?.texts[0]?.prov[0]).toMatchObject({ page_no: 1, bbox: { l: 59.5, coord_origin: 'TOPLEFT' } });
    const [ask] = server.asked;
    expect(ask?.messages[0]?.content).toBe('Convert this page to docling.');
    expect(ask?.images[0]?.mimetype).toBe('image/png');
    expect(ask?.images[0]?.bytes.readUInt32BE(16)).toBe(595);
    expect(ask).toMatchObject({ model: 'seer', authorization: 'Bearer secret-of-the-request' });
    expect(Object.keys(timings)).toContain('doc_enrich');
  });

  test('a page that fails gives partial_success and no key in any text', async () => {
    server.answer = (ask) => (server.asked.indexOf(ask) === 0 ? '<text>first</text>' : 'x');
    server.fault = (_ask, nth) =>
      nth === 2 ? { status: 400, body: 'you sent Bearer secret-of-the-request' } : undefined;
    const found = await exported('a.pdf', await pages(3), { ...vlm, vlm_pipeline_custom_config: remote() });
    expect(found.status).toBe('partial_success');
    expect(found.errors).toEqual([
      {
        component_type: 'model',
        module_name: 'vlm',
        error_message: expect.stringContaining('/v1/chat/completions answered 400: you sent ********') as string,
        category: 'inference_failure',
        page_no: 2,
      },
    ]);
    expect(Object.keys(found.document?.pages ?? {})).toEqual(['1', '3']);
    expect(JSON.stringify({ ...found, document: found.text('json') })).not.toContain('secret-of-the-request');
  });

  test('a refused key fails the document as inference_failure', async () => {
    server.fault = () => ({ status: 401, body: 'no' });
    const { status, errors } = await exported('a.pdf', await pages(2), {
      ...vlm,
      vlm_pipeline_custom_config: remote(),
    });
    expect(status).toBe('failure');
    expect(errors[0]).toMatchObject({ component_type: 'model', category: 'inference_failure' });
    expect(server.asked).toHaveLength(1);
  });

  test('pictures of the page are kept, described and classified, each by its model', async () => {
    const configured: VisionSettings = {
      remoteServices: true,
      network: { allowed: [], own: [] },
      server: {
        url: `${server.url}/v1/chat/completions`,
        apiKey: 'server-key',
        findModel: (task) => `model-of-${task}`,
        format: 'doctags',
        timeoutMs: 5_000,
        concurrency: 2,
      },
    };
    server.answer = ({ model }) =>
      ({
        'model-of-pages':
          '<picture><loc_100><loc_100><loc_400><loc_400></picture><formula><loc_0><loc_0><loc_90><loc_20></formula>',
        'model-of-classification': '{"class_name": "photograph", "confidence": 0.7}',
        'model-of-description': 'A harbour.',
        'model-of-formulas': '$$x$$',
      })[model] ?? 'none';
    const { status, errors, document, text } = await exported(
      'a.pdf',
      await pages(1),
      {
        ...vlm,
        image_export_mode: 'embedded',
        do_picture_classification: true,
        do_picture_description: true,
        do_chart_extraction: true,
        do_formula_enrichment: true,
        do_code_enrichment: true,
      },
      configured,
    );
    expect([status, errors]).toEqual(['success', []]);
    expect(document?.pictures[0]?.image?.uri).toMatch(/^data:image\/png;base64,/);
    expect(document?.pictures[0]?.meta).toEqual({
      classification: {
        predictions: [{ class_name: 'photograph', confidence: 0.7, created_by: 'model-of-classification' }],
      },
      description: { text: 'A harbour.', created_by: 'model-of-description' },
    });
    expect(text('md')).toContain('$$x$$');
    expect(server.asked.map(({ model }) => model)).toEqual([
      'model-of-pages',
      'model-of-classification',
      'model-of-description',
      'model-of-formulas',
    ]);
    expect(server.asked[0]?.authorization).toBe('Bearer server-key');
  });

  test('an image file is read by the model too', async () => {
    server.answer = () => '# Scan\n\nwords';
    const sharp = (await import('sharp')).default;
    const png = await sharp({ create: { width: 60, height: 30, channels: 3, background: '#fff' } })
      .png()
      .toBuffer();
    const { text, document } = await exported('a.png', new Uint8Array(png), {
      ...vlm,
      vlm_pipeline_custom_config: { ...remote(), model_spec: { response_format: 'markdown' } },
    });
    expect(text('md')).toBe('# Scan\n\nwords');
    expect(document?.pages['1']?.size).toEqual({ width: 60, height: 30 });
  });
});

describe('enrichments of any format', () => {
  const pixels = (side: number) =>
    import('sharp').then(({ default: sharp }) =>
      sharp({ create: { width: side, height: side, channels: 3, background: '#f00' } })
        .png()
        .toBuffer(),
    );

  test('pictures of Word files are described, a failed one is reported alone', async () => {
    const data = await pixels(64);
    const image = () => new ImageRun({ type: 'png', data, transformation: { width: 90, height: 90 } });
    const children = [1, 2].map(() => new Paragraph({ children: [image()] }));
    const bytes = await Packer.toBuffer(new Document({ sections: [{ children }] }));
    server.answer = () => 'A red square.';
    server.fault = (_ask, nth) => (nth === 1 ? { body: { choices: 'nonsense' } } : undefined);
    const { status, errors, document } = await exported('a.docx', bytes, {
      do_picture_description: true,
      picture_description_custom_config: remote(),
    });
    expect(status).toBe('partial_success');
    expect(errors).toMatchObject([
      { module_name: 'picture_description', category: 'inference_failure', page_no: null },
    ]);
    expect(document?.pictures.map(({ meta }) => meta?.['description'] !== undefined)).toEqual([false, true]);
    expect(document?.pictures[1]?.annotations).toEqual([
      { kind: 'description', text: 'A red square.', provenance: 'seer' },
    ]);
    expect(server.asked[1]?.images[0]?.bytes.equals(data)).toBe(true);
  });

  test('code and pictures of a PDF are sent as drawn; the threshold is relative to the page', async () => {
    const red = await pixels(64);
    const bytes = await draw((pdf) => {
      pdf.font('Helvetica').text(prose).moveDown();
      pdf.font('Courier').text('def area(r):\n    return 3.14 * r * r\n\nprint(area(2))');
      pdf.image(red, 100, 300, { width: 300, height: 300 });
      pdf.image(red, 100, 700, { width: 40, height: 40 });
    });
    server.answer = ({ messages }) => (messages[0]?.content === 'See.' ? 'red' : '```python\ndef area(r): ...\n```');
    const { document, errors } = await exported('a.pdf', bytes, {
      do_code_enrichment: true,
      code_formula_custom_config: remote(),
      do_picture_description: true,
      picture_description_custom_config: { ...remote(), prompt: 'See.' },
      picture_description_area_threshold: 0.01,
    });
    expect(errors).toEqual([]);
    expect(document?.texts.find(({ label }) => label === 'code')).toMatchObject({
      text: 'def area(r): ...',
      code_language: 'Python',
    });
    expect(document?.pictures.map(({ meta }) => meta?.['description'] !== undefined)).toEqual([true, false]);
    expect(document?.pictures[0]?.image ?? null).toBeNull();
    expect(server.asked).toHaveLength(2);
  });

  test('the operator of flows gets the same, with failures as warnings', async () => {
    const vision = findVisionPlan(
      {
        ...buildDefaultConvertOptions(),
        pipeline: 'vlm',
        vlm_pipeline_custom_config: { ...remote(), model_spec: { response_format: 'markdown' } },
      },
      settings,
    )!;
    server.answer = () => '# From the model';
    server.fault = (_ask, nth) => (nth === 2 ? { status: 400, body: 'no' } : undefined);
    const answer = await convert({ bytes: await pages(2), name: 'a.pdf', vision });
    expect(answer).toMatchObject({
      converted: {
        markdown: '# From the model',
        warnings: [expect.stringContaining('Page 2 is left out: The model host rejected') as string],
      },
    });
    server.fault = () => ({ status: 503, headers: { 'retry-after': '3600' }, body: 'busy' });
    expect(await convert({ bytes: await pages(1), name: 'a.pdf', vision })).toMatchObject({
      failure: { code: 'CONNECTION_ERROR' },
    });
  });
});
