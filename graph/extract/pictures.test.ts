import { createDocument } from '../../document/builder';
import type { LanguageModel, ModelAnswer, ModelRequest } from '../ask/language-model';
import { visionModel } from '../ask/vision-model';
import { ConfigurationError, ExtractionError } from '../core/errors';
import type { Attributes } from '../core/value';
import { runPipeline } from '../pipeline';
import { invoiceTemplate as template } from '../template/test-support';
import { pagePictures } from './pictures';

const picture = (page: number) => ({
  page,
  mediaType: 'image/png',
  base64: Buffer.from(`page ${page}`).toString('base64'),
});
const shown = ({ images = [] }: ModelRequest) => Buffer.from(images[0]?.base64 ?? '', 'base64').toString();

/** A model that answers by the picture it is shown. */
function seeing(answers: Record<string, (string | ModelAnswer)[]>): LanguageModel & { asked: ModelRequest[] } {
  const requests: ModelRequest[] = [];
  return {
    asked: requests,
    ask: async (request) => {
      const nth = requests.filter((modelRequest) => shown(modelRequest) === shown(request)).length;
      requests.push(request);
      const answer = answers[shown(request)]?.[nth] ?? '';
      return typeof answer === 'string' ? { text: answer } : answer;
    },
  };
}
const look = (model: LanguageModel, more: Attributes = {}, pages = [picture(1), picture(2)]) =>
  runPipeline({ source: '', template, model, pages, options: { backend: 'vlm', ...more } });

describe('the backend vlm', () => {
  test('sends each page with its picture and the schema in words; the answers are merged into one model', async () => {
    const model = seeing({
      'page 1': ['{"number": "INV-1", "seller": {"name": "Acme"}, "invented": 1}'],
      'page 2': ['```json\n{"seller": {"name": "ACME", "vat_id": "DE1"}, "lines": [{"position": 1}]}\n```'],
    });
    const { pydantic_model, problems, contract, graph, provenance } = await look(model);
    expect(pydantic_model).toEqual({
      number: 'INV-1',
      seller: { name: 'Acme', vat_id: 'DE1' },
      lines: [{ position: 1 }],
    });
    expect(problems).toEqual(['page 1: /invented is not in the template']);
    expect([contract.used, model.asked.map(shown)]).toEqual(['pictures', ['page 1', 'page 2']]);
    expect(model.asked[0]?.user).toContain('The JSON Schema of the answer');
    const line = [...graph.nodes.values()].find((node) => node['label'] === 'Line');
    expect(line?.['__provenance__']).toMatchObject({ match: 'observed', chunks: [1], pages: [2] });
    expect(provenance?.['bind_stats']).toMatchObject({ bound_observed: 3 });
  });

  test('one-to-one creates one model per page', async () => {
    const model = seeing({ 'page 1': ['{"number": "1"}'], 'page 2': ['{"number": "2"}'] });
    expect((await look(model, { processing_mode: 'one-to-one' })).extracted_models).toEqual([
      { number: '1' },
      { number: '2' },
    ]);
  });

  test.each([
    ['prose', 'I see an invoice.'],
    ['invalid JSON', '{number: 1}'],
    ['nothing', ''],
  ])('a page with %s as the answer is sent again, then dropped and reported', async (_case, answer) => {
    const model = seeing({ 'page 1': [answer, answer], 'page 2': [answer, '{"number": "2"}'] });
    const { pydantic_model, problems } = await look(model);
    expect([pydantic_model, problems]).toEqual([
      { number: '2' },
      ['page 1: the answer of the model is not a JSON object'],
    ]);
    expect(model.asked).toHaveLength(4);
    expect(model.asked.filter(({ user }) => user.includes('Your last answer'))).toHaveLength(2);
  });

  test('truncated JSON keeps complete members; if no page can be read, it is an ExtractionError', async () => {
    const cut = { text: '{"number": "1", "lines": [{"position": 1}, {"posi', isTruncated: true };
    const { pydantic_model } = await look(seeing({ 'page 1': [cut] }), {}, [picture(1)]);
    expect(pydantic_model).toEqual({ number: '1', lines: [{ position: 1 }] });
    await expect(look(seeing({}))).rejects.toMatchObject({ details: { reason: 'no_models_extracted' } });
  });

  test('finished pages are not sent again, and a different picture is a different page', async () => {
    const kept = new Map<string, Attributes>();
    const first = seeing({ 'page 1': ['{"number": "1"}'] });
    const given = { source: '', template, options: { backend: 'vlm' } } as const;
    const onChunkDone = (key: string, result: Attributes) => void kept.set(key, result);
    await runPipeline({ ...given, model: first, pages: [picture(1)], onChunkDone });
    const second = seeing({});
    const again = await runPipeline({ ...given, model: second, pages: [picture(1)], finished: kept });
    expect([again.pydantic_model, second.asked]).toEqual([{ number: '1' }, []]);
    const other = { ...picture(1), base64: 'AA==' };
    await expect(runPipeline({ ...given, model: second, pages: [other], finished: kept })).rejects.toThrow(
      ExtractionError,
    );
    expect(second.asked).toHaveLength(2);
  });

  test('uses the pictures of pages in a document; a source without any is an ExtractionError', async () => {
    const builder = createDocument('scan');
    builder.page(2, 600, 800);
    builder.page(1, 600, 800);
    const size = { width: 1, height: 1 };
    builder.document.pages['2']!.image = {
      mimetype: 'image/png',
      dpi: 72,
      size,
      uri: `data:image/png;base64,${picture(2).base64}`,
    };
    expect(pagePictures(builder.document)).toEqual([picture(2)]);
    const model = seeing({ 'page 2': ['{"number": "2"}'] });
    const options = { backend: 'vlm' } as const;
    const { pydantic_model } = await runPipeline({ source: builder.document, template, model, options });
    expect(pydantic_model).toEqual({ number: '2' });
    await expect(runPipeline({ source: 'text', template, model, options })).rejects.toMatchObject({
      name: 'ExtractionError',
      details: { reason: 'no_models_extracted', hint: 'The backend vlm reads PDF files and pictures.' },
    });
  });

  test('runs locally only, which is reported before any request and is not retryable', async () => {
    const model = seeing({});
    const failed = look(model, { inference: 'remote' });
    await expect(failed).rejects.toThrow(ConfigurationError);
    await expect(failed).rejects.toMatchObject({
      message: 'The options are invalid: the backend vlm supports only the inference local',
      retryable: false,
    });
    expect(model.asked).toEqual([]);
  });

  test('a vision service gets the picture as bytes and the rest in words', async () => {
    const seen: unknown[] = [];
    const model = visionModel(async (question) => {
      seen.push([
        question.image.mimetype,
        Buffer.from(question.image.bytes).toString(),
        question.prompt.includes('- number'),
      ]);
      return { text: '{"number": "7"}', isTruncated: false };
    });
    expect((await look(model, {}, [picture(1)])).pydantic_model).toEqual({ number: '7' });
    expect(seen).toEqual([['image/png', 'page 1', true]]);
    await expect(model.ask({ name: 'x', system: '', user: '', schema: {} })).rejects.toThrow(ConfigurationError);
  });
});
