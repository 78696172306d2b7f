import { createDocument } from '../../document/builder';
import { documentToJson } from '../../document/json/write';
import { toMarkdownWithSpans } from '../../document/pages';
import { listProblems } from '../../model/validate';
import { createLlm } from '../../services/llm/llm';
import { listDocumentClasses } from '../../services/operator/document-classes';
import { contextFor, documentRow } from '../../test/support/operators/operator-test-support';
import { createModelServer, type ModelServer } from '../../test/support/servers/model-server';
import { ExtractConfig, extractOperator } from '../extract_operator/schema';
import { createEntityExtractor } from './entities';

let server: ModelServer;
let llm: ReturnType<typeof createLlm>;
beforeAll(async () => {
  server = await createModelServer();
  llm = createLlm({ DOCLOOM_ALLOWED_HOSTS: ['127.0.0.1'], LOCALMODEL_HOST: server.url });
});
beforeEach(() => server.reset());
afterAll(async () => {
  llm.close();
  await server.stop();
});

type Settings = NonNullable<ExtractConfig['entity_extraction']>;
const model = { model_id: 'm', max_retries: 0 };
const getExtractor = (settings: Settings) => {
  const context = contextFor({ llm, documentClasses: { list: listDocumentClasses } });
  const extractor = createEntityExtractor({ entity_extraction: settings }, context);
  if (!extractor) throw new Error('no entities are asked for');
  return extractor;
};
const invoice = documentRow('a', 'Invoice **INV-7** of 5 March 2024\n\nTotal: 12.50 EUR', { document_type: 'invoice' });
const row = (content: string, more = {}) => ({ ...documentRow('a', content, more), content });
const createAnswer = (facts: object, evidence: object[] = []) => ({
  facts: {
    ...Object.fromEntries(
      (listDocumentClasses().find(({ document_type }) => document_type === 'invoice')?.fields ?? []).map(({ name }) => [
        name,
        name === 'line_items' ? [] : null,
      ]),
    ),
    ...facts,
  },
  evidence,
});

describe('entities by a model', () => {
  test('match the class of the row, each with a passage from the text', async () => {
    server.answer = () =>
      createAnswer(
        {
          invoice_number: 'INV-7',
          issue_date: '5 March 2024',
          total_amount: '12.50 EUR',
          currency: 'EUR',
          seller: { name: 'Nobody', address: null, tax_id: null },
        },
        [
          { field: 'invoice_number', quote: 'Invoice INV-7' },
          { field: 'total_amount', quote: 'a passage that is not there' },
        ],
      );
    const extractor = getExtractor({ provider: 'model', provider_config: model });
    const entities = await extractor.extract({ ...invoice, content: invoice.content ?? '' });
    expect(entities['entities']).toMatchObject({ invoice_number: 'INV-7', total_amount: '12.50 EUR', due_date: null });
    expect(entities['entity_evidence']).toEqual([
      { field: 'invoice_number', quote: 'Invoice **INV-7', start: 0, end: 15 },
      { field: 'issue_date', quote: '5 March 2024', start: 21, end: 33 },
      { field: 'currency', quote: 'EUR', start: 48, end: 51 },
      { field: 'total_amount', quote: '12.50 EUR', start: 42, end: 51 },
    ]);
    expect(extractor.counts).toMatchObject({ found: 5, unproven: 1 });
    expect(extractor.usage.requests).toBe(1);
    expect(server.asked[0]?.messages[0]?.content).toContain('invoice_number');
    expect(server.asked[0]?.schema).toMatchObject({ required: ['facts', 'evidence'] });
  });

  test('of a long document are extracted section by section: the first single value wins, lists continue', async () => {
    server.answer = ({ messages }) => {
      const text = messages[1]?.content ?? '';
      const nth = text.startsWith('Part 1') ? 1 : 2;
      return createAnswer(
        {
          invoice_number: `N-${nth}`,
          line_items: [{ description: `line ${nth}`, quantity: null, unit_price: null, amount: null }],
        },
        [{ field: 'line_items[0].description', quote: `Part ${nth}` }],
      );
    };
    const text = `Part 1 line 1 ${'word '.repeat(110)}\n\nPart 2 line 2 N-1 ${'word '.repeat(110)}\n\n${'more '.repeat(200)}`;
    const extractor = getExtractor({
      provider: 'model',
      provider_config: model,
      document_type: 'Invoice',
      max_doc_chars: 600,
      max_requests: 2,
    });
    const entities = await extractor.extract(row(text));
    expect(entities['entities']).toMatchObject({
      invoice_number: 'N-1',
      line_items: [{ description: 'line 1' }, { description: 'line 2' }],
    });
    expect(entities['entity_evidence']).toEqual([
      expect.objectContaining({ field: 'invoice_number', quote: 'N-1' }),
      expect.objectContaining({ field: 'line_items/0/description', quote: 'Part 1' }),
      expect.objectContaining({ field: 'line_items/1/description', quote: 'Part 2' }),
    ]);
    expect(extractor.counts.unread).toBe(1);
    expect(server.asked).toHaveLength(2);
  });

  test('of a schema of the flow have its types', async () => {
    server.answer = () => ({ facts: { total: 12.5, paid: true, lines: [{ count: 2 }] }, evidence: [] });
    const extractor = getExtractor({
      provider: 'ollama',
      provider_config: model,
      custom_schema: { total: 'float', paid: 'boolean', lines: [{ count: 'int' }] },
      output_column: 'facts',
      expand_extracted_data: true,
    });
    const entities = await extractor.extract(row('12.5 was paid for 2'));
    expect(entities).toMatchObject({
      facts: { total: 12.5, paid: true, lines: [{ count: 2 }] },
      entity_total: 12.5,
      entity_lines: [{ count: 2 }],
    });
    expect(entities['facts_evidence']).toHaveLength(2);
    expect(server.asked[0]).toMatchObject({ protocol: 'native' });
  });

  test('that do not fit are corrected by the model, or else fail the document with MODEL_ANSWER_INVALID', async () => {
    server.answer = (_ask, nth) => (nth === 1 ? 'Here is a poem.' : createAnswer({ invoice_number: 'INV-7' }));
    const extractor = getExtractor({ provider: 'model', provider_config: model });
    const entities = await extractor.extract({ ...invoice, content: invoice.content ?? '' });
    expect(entities['entities']).toMatchObject({ invoice_number: 'INV-7' });
    server.answer = () => '<html>';
    await expect(extractor.extract({ ...invoice, content: 'x' })).rejects.toMatchObject({
      code: 'MODEL_ANSWER_INVALID',
    });
  });

  test('a document without a known class does not change', async () => {
    const extractor = getExtractor({ provider: 'model', provider_config: model });
    const input = row('text', { document_type: 'poem' });
    expect(await extractor.extract(input)).toBe(input);
    expect(extractor.counts).toMatchObject({ unknownClass: 1, withoutClass: 0 });
    const none = row('text', { document_type: null });
    expect(await extractor.extract(none)).toBe(none);
    expect(extractor.counts).toMatchObject({ unknownClass: 1, withoutClass: 1 });
    expect(server.asked).toEqual([]);
  });

  test('a class that does not exist is a wrong configuration', () => {
    expect(() => getExtractor({ provider: 'rules', document_type: 'poem' })).toThrow(
      expect.objectContaining({ code: 'OPERATOR_CONFIGURATION_INVALID' }),
    );
  });
});

describe('entities by rules', () => {
  test('need no model, and have the types of a schema', async () => {
    const extractor = getExtractor({
      provider: 'rules',
      custom_schema: { invoice_number: 'string', total_amount: 'float', paid: 'boolean' },
    });
    const entities = await extractor.extract(row('Invoice no: 17-A\nTotal: 1,234.50 EUR\nPaid: yes'));
    expect(entities['entities']).toEqual({ invoice_number: '17-A', total_amount: 1234.5, paid: true });
    expect(entities['entity_evidence']).toHaveLength(3);
    expect(extractor.counts.found).toBe(3);
  });

  test('have the page of the document', async () => {
    const builder = createDocument('doc');
    const on = (page_no: number) => ({
      prov: [{ page_no, bbox: { l: 0, t: 0, r: 9, b: 9, coord_origin: 'TOPLEFT' as const }, charspan: [0, 1] }],
    });
    builder.page(1, 100, 100);
    builder.page(2, 100, 100);
    builder.text('text', 'Invoice number: 17', on(1));
    builder.text('text', 'Total: 12.50 EUR', on(2));
    const { markdown } = toMarkdownWithSpans(builder.document);
    const json = documentToJson(builder.document);
    const extractor = getExtractor({ provider: 'rules', document_type: 'invoice' });
    const pages = async (content: string) => {
      const entities = await extractor.extract(row(content), json);
      return (entities['entity_evidence'] as { field: string; page?: number }[]).map(({ field, page }) => [
        field,
        page,
      ]);
    };
    expect(await pages(markdown)).toEqual([
      ['invoice_number', 1],
      ['total_amount', 2],
    ]);
    expect(await pages(`${markdown}!`)).toEqual([
      ['invoice_number', undefined],
      ['total_amount', undefined],
    ]);
  });

  test('are not extracted by default', () => {
    expect(createEntityExtractor({}, contextFor())).toBeUndefined();
    expect(createEntityExtractor({ entity_extraction: { provider: 'none' } }, contextFor())).toBeUndefined();
  });
});

describe('the configuration', () => {
  const codes = (entity_extraction: object, columns: string[] = []) =>
    extractOperator
      .validate({ entity_extraction }, new Set(columns))
      .map(({ messageCode, pointer }) => [messageCode, pointer]);

  test.each([
    [{ provider: 'none' }, []],
    [{ provider: 'rules', document_type: 'invoice' }, []],
    [{ provider: 'litellm', provider_config: { model_id: 'm' }, custom_schema: { a: 'string' } }, []],
    [
      { provider: 'model', document_type: 'invoice', provider_config: { model_id: 'm', tempreature: 1 } },
      [['UNKNOWN_CONFIGURATION_KEY', '/entity_extraction/provider_config/tempreature']],
    ],
    [{ provider: 'rules' }, [['ENTITY_EXTRACTION_SCHEMA_MISSING', '/entity_extraction']]],
    [
      { provider: 'model', document_type: 'invoice' },
      [['OPERATOR_VALIDATION_FAILED', '/entity_extraction/provider_config']],
    ],
    [
      { provider: 'docling', document_type: 'invoice' },
      [['ENTITY_EXTRACTION_BY_RULES', '/entity_extraction/provider']],
    ],
    [
      { provider: 'rules', custom_schema: { a: 'text' } },
      [['OPERATOR_VALIDATION_FAILED', '/entity_extraction/custom_schema/a']],
    ],
    [{ provider: 'rules', custom_schema: {} }, [['OPERATOR_VALIDATION_FAILED', '/entity_extraction/custom_schema']]],
    [
      { provider: 'rules', document_type: 'invoice', output_column: 'content' },
      [['OPERATOR_VALIDATION_FAILED', '/entity_extraction/output_column']],
    ],
  ])('%j is %j', (input, expected) => {
    expect(codes(input)).toEqual(expected);
  });

  test('come from the class that an earlier classifier set', () => {
    expect(codes({ provider: 'rules' }, ['document_type'])).toEqual([]);
    expect(listProblems(ExtractConfig, { entity_extraction: { provider: 'magic' } })).not.toEqual([]);
  });
});
