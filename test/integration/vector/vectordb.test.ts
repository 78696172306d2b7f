import type { FlowDefinition } from '../../../model/flow/flow';
import type { Row } from '../../../model/flow/row';
import type { OperatorContext } from '../../../operators/operator';
import { run } from '../../../operators/vectordb/run';
import type { VectordbConfig } from '../../../operators/vectordb/schema';
import { hashText } from '../../../services/embedding/hashing';
import { createSearch } from '../../../services/search/search';
import { anna, cleanUp, config, person, raw, spec } from '../../support/system/search-fixture';

const search = createSearch(config);
const bert = person('bert');

afterAll(async () => {
  await search.close();
  await cleanUp();
});

function context(runId: string, jobId = 'job'): OperatorContext<'search'> {
  return {
    signal: new AbortController().signal,
    progress: () => undefined,
    operator: 'index',
    run: {
      runId,
      jobId,
      owner: 'anna',
      startedAt: '2024-06-01T00:00:00.000Z',
      forceIngest: false,
      planHash: '',
      flow: { flow_name: 'f', flow: [] },
    },
    services: { search },
  };
}
function chunks(document: string, texts: string[], more: Partial<Row> = {}): Row[] {
  return texts.map((content, index) => ({
    id: `${document}_${index}`,
    document_id: document,
    chunk_index: index,
    start_index: index * 100,
    page_numbers: [index + 1],
    headings: ['Top', `Part ${index}`],
    bbox: [[index + 1, 1, 2, 3, 4.5]],
    name: `${document}.pdf`,
    path: `/d/${document}.pdf`,
    content,
    allowed_users: ['anna'],
    embeddings: hashText(content, 384),
    ...more,
  }));
}
const contents = async (index: string, user = anna) => {
  await search.refresh(index);
  const { documents } = await search.search(user, { sort: [{ id: 'asc' }], filters: { source: index } });
  return documents.map(({ id, content }) => `${id}: ${content}`);
};

describe('vectordb on a real server', () => {
  test('a changed document loses its former chunks, and users who lost access lose it', async () => {
    const { name: index_name } = spec('changed');
    const settings: VectordbConfig = { index_name, provider_config: { space_type: 'cosine' } };
    const source = { source: index_name };
    await run(
      [
        ...chunks('a', ['one', 'two', 'three'], { ...source, allowed_users: ['anna', 'bert'] }),
        ...chunks('b', ['other'], source),
      ],
      settings,
      context('run-1'),
    );
    expect(await contents(index_name, bert)).toEqual(['a_0: one', 'a_1: two', 'a_2: three']);
    await run(chunks('a', ['uno'], source), settings, context('run-2'));
    // As when a part is settled.
    await search.removeDocuments(index_name, { jobId: 'job', documentIds: ['a'], keepRunId: 'run-2' });
    expect(await contents(index_name)).toEqual(['a_0: uno', 'b_0: other']);
    expect(await contents(index_name, bert)).toEqual([]);
  });

  test('running the same part again changes nothing', async () => {
    const { name: index_name } = spec('twice');
    const rows = chunks('a', ['one', 'two'], { source: index_name });
    await run(rows, { index_name }, context('run-1'));
    const second = await run(rows, { index_name }, context('run-1'));
    expect(second.rows).toEqual(rows);
    expect(await contents(index_name)).toEqual(['a_0: one', 'a_1: two']);
    expect(await raw('GET', `/${index_name}/_count`)).toMatchObject({ count: 2 });
  });

  test('another job keeps its records of a document with the same id', async () => {
    const { name: index_name } = spec('jobs');
    await run(chunks('a', ['one', 'two'], { source: index_name }), { index_name }, context('run-1', 'job-1'));
    await run(chunks('a', ['uno'], { source: index_name }), { index_name }, context('run-2', 'job-2'));
    await search.removeDocuments(index_name, { jobId: 'job-2', documentIds: ['a'], keepRunId: 'run-2' });
    expect(await contents(index_name)).toEqual(['a_0: uno', 'a_1: two']);
  });

  test('a zero vector fails its document with the reason of the engine, the others are found', async () => {
    const { name: index_name } = spec('zero');
    const rows = [
      ...chunks('good', ['one'], { source: index_name, embeddings: [1, 0] }),
      ...chunks('bad', ['two'], { source: index_name, embeddings: [0, 0] }),
    ];
    const result = await run(rows, { index_name, provider_config: { space_type: 'cosinesimil' } }, context('run-1'));
    expect(result.failed).toEqual([
      { id: 'bad', name: 'bad.pdf', code: 'SEARCH_INDEX_ERROR', message: expect.stringContaining('zero vector') },
    ]);
    expect(await contents(index_name)).toEqual(['good_0: one']);
  });

  test('finds the nearest vectors, and filters and sorts by positions', async () => {
    const { name: index_name } = spec('places');
    await run(
      chunks('a', ['invoices from March', 'penguins in the ice', 'tables and chairs'], { source: index_name }),
      { index_name, provider_config: { index_parameters: { M: 8, efConstruction: 64 } } },
      context('run-1'),
    );
    await search.refresh(index_name);
    const nearest = await raw<{ hits: { hits: { _id: string }[] } }>('POST', `/${index_name}/_search`, {
      size: 1,
      query: { knn: { embedding: { vector: hashText('penguins on ice', 384), k: 1 } } },
    });
    expect(nearest.hits.hits.map(({ _id }) => _id)).toEqual(['a_1']);
    const second = await search.search(anna, { filters: { page_numbers: 2, headings: 'Part 1', source: index_name } });
    expect(second.documents).toMatchObject([
      { id: 'a_1', metadata: { document_id: 'a', bbox: [[2, 1, 2, 3, 4.5]], chunk_index: 1 } },
    ]);
    const backwards = await search.search(anna, {
      filters: { source: index_name, 'metadata.document_id': 'a' },
      sort: [{ chunk_index: 'desc' }],
    });
    expect(backwards.documents.map(({ id }) => id)).toEqual(['a_2', 'a_1', 'a_0']);
  });

  test('the index records its embedder, so that a search embeds its query the same way', async () => {
    const { name: index_name } = spec('embedder');
    const flow: FlowDefinition = {
      flow_name: 'f',
      flow: [
        { type: 'embeddings', name: 'embed', config: { provider_config: { api_key: 'secret' } } },
        { type: 'vectordb', name: 'index', depends_on: ['embed'] },
      ],
    };
    const plain = context('run-1');
    const rows = chunks('a', ['invoices from March', 'penguins in the ice'], { source: index_name });
    await run(rows, { index_name }, { ...plain, run: { ...plain.run, flow } });
    await search.refresh(index_name);
    const mapped = await raw<Record<string, { mappings: { _meta: unknown } }>>('GET', `/${index_name}/_mapping`);
    expect(mapped[index_name]?.mappings._meta).toMatchObject({ embedding: { type: 'hashing' } });
    expect(JSON.stringify(mapped)).not.toContain('secret');
    const request = { query: 'penguins', mode: 'vector' as const, filters: { source: index_name }, provenance: true };
    const { documents } = await search.search(anna, request);
    expect(documents[0]).toMatchObject({
      id: 'a_1',
      provenance: { document_id: 'a', pages: [2], boxes: [{ page: 2, bbox: [1, 2, 3, 4.5] }] },
    });
  });

  test('the dimension of the second run must be that of the first', async () => {
    const { name: index_name } = spec('dimensions');
    await run(chunks('a', ['one']), { index_name }, context('run-1'));
    await expect(
      run(chunks('a', ['one'], { embeddings: [1, 2] }), { index_name }, context('run-2')),
    ).rejects.toMatchObject({
      code: 'EMBEDDING_DIMENSION_MISMATCH',
      message: expect.stringMatching(/384.*2 dimensions/),
    });
  });

  test('metadata names that the engine does not support do not fail the document', async () => {
    const { name: index_name } = spec('names');
    const metadata = JSON.parse(
      '{"":1,"..":2,".a":3,"__proto__":4,"constructor":{"prototype":5},"ok":"yes"}',
    ) as Record<string, unknown>;
    const result = await run(
      chunks('named', ['one'], { source: index_name, metadata }),
      { index_name },
      context('run-1'),
    );
    expect(result.failed).toEqual([]);
    await search.refresh(index_name);
    expect((await search.get(anna, 'named_0'))?.metadata).toMatchObject({ ok: 'yes', a: 3 });
  });

  test('an unavailable server causes SEARCH_CONNECTION_FAILED, so that the run waits and tries again', async () => {
    const away = createSearch({ ...config, SEARCH_PORT: 1, SEARCH_MAX_RETRIES: 0 });
    await expect(
      run(chunks('a', ['one']), { index_name: 'any' }, { ...context('run-1'), services: { search: away } }),
    ).rejects.toMatchObject({ code: 'SEARCH_CONNECTION_FAILED' });
    await away.close();
  });
});
