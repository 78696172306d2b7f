import { AppError } from '../../model/errors';
import type { FlowDefinition } from '../../model/flow/flow';
import type { Row } from '../../model/flow/row';
import type { PageCount, PagesOfDocuments } from '../../model/page/page-count';
import { listProblems } from '../../model/validate';
import type { Converted, OcrRequest } from '../../services/conversion/converter';
import { listDocumentClasses } from '../../services/operator/document-classes';
import type { OperatorContext } from '../operator';
import { emptyReason, run } from './run';
import { ExtractConfig, extractOperator } from './schema';

const flow: FlowDefinition = {
  flow_name: 'test',
  flow: [
    {
      type: 'ingest_source',
      name: 'letters',
      config: { provider: 'filesystem', connection_params: { paths: ['/letters'] } },
    },
    {
      type: 'ingest_source',
      name: 'bills',
      config: { provider: 'filesystem', connection_params: { paths: ['/bills'] } },
    },
    { type: 'extract_operator', name: 'extract', depends_on: ['letters'] },
  ],
};

interface Fakes {
  convert?: (name: string, signal: AbortSignal, timeoutMs: number) => Promise<Partial<Converted>>;
  /** The page counts reported while a document is converted. */
  pages?: (name: string) => PageCount[];
  put?: (key: string) => Promise<void>;
  signal?: AbortSignal;
  flow?: FlowDefinition;
}

function getContext(fakes: Fakes = {}) {
  const seen = {
    files: new Map<string, string>(),
    reads: [] as unknown[],
    progress: [] as number[],
    pages: [] as (PagesOfDocuments | undefined)[],
    transferred: [] as string[],
    opened: [] as { name: string; wanted: readonly string[] }[],
    passwords: [] as (string | undefined)[],
    formulas: [] as (boolean | undefined)[],
    recognition: [] as (OcrRequest | undefined)[],
  };
  const context: OperatorContext<
    'sources' | 'members' | 'converter' | 'remoteConverter' | 'files' | 'originals' | 'llm' | 'documentClasses'
  > = {
    signal: fakes.signal ?? new AbortController().signal,
    progress: (done) => seen.progress.push(done),
    pageProgress: (pages) => seen.pages.push(pages),
    operator: 'extract',
    run: {
      runId: 'run-1',
      jobId: 'job-1',
      owner: 'ann',
      startedAt: '2030-01-01T00:00:00Z',
      forceIngest: false,
      planHash: 'p',
      flow: fakes.flow ?? flow,
    },
    services: {
      sources: {
        list: () => {
          throw new Error('extract lists nothing');
        },
        hash: async () => '',
        async read(provider, document, config) {
          const path = document as string;
          seen.reads.push({ provider, path, paths: (config['connection_params'] as { paths: string[] }).paths });
          if (path.includes('gone')) throw new AppError('SOURCE_UNREADABLE', `${path} went away.`);
          return new TextEncoder().encode(`bytes of ${path}`);
        },
      },
      members: {
        async find({ name, wanted = [] }) {
          seen.opened.push({ name, wanted });
          const members = wanted
            .filter((path) => !path.includes('vanished'))
            .map((path) => ({ path, size: 1, hash: 'h', bytes: new TextEncoder().encode(`${path} of ${name}`) }));
          return { isContainer: true, members };
        },
      },
      converter: {
        async convert({ name, bytes, password, includeFormulas, ocr, signal, timeoutMs, mimetype, onPages }) {
          seen.passwords.push(password);
          seen.formulas.push(includeFormulas);
          seen.recognition.push(ocr);
          for (const pages of fakes.pages?.(name) ?? []) onPages?.(pages);
          seen.transferred.push(`${new TextDecoder().decode(bytes)} as ${mimetype}`);
          return {
            markdown: `# ${name}`,
            text: name,
            documentJson: `{"of":"${name}"}`,
            pages: 2,
            format: 'md',
            ...(await fakes.convert?.(name, signal, timeoutMs)),
          };
        },
        close: async () => undefined,
      },
      remoteConverter: {
        convert: ({ name, settings, timeoutMs }) =>
          Promise.resolve({
            markdown: `remote ${name}`,
            text: `remote ${name}`,
            documentJson: JSON.stringify([settings, timeoutMs]),
            pages: 3,
            format: 'x',
          }),
        close: () => undefined,
      },
      llm: { chat: () => Promise.reject(new Error('not used')), embed: () => Promise.reject(new Error('not used')) },
      documentClasses: { list: listDocumentClasses },
      originals: { copy: (bytes) => bytes.slice() },
      files: {
        async put(key, bytes) {
          await fakes.put?.(key);
          seen.files.set(key, new TextDecoder().decode(bytes as Uint8Array));
        },
        get: async () => new Uint8Array(),
        exists: async () => false,
        list: () => {
          throw new Error('not used');
        },
        removePrefix: async () => undefined,
      },
    },
  };
  return { context, seen };
}

const row = (name: string, more: Partial<Row> = {}): Row => ({
  id: `id-${name}`,
  name,
  path: `/letters/${name}`,
  ...more,
});

test('a document row has text, pages, title and the key of its full form', async () => {
  const { context, seen } = getContext({ convert: async () => ({ title: 'A Letter' }) });
  const input = row('a.md', { content_hash: 'abc', mimetype: 'text/markdown', metadata: { author: 'Bo' } });
  const result = await run([input], {}, context);
  expect(result.rows).toEqual([
    {
      ...input,
      content: 'a.md',
      pages_processed: 2,
      document_ref: 'documents/job-1/id-a.md/abc.json',
      metadata: { author: 'Bo', title: 'A Letter' },
    },
  ]);
  expect(Object.fromEntries(seen.files)).toEqual({
    'documents/job-1/id-a.md/abc.json': '{"of":"a.md"}',
    'documents/job-1/id-a.md/abc.md': '# a.md',
    'documents/job-1/id-a.md/abc.original': 'bytes of /letters/a.md',
  });
  expect(seen.transferred).toEqual(['bytes of /letters/a.md as text/markdown']);
  expect(result.metrics).toEqual({ total_pages_converted: 2 });
  expect(input.content).toBeUndefined();
});

test('the original of a document that cannot be converted is stored; that of a cancelled or interrupted one is not', async () => {
  const failing = (error: Error) => getContext({ convert: () => Promise.reject(error) });
  const broken = failing(new AppError('DOCUMENT_CORRUPT', 'It is damaged.'));
  const { failed } = await run([row('a.pdf', { content_hash: 'abc' })], {}, broken.context);
  expect(failed).toMatchObject([{ code: 'DOCUMENT_CORRUPT' }]);
  expect(Object.fromEntries(broken.seen.files)).toEqual({
    'documents/job-1/id-a.pdf/abc.original': 'bytes of /letters/a.pdf',
  });
  const down = failing(new AppError('DATABASE_UNAVAILABLE', 'The store is down.'));
  await expect(run([row('a.pdf')], {}, down.context)).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' });
  expect(down.seen.files.size).toBe(0);
});

test('warnings of the reader name the document', async () => {
  const { context } = getContext({
    convert: async (name) => (name === 'b.tex' ? { warnings: ["The file 'x' was left out."] } : {}),
  });
  const { rows, warnings } = await run([row('a.md'), row('b.tex')], {}, context);
  expect(rows).toHaveLength(2);
  expect(warnings).toEqual(["'b.tex': The file 'x' was left out."]);
});

test('pages of documents in progress are reported as one sum, without finished documents', async () => {
  const pages = (name: string) => (name === 'short.md' ? [] : [1, 2].map((done) => ({ done, total: 2 })));
  const { context, seen } = getContext({ pages });
  await run([row('a.pdf'), row('short.md'), row('b.pdf')], {}, context);
  expect(seen.pages).toContainEqual({ documents: 2, done: 3, total: 4 });
  expect(seen.pages.at(-1)).toBeUndefined();
});

test('formulas are read on request, by the built-in engine', async () => {
  const { context, seen } = getContext();
  await run([row('a.xlsx')], { text_extraction: { provider: 'local', include_formulas: true } }, context);
  await run([row('a.xlsx')], {}, context);
  expect(seen.formulas).toEqual([true, undefined]);
});

test('the password goes to the built-in engine only', async () => {
  const { context, seen } = getContext();
  await run([row('a.pdf')], { text_extraction: { provider: 'local', password: 'tide' } }, context);
  await run([row('a.pdf')], {}, context);
  await run([row('a.pdf')], { text_extraction: { provider: 'service', password: 'tide' } }, context);
  expect(seen.passwords).toEqual(['tide', undefined]);
  expect(JSON.stringify([...seen.files])).not.toContain('tide');
});

test('the file name replaces a missing title, and the run id a missing content hash', async () => {
  const { context } = getContext();
  const { rows } = await run([row('report.final.md')], {}, context);
  expect(rows[0]).toMatchObject({
    metadata: { title: 'report.final' },
    document_ref: 'documents/job-1/id-report.final.md/run-1.json',
  });
});

test('bytes are read with the configuration of the ingest operators upstream only', async () => {
  const { context, seen } = getContext();
  await run([row('a.md')], {}, context);
  expect(seen.reads).toEqual([{ provider: 'filesystem', path: '/letters/a.md', paths: ['/letters'] }]);
});

test('rows keep their order, whichever finishes first', async () => {
  const { context, seen } = getContext({
    convert: async (name) => {
      if (name === '0.md') await new Promise((resolve) => setImmediate(resolve));
      return {};
    },
  });
  const names = Array.from({ length: 9 }, (_, index) => `${index}.md`);
  const { rows } = await run(
    names.map((name) => row(name)),
    {},
    context,
  );
  expect(rows.map(({ name }) => name)).toEqual(names);
  expect(seen.progress).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test('a failed document fails alone, with its code and message', async () => {
  const { context } = getContext({
    convert: async (name) => {
      if (name === 'locked.pdf') throw new AppError('DOCUMENT_ENCRYPTED', 'It has a password.');
      if (name === 'odd.pdf') throw new TypeError('surprise');
      return {};
    },
  });
  const { rows, failed } = await run([row('locked.pdf'), row('ok.md'), row('gone.md'), row('odd.pdf')], {}, context);
  expect(rows.map(({ name }) => name)).toEqual(['ok.md']);
  expect(failed).toEqual([
    { id: 'id-locked.pdf', name: 'locked.pdf', code: 'DOCUMENT_ENCRYPTED', message: 'It has a password.' },
    { id: 'id-gone.md', name: 'gone.md', code: 'SOURCE_UNREADABLE', message: '/letters/gone.md went away.' },
    { id: 'id-odd.pdf', name: 'odd.pdf', code: 'CONVERSION_FAILED', message: 'surprise' },
  ]);
});

test.each(['', ' \n'])('a document whose text is %j is skipped', async (text) => {
  const { context, seen } = getContext({ convert: async () => ({ text }) });
  const { rows, skipped } = await run([row('scan.pdf')], {}, context);
  expect(rows).toEqual([]);
  expect(skipped).toEqual([{ id: 'id-scan.pdf', name: 'scan.pdf', reason: emptyReason }]);
  expect(seen.files.size).toBe(0);
});

test('an unavailable store fails the part, not the document, and cancels the rest', async () => {
  const converted: string[] = [];
  const { context } = getContext({
    convert: async (name) => {
      converted.push(name);
      return {};
    },
    put: async () => {
      throw new AppError('STORAGE_ERROR', 'no answer');
    },
  });
  const rows = Array.from({ length: 20 }, (_, index) => row(`${index}.md`));
  await expect(run(rows, {}, context)).rejects.toMatchObject({ code: 'STORAGE_ERROR' });
  expect(converted.length).toBeLessThanOrEqual(8);
});

test('an abort ends the work with its reason', async () => {
  const abort = new AbortController();
  const { context } = getContext({
    signal: abort.signal,
    convert: (_name, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
        abort.abort(new Error('cancelled'));
      }),
  });
  await expect(run([row('a.md'), row('b.md')], {}, context)).rejects.toThrow('cancelled');
});

test('the time limit comes from the configuration; the default is 60 seconds', async () => {
  const limits: number[] = [];
  const convert = async (_name: string, _signal: AbortSignal, timeoutMs: number) => {
    limits.push(timeoutMs);
    return {};
  };
  await run([row('a.md')], { timeout: 5 }, getContext({ convert }).context);
  await run([row('a.md')], {}, getContext({ convert }).context);
  expect(limits).toEqual([5_000, 60_000]);
});

test('doc_column receives the Markdown in addition to content', async () => {
  const { rows } = await run(
    [row('a.md')],
    { text_extraction: { provider: 'local', doc_column: 'body' } },
    getContext().context,
  );
  expect(rows[0]).toMatchObject({ content: 'a.md', body: '# a.md' });
});

test('recognized words are kept if the flow asks for them', async () => {
  for (const settings of [{ include_ocr_words: true, ocr_engine: 'ppocr' }, { include_ocr_words: false }, {}]) {
    const config = { text_extraction: { provider: 'local', provider_config: settings } };
    const { context, seen } = getContext();
    await run([row('a.md')], config, context);
    const words = settings.include_ocr_words ? { engine: 'ppocr', keepsWords: true } : {};
    expect(seen.recognition).toEqual([{ mode: 'auto', languages: [], ...words }]);
  }
});

test('a remote service converts with its settings', async () => {
  const settings = { base_url: 'http://converter', do_ocr: false };
  const config = { text_extraction: { provider: 'docling_serve', provider_config: settings }, timeout: 7 };
  expect(extractOperator.validate(config)).toEqual([]);
  const { context, seen } = getContext();
  const { rows } = await run([row('a.md')], config, context);
  expect(rows[0]).toMatchObject({ content: 'remote a.md', pages_processed: 3 });
  expect(JSON.parse(seen.files.get('documents/job-1/id-a.md/run-1.json') ?? '')).toEqual([settings, 7_000]);
});

test('a column with another purpose is rejected as doc_column', () => {
  expect(extractOperator.validate({ text_extraction: { doc_column: 'metadata' } })).toEqual([
    expect.objectContaining({ severity: 'error' }),
  ]);
});

test('a flow without an earlier ingest operator is rejected', () => {
  const valid = [
    {},
    { text_extraction: { provider: 'docling_library', provider_config: { do_ocr: true } }, max_workers: 3 },
    { timeout: 1 },
  ];
  const invalid = [
    { timeout: 0 },
    { timeout: 3601 },
    { timeout: 'long' },
    { text_extraction: { provider: 'magic' } },
    { entity_extraction: { provider: 'magic' } },
  ];
  expect(valid.map((config) => listProblems(ExtractConfig, config).length)).toEqual([0, 0, 0]);
  expect(invalid.filter((config) => listProblems(ExtractConfig, config).length === 0)).toEqual([]);
});

test('a flow without a preceding ingest operator is rejected', async () => {
  const { context } = getContext({ flow: { flow_name: 'x', flow: [{ type: 'extract_operator', name: 'extract' }] } });
  await expect(run([row('a.md')], {}, context)).rejects.toMatchObject({ code: 'OPERATOR_CONFIGURATION_INVALID' });
});

describe('files within files', () => {
  const member = (within: string): Row =>
    row(within, { path: `/letters/mail.zip!/${within}`, member_path: within, parent_id: 'zip' });

  test('are extracted from their container, which is read once', async () => {
    const { context, seen } = getContext();
    const result = await run([member('a.txt'), member('in/b.txt'), row('c.txt')], {}, context);
    expect(result.rows).toHaveLength(3);
    expect(seen.reads.map((value) => (value as { path: string }).path)).toEqual([
      '/letters/mail.zip',
      '/letters/c.txt',
    ]);
    expect(seen.opened).toEqual([{ name: 'mail.zip', wanted: ['a.txt', 'in/b.txt'] }]);
    expect(seen.transferred).toContain('a.txt of mail.zip as undefined');
  });

  test('fail alone when they are no longer there', async () => {
    const { context } = getContext();
    const { rows, failed } = await run([member('vanished.txt'), member('b.txt')], {}, context);
    expect(rows.map(({ name }) => name)).toEqual(['b.txt']);
    expect(failed).toMatchObject([{ name: 'vanished.txt', code: 'SOURCE_UNREADABLE' }]);
  });

  test('a path that does not end with the member is read unchanged, so that no other file is opened', async () => {
    const { context, seen } = getContext();
    await run([{ ...member('a.txt'), path: '/letters/secret.zip' }], {}, context);
    expect(seen.opened).toEqual([]);
    expect(seen.reads.map((value) => (value as { path: string }).path)).toEqual(['/letters/secret.zip']);
  });
});
