import { AppError } from '../../model/errors';
import { listProblems } from '../../model/validate';
import { createLlm } from '../../services/llm/llm';
import { listDocumentClasses } from '../../services/operator/document-classes';
import { contextFor, documentRow } from '../../test/support/operators/operator-test-support';
import { createModelServer, type ModelServer } from '../../test/support/servers/model-server';
import { run } from './run';
import { config, documentClassifier } from './schema';

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

const flow = {
  flow_name: 'f',
  flow: [
    { type: 'ingest_source', name: 'ingest', config: {} },
    { type: 'document_classifier', name: 'tested', depends_on: ['ingest'] },
  ],
};
function context(texts: Record<string, string> = {}, change = {}) {
  const base = contextFor(
    {
      llm,
      documentClasses: { list: listDocumentClasses },
      sources: {
        list: () => {
          throw new Error('not used');
        },
        hash: () => Promise.reject(new Error('not used')),
        read: (_provider, document) => Promise.resolve(new TextEncoder().encode(document as string)),
      },
      converter: {
        convert: ({ name }) => {
          const markdown = texts[name];
          if (markdown === undefined) return Promise.reject(new AppError('DOCUMENT_CORRUPT', `${name} is damaged.`));
          return Promise.resolve({ markdown, text: markdown, documentJson: '{}', pages: 1, format: 'md' });
        },
        close: () => Promise.resolve(),
      },
    },
    change,
  );
  return { ...base, run: { ...base.run, flow } };
}
const invoice =
  '# Invoice INV-7\n\nInvoice date: 2024-03-05\nDue date: 2024-04-05\nBill to: Blue Heron\n\nTotal: 12.50 EUR';
const texts: [string, string | null][] = [
  [invoice, 'invoice'],
  ['RECHNUNG\n\nRechnungsnummer: R-7\nRechnungsdatum: 5.3.2024\nGesamtbetrag: 12,50 €', 'invoice'],
  [
    '# Purchase Order\n\nOrder number: PO-1\nOrder date: 2024-03-05\nSupplier: X Ltd\nDelivery date: 2024-04-01',
    'purchase_order',
  ],
  [
    '# Minutes of the board\n\nMeeting date: 2024-03-05\nLocation: Bergen\nChair: A. Holm\nAttendees: B, C',
    'meeting_minutes',
  ],
  ['Passport\nPassport no: X123\nSurname: Doe\nGiven names: Jane\nNationality: Utopian', 'passport'],
  ['A poem about the sea and an invoice that nobody paid.', null],
  ['', null],
];

describe('by rules', () => {
  test.each(texts)('%j is %j', async (text, expected) => {
    const { rows } = await run([documentRow('a', text)], {}, context());
    expect(rows[0]?.['document_type']).toBe(expected);
  });

  test('the confidence stays where the class does not, and the reason is returned on request', async () => {
    const { rows, metrics } = await run(
      [documentRow('a', invoice), documentRow('b', 'nothing')],
      { confidence_threshold: 10, include_reasoning: true },
      context(),
    );
    expect(rows[1]).toMatchObject({ document_type: null, classification_confidence: 1 });
    expect(rows[0]).toMatchObject({ classification_reasoning: expect.stringContaining("'invoice'") });
    expect(metrics).toEqual({ classified: 0, unclassified: 2 });
    const bare = await run(
      [documentRow('a', invoice)],
      { include_confidence: false, output_column: 'kind' },
      context(),
    );
    expect(bare.rows[0]).toMatchObject({ kind: 'invoice', allowed_users: ['alice'] });
    expect(bare.rows[0]).not.toHaveProperty('classification_confidence');
  });

  test('only the configured classes are considered', async () => {
    const { rows } = await run([documentRow('a', invoice)], { document_types: ['receipt', 'passport'] }, context());
    expect(rows[0]?.['document_type']).toBeNull();
  });

  test('a row without text is read from its source; one that cannot be read fails alone', async () => {
    const { rows, failed } = await run(
      [documentRow('a', undefined), documentRow('b', undefined), documentRow('c', invoice)],
      {},
      context({ 'a.md': invoice }),
    );
    expect(rows.map(({ id, document_type }) => [id, document_type])).toEqual([
      ['a', 'invoice'],
      ['c', 'invoice'],
    ]);
    expect(failed).toEqual([{ id: 'b', name: 'b.md', code: 'DOCUMENT_CORRUPT', message: 'b.md is damaged.' }]);
  });
});

describe('by a model', () => {
  const input = { type: 'local_api' as const, provider_config: { model_id: 'm', max_retries: 0 } };
  const answer = (document_type: string, confidence = 9) => ({ reasoning: 'it says so', document_type, confidence });

  test('the model decides class and confidence; below the threshold no class is set', async () => {
    server.answer = ({ messages }) => (messages[1]?.content === 'sure' ? answer('invoice') : answer('receipt', 3));
    const { rows, metrics } = await run([documentRow('a', 'sure'), documentRow('b', 'unsure')], input, context());
    expect(rows).toMatchObject([
      { document_type: 'invoice', classification_confidence: 9 },
      { document_type: null, classification_confidence: 3 },
    ]);
    expect(metrics).toMatchObject({ classified: 1, unclassified: 1, model_requests: 2 });
  });

  test('classes of a flow are described to it, and none of these is null', async () => {
    server.answer = () => answer('none_of_these');
    const document_types = { Memo: 'A short note', invoice: '' };
    const { rows } = await run(
      [documentRow('a', 'x'.repeat(5_000))],
      { ...input, document_types, max_content_length: 100 },
      context(),
    );
    expect(rows[0]?.['document_type']).toBeNull();
    const [ask] = server.asked;
    expect(ask?.messages[0]?.content).toContain('- Memo: A short note\n- invoice: A seller');
    expect(ask?.messages[1]?.content).toHaveLength(100);
    expect(ask?.schema).toMatchObject({
      properties: { document_type: { enum: ['Memo', 'invoice', 'none_of_these'] } },
    });
  });

  test('an answer that is not a class is requested again, then fails its document; an outage fails the work', async () => {
    server.answer = ({ messages }) => (messages[1]?.content === 'bad' ? answer('poem') : answer('invoice'));
    const { rows, failed } = await run([documentRow('a', 'bad'), documentRow('b', 'good')], input, context());
    expect(rows.map(({ id }) => id)).toEqual(['b']);
    expect(failed).toMatchObject([{ id: 'a', code: 'MODEL_ANSWER_INVALID' }]);
    server.fault = () => 'drop';
    await expect(run([documentRow('a', 'x')], input, context())).rejects.toMatchObject({
      code: 'LOCALMODEL_CONNECTION_FAILED',
    });
  });

  test('a cancellation ends a request under way', async () => {
    const controller = new AbortController();
    server.fault = () => {
      controller.abort(new Error('cancelled'));
      return 'hang';
    };
    await expect(run([documentRow('a', 'x')], input, context({}, { signal: controller.signal }))).rejects.toThrow(
      'cancelled',
    );
  });
});

test('input rows are not changed, and no input rows mean no output rows', async () => {
  const row = documentRow('a', invoice);
  const copy = structuredClone(row);
  await run([row], {}, context());
  expect(row).toEqual(copy);
  expect((await run([], {}, context())).rows).toEqual([]);
});

test('ten megabytes are fast', async () => {
  const started = process.cpuUsage();
  await run([documentRow('a', `${invoice}\n${'Total: 1\n'.repeat(1_000_000)}`)], {}, context());
  expect(process.cpuUsage(started).user / 1_000).toBeLessThan(2_000);
});

describe('the configuration', () => {
  test.each([
    [{}, []],
    [{ type: 'rules', document_types: ['invoice'] }, []],
    [{ provider: 'litellm', provider_config: { model_id: 'm' } }, []],
    [{ type: 'magic' }, ['/type']],
    [{ provider: 'ollama' }, ['/provider_config']],
    [{ provider: 'ollama', provider_config: { model_id: 'm', modle: 1 } }, ['/provider_config/modle']],
    [{ output_column: 'content' }, ['/output_column']],
  ])('%j is rejected at %j', (input, pointers) => {
    expect(documentClassifier.validate(input).map(({ pointer }) => pointer)).toEqual(pointers);
  });

  test('defaults are not filled in if they would hide the alias', () => {
    const input = { provider: 'ollama', provider_config: { model_id: 'm' } };
    expect(listProblems(config, input)).toEqual([]);
    expect(input).not.toHaveProperty('type');
    expect(listProblems(config, { confidence_threshold: 11 })).not.toEqual([]);
  });
});
