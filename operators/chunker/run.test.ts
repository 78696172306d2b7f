import { createDocument } from '../../document/builder';
import { documentToJson } from '../../document/json/write';
import { toMarkdownWithSpans } from '../../document/pages';
import { AppError } from '../../model/errors';
import type { Row } from '../../model/flow/row';
import { listProblems } from '../../model/validate';
import { contextFor, unusedFiles } from '../../test/support/operators/operator-test-support';
import { run } from './run';
import { chunker, config } from './schema';

const tokenizers = {
  load: async () => ({
    name: 'words',
    maxTokens: 256,
    count: (text: string) => text.split(/\s+/).filter(Boolean).length,
  }),
};
function context(files: Record<string, string> = {}, signal = new AbortController().signal) {
  const get = async (key: string) => {
    const text = files[key];
    if (text === undefined) throw new AppError('TABLE_NOT_FOUND', `no ${key}`);
    return new TextEncoder().encode(text);
  };
  return contextFor({ tokenizers, files: { ...unusedFiles, get } }, { signal });
}
const row = (id: string, content: string, more: Partial<Row> = {}): Row => ({
  id,
  name: `${id}.md`,
  path: `/d/${id}.md`,
  content,
  allowed_users: ['anna'],
  pages_processed: 1,
  ...more,
});
const words = Array.from({ length: 400 }, (_, index) => `word${index}`).join(' ');

describe('chunks', () => {
  test('chunk rows keep the columns of their document and name document, index and offset', async () => {
    const { rows, metrics } = await run(
      [row('a', words, { metadata: { k: 1 } })],
      { chunk_size: 200, chunk_overlap: 20 },
      context(),
    );
    expect(rows.length).toBeGreaterThan(10);
    expect(metrics).toEqual({ total_chunks: rows.length });
    for (const [index, chunk] of rows.entries()) {
      expect(chunk).toMatchObject({
        id: `a_${index}`,
        document_id: 'a',
        chunk_index: index,
        name: 'a.md',
        allowed_users: ['anna'],
        metadata: { k: 1 },
        headings: [],
        page_numbers: [],
        bbox: [],
      });
      expect(chunk.content?.length).toBeLessThanOrEqual(200);
      expect(words.startsWith(chunk.content ?? '-', chunk.start_index)).toBe(true);
    }
  });

  test('chunks have the headings, pages and boxes of their content', async () => {
    const builder = createDocument('doc');
    builder.page(1, 100, 100);
    builder.page(2, 100, 100);
    const prov = (page_no: number, t: number) => [
      { page_no, bbox: { l: 10, t, r: 90, b: t + 10, coord_origin: 'TOPLEFT' as const }, charspan: [0, 1] },
    ];
    builder.heading(1, 'Costs', { prov: prov(1, 5) });
    builder.text('text', 'Travel was cheap this year. '.repeat(4).trim(), { prov: prov(1, 20) });
    builder.heading(1, 'Outlook', { prov: prov(2, 5) });
    builder.text('text', 'Travel will be dear next year. '.repeat(4).trim(), { prov: prov(2, 20) });
    const { markdown } = toMarkdownWithSpans(builder.document);
    const files = {
      'documents/a.json': documentToJson(builder.document),
    };
    const { rows } = await run(
      [row('a', markdown, { document_ref: 'documents/a.json' })],
      { chunk_size: 130, chunk_overlap: 0 },
      context(files),
    );
    expect(rows[0]).toMatchObject({
      headings: ['Costs'],
      page_numbers: [1],
      bbox: [
        [1, 10, 5, 90, 15],
        [1, 10, 20, 90, 30],
      ],
    });
    expect(rows.at(-1)).toMatchObject({ headings: ['Outlook'], page_numbers: [2] });
    const changed = await run(
      [row('a', `${markdown}!`, { document_ref: 'documents/a.json' })],
      { chunk_size: 140 },
      context(files),
    );
    expect(changed.rows[0]).toMatchObject({ headings: [], page_numbers: [] });
  });

  test('a missing full document is a warning, and the chunks have no pages', async () => {
    const { rows, warnings } = await run(
      [row('a', 'text', { document_ref: 'gone' })],
      { chunk_type: 'simple' },
      context(),
    );
    expect(rows).toHaveLength(1);
    expect(warnings).toEqual([expect.stringContaining("'a.md' is no longer stored")]);
  });

  test.each<[object, 'hybrid' | 'simple']>([
    [{}, 'hybrid'],
    [{ tokenizer: 'o200k_base' }, 'hybrid'],
    [{ chunk_size: 500 }, 'simple'],
    [{ chunk_overlap: 10 }, 'simple'],
    [{ chunk_type: 'hybrid', chunk_size: 100 }, 'hybrid'],
  ])('with %j, documents are split as by chunk_type %s', async (config, type) => {
    const { rows } = await run([row('a', 'One. Two.')], config, context());
    expect(rows.map((chunk) => chunk['num_tokens'] !== undefined)).toEqual([type === 'hybrid']);
  });

  test('the default has no positions for texts that an operator has changed', async () => {
    const changed = row('a', 'masked', { document_ref: 'documents/a.json' });
    const stored = context({
      'documents/a.json': documentToJson(createDocument('original').document),
    });
    expect((await run([changed], {}, stored)).warnings).toEqual([]);
    expect((await run([changed], { chunk_type: 'hybrid' }, stored)).warnings).toEqual([
      expect.stringContaining('was changed'),
    ]);
  });

  test('a document without text is skipped with a reason; only a document whose content is not text fails', async () => {
    const result = await run(
      [row('a', ' \n '), row('b', 'x'), { ...row('c', ''), content: 5 as never }],
      {},
      context(),
    );
    expect(result.rows.map(({ id }) => id)).toEqual(['b_0']);
    expect(result.skipped).toEqual([{ id: 'a', name: 'a.md', reason: expect.stringContaining('no text') }]);
    expect(result.failed).toEqual([
      { id: 'c', name: 'c.md', code: 'OPERATOR_EXECUTION_FAILED', message: expect.stringContaining('number') },
    ]);
  });

  test('the input rows are not changed', async () => {
    const input = row('a', words);
    const copy = structuredClone(input);
    await run([input], { chunk_size: 100 }, context());
    expect(input).toEqual(copy);
  });

  test('an abort ends the operator', async () => {
    await expect(run([row('a', 'x')], {}, context({}, AbortSignal.abort(new Error('cancelled'))))).rejects.toThrow(
      'cancelled',
    );
  });

  test.each([50, 120, 400, 401, 2_048])(
    'with chunk_size %i and no chunk_overlap, no chunk is longer than chunk_size',
    async (chunk_size) => {
      const { rows } = await run([row('a', words)], { chunk_size }, context());
      expect(Math.max(...rows.map(({ content }) => content?.length ?? 0))).toBeLessThanOrEqual(chunk_size);
    },
  );
});

describe('hybrid chunks', () => {
  const builder = createDocument('a');
  builder.page(1, 600, 800);
  builder.heading(1, 'Insects');
  const prov = [{ page_no: 1, bbox: { l: 10, t: 20, r: 30, b: 40 }, charspan: [0, 1] }];
  builder.text('text', 'Ants carry leaves.', { prov });
  builder.text('text', 'Bees carry pollen.', { prov });
  const { markdown } = toMarkdownWithSpans(builder.document);
  const stored = context({
    'documents/a.json': documentToJson(builder.document),
  });
  const hybrid = { chunk_type: 'hybrid', tokenizer: 'words' } as const;

  test('name headings, pages, boxes, items and tokens of the stored document', async () => {
    const { rows, warnings } = await run([row('a', markdown, { document_ref: 'documents/a.json' })], hybrid, stored);
    expect(warnings).toEqual([]);
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({
      id: 'a_0',
      document_id: 'a',
      chunk_index: 0,
      content: 'Insects\nAnts carry leaves.\nBees carry pollen.',
      headings: ['Insects'],
      page_numbers: [1],
      bbox: [
        [1, 10, 20, 30, 40],
        [1, 10, 20, 30, 40],
      ],
      num_tokens: 7,
      doc_items: ['#/texts/1', '#/texts/2'],
      allowed_users: ['anna'],
    });
    expect(rows[0]).not.toHaveProperty('start_index');
  });

  test('follow chunk_size (in tokens), merge_peers and contextualize', async () => {
    const rowsBefore = [row('a', markdown, { document_ref: 'documents/a.json' })];
    const small = await run(rowsBefore, { ...hybrid, merge_peers: false, contextualize: false }, stored);
    expect(small.rows.map(({ content }) => content)).toEqual(['Ants carry leaves.', 'Bees carry pollen.']);
    const { rows } = await run(rowsBefore, { ...hybrid, chunk_size: 4 }, stored);
    expect(rows.map(({ num_tokens }) => num_tokens)).toEqual([4, 4]);
  });

  test('follow a text that an operator has changed, so that masked text stays masked', async () => {
    const changed = markdown.replace('pollen', '******');
    const { rows, warnings } = await run([row('a', changed, { document_ref: 'documents/a.json' })], hybrid, stored);
    expect(rows[0]?.content).toBe('Insects\nAnts carry leaves.\nBees carry \\*\\*\\*\\*\\*\\*.'.replaceAll('\\', ''));
    expect(rows[0]?.page_numbers).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining('was changed')]);
  });

  test('are made from the Markdown if no document is stored; options decide how images and tables are written', async () => {
    const text = '## T\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n![cat](cat.png)';
    const plain = await run([row('b', text)], hybrid, context());
    expect(plain.rows[0]?.content).toContain('1, b = 2');
    expect(plain.warnings).toEqual([expect.stringContaining('was changed')]);
    const rich = await run(
      [row('b', text)],
      { ...hybrid, use_markdown_tables: true, use_markdown_images: true, image_placeholder: '[PIC]' },
      context(),
    );
    expect(rich.rows[0]?.content).toContain('| 1 | 2 |');
    expect(rich.rows[0]?.content).toContain('[PIC]');
  });

  test('an unknown tokenizer is reported in a warning with its replacement; a document without text is skipped', async () => {
    const unknownTokenizer = { chunk_type: 'hybrid', tokenizer: 'acme/words' } as const;
    const { warnings, skipped } = await run([row('c', '  ')], unknownTokenizer, context());
    expect(warnings?.[0]).toContain("'acme/words' is not in the models folder");
    expect(warnings?.[0]).toContain("'words'");
    expect(skipped).toEqual([{ id: 'c', name: 'c.md', reason: 'It has no text to cut into chunks.' }]);
  });
});

test('the defaults give no warning for a text without its full document, such as a masked one', async () => {
  const { rows, warnings } = await run([row('c', 'text')], {}, context());
  expect(rows).toHaveLength(1);
  expect(warnings ?? []).toEqual([]);
});

test('the default tokenizer gives no warning', async () => {
  const { warnings } = await run([row('c', 'text')], { chunk_type: 'hybrid' }, context());
  expect((warnings ?? []).filter((warning) => warning.includes('tokenizer'))).toEqual([]);
});

describe('chunker configuration', () => {
  const codes = (settings: Record<string, unknown>, columns: string[] = []) =>
    chunker.validate(settings, new Set(columns)).map(({ messageCode }) => messageCode);

  test.each([
    {},
    { chunk_type: 'simple' },
    { chunk_type: 'semantic', embeddings: { type: 'hashing' }, breakpoint_threshold_type: 'gradient' },
    { chunk_type: 'semantic', semantic_embeddings_model: 'm', provider_config: { host: 'http://localhost:11434' } },
    { chunk_type: 'hybrid', chunk_size: 512, tokenizer: 'o200k_base' },
    { chunk_size: 50 },
    { chunk_size: 100_000, chunk_overlap: 0 },
    { retain_original_content: false },
  ])('%j is valid', (input) => {
    expect(codes(input)).toEqual([]);
    expect(listProblems(config, { ...input })).toEqual([]);
  });

  test.each([
    [{ chunk_type: 'fixed' }, 'CHUNKER_INVALID_CHUNK_TYPE'],
    [{ chunk_type: 5 }, 'CHUNKER_INVALID_CHUNK_TYPE'],
    [{ chunk_type: 'semantic' }, 'CHUNKER_SEMANTIC_EMBEDDINGS_MISSING'],
    [{ chunk_type: 'semantic', embeddings: { type: 'word2vec' } }, 'EMBEDDINGS_INVALID_TYPE'],
    [{ chunk_type: 'semantic', embeddings: { type: 'local_api' } }, 'MISSING_MODEL_ID_FOR_EMBEDDINGS'],
    [
      { chunk_type: 'semantic', semantic_embeddings_model: 'm', breakpoint_threshold_type: 'mean' },
      'CHUNKER_INVALID_BREAKPOINT_THRESHOLD_TYPE',
    ],
    [
      { chunk_type: 'semantic', semantic_embeddings_model: 'm', breakpoint_threshold_amount: 101 },
      'CHUNKER_INVALID_BREAKPOINT_THRESHOLD_AMOUNT',
    ],
    [{ chunk_size: '2048' }, 'CHUNKER_INVALID_CHUNK_SIZE_TYPE'],
    [{ chunk_size: 49 }, 'CHUNKER_INVALID_CHUNK_SIZE'],
    [{ chunk_size: 100_001 }, 'CHUNKER_INVALID_CHUNK_SIZE'],
    [{ chunk_overlap: 1.5 }, 'CHUNKER_INVALID_CHUNK_OVERLAP_TYPE'],
    [{ chunk_overlap: -1 }, 'CHUNKER_INVALID_CHUNK_OVERLAP'],
    [{ chunk_size: 100, chunk_overlap: 100 }, 'CHUNKER_INVALID_CHUNK_OVERLAP'],
    [{ retain_original_content: 'yes' }, 'CHUNKER_INVALID_RETAIN_ORIGINAL_CONTENT_TYPE'],
    [{ retain_original_content: true }, 'CHUNKER_ORIGINAL_CONTENT_NOT_KEPT'],
  ])('%j is rejected with %s', (input, code) => {
    expect(codes(input)).toEqual([code]);
  });

  test('a chunker after an embeddings operator or another chunker is misplaced', () => {
    expect(codes({}, ['content', 'embeddings'])).toEqual(['CHUNKER_OPERATOR_MISPLACED']);
    expect(codes({}, ['content', 'chunk_index'])).toEqual(['CHUNKER_OPERATOR_MISPLACED']);
  });
});
