import { buildDefaultConvertOptions } from '../../../model/conversion/request/options';
import type { GraphReply } from '../../../model/graph/wire';
import { createGraphClient, dora, getOutcome, template } from '../../support/api/graph-client';
import { alice, bob } from '../../support/api/server';

const { conversion, create, current, get, getBytes, getSource, post, sets, start } = createGraphClient();

describe('a document of a set as the source', () => {
  const origin = { jobId: 'job', runId: 'run', operator: 'set', startedAt: '2026-01-01T00:00:00.000Z' };
  const row = (id: string, more: object) => ({ id, name: `${id}.md`, path: id, allowed_users: ['alice'], ...more });

  test('its rows are joined, for users who may see the set and read the rows', async () => {
    const { set } = await sets.documentSets.getOrCreate({ name: 'orders', owner: 'alice', readers: ['bob'] });
    const chunk = { document_id: 'd', content: 'Second.', chunk_index: 1 };
    await sets.documentSets.write(set.id, origin, [
      row('d_1', chunk),
      row('other', { document_id: 'other', content: 'Other.', chunk_index: 0 }),
      row('d_0', { ...chunk, content: 'First.', chunk_index: 0 }),
      row('hidden', { document_id: 'hidden', content: 'No.', chunk_index: 0, allowed_users: ['carol'] }),
    ]);
    const request = (document_id: string, user = alice) =>
      post({ document_id, document_set_id: set.id, template }, { user });
    const graph = (await request('d')).body as unknown as GraphReply;
    expect(graph.source).toEqual({ name: 'd_1.md', document_id: 'd', document_set_id: set.id });
    expect(getSource(graph.id)).toBe('First.\n\nSecond.');
    expect((await request('other')).status).toBe(202);
    for (const id of ['hidden', 'no-such']) expect(getOutcome(await request(id))).toEqual([404, 'DOCUMENT_NOT_FOUND']);
    expect(getOutcome(await request('d', bob))).toEqual([404, 'DOCUMENT_NOT_FOUND']);
    expect(getOutcome(await request('d', dora))).toEqual([404, 'DOCUMENT_SET_NOT_FOUND']);
    await current.graphs.complete(graph.id);
    expect((await getBytes(`${graph.id}/result`)).status).toBe(200);
    await sets.documentSets.remove(set.id);
    expect(getOutcome(await get(`${graph.id}/result`))).toEqual([404, 'DOCUMENT_NOT_FOUND']);
  });

  test('chunks without offsets are joined under their headings', async () => {
    const { set } = await sets.documentSets.getOrCreate({ name: 'hybrid', owner: 'alice' });
    const chunk = (index: number, content: string, heading: string) =>
      row(`d_${index}`, { document_id: 'd', content, chunk_index: index, headings: ['Order', heading] });
    await sets.documentSets.write(set.id, origin, [
      chunk(0, 'Order\nSupplier\nName: Acme', 'Supplier'),
      chunk(1, 'Order\nBuyer\nName: Board', 'Buyer'),
    ]);
    const { id } = (await post({ document_id: 'd', document_set_id: set.id, template })).body as unknown as GraphReply;
    expect(getSource(id)).toBe('# Order\n\n## Supplier\n\nName: Acme\n\n## Buyer\n\nName: Board');
  });

  test('a set without text, and one that does not exist', async () => {
    const { set } = await sets.documentSets.getOrCreate({ name: 'bare', owner: 'alice' });
    await sets.documentSets.write(set.id, origin, [row('d', {})]);
    const request = (document_set_id: string) => post({ document_id: 'd', document_set_id, template });
    expect(getOutcome(await request(set.id))).toEqual([400, 'GRAPH_CONFIGURATION_INVALID']);
    expect(getOutcome(await request(crypto.randomUUID()))).toEqual([404, 'DOCUMENT_SET_NOT_FOUND']);
    expect(getOutcome(await request('bare'))).toEqual([400, 'VALIDATION_ERROR']);
    expect(getOutcome(await post({ document_set_id: set.id, template }))).toEqual([400, 'VALIDATION_ERROR']);
  });
});

describe('a task of /v1 as the source', () => {
  const submit = async (names: string[], to_formats: string[], tenant = 'default') => {
    const id = crypto.randomUUID();
    await conversion.services.tasks.submit({
      id,
      tenant,
      task_type: 'convert',
      options: { ...buildDefaultConvertOptions(), to_formats } as ReturnType<typeof buildDefaultConvertOptions>,
      sources: names.map((filename) => ({ kind: 'file', key: filename, filename, size: 1 })),
      target: { kind: names.length > 1 ? 'zip' : 'inbody' },
      callbacks: [],
    });
    return id;
  };

  test('its document is the source; the full form takes precedence over texts', async () => {
    const both = await submit(['a.docx'], ['md', 'json']);
    const graph = await create({ task_id: both, template });
    expect(graph.source).toEqual({ name: 'a.docx', task_id: both, document_index: 0 });
    expect(current.graphs.records.get(graph.id)?.source_type).toBe('document');
    const options = { backend: 'vlm', provider_config: { model_id: 'm' } };
    expect((await post({ task_id: both, template, options })).status).toBe(202);
    const plain = { task_id: await submit(['a.docx'], ['md']), template, options };
    expect(getOutcome(await post(plain))).toEqual([400, 'GRAPH_CONFIGURATION_INVALID']);
    const text = await create({ task_id: await submit(['a.docx'], ['md']), template });
    expect(current.graphs.records.get(text.id)?.source_type).toBe('markdown');
  });

  test('one of several documents is selected by its position', async () => {
    const id = await submit(['a.docx', 'b.docx'], ['md']);
    expect(getOutcome(await post({ task_id: id, template }))).toEqual([400, 'VALIDATION_ERROR']);
    expect((await create({ task_id: id, document_index: 1, template })).source.name).toBe('b.docx');
    expect(getOutcome(await post({ task_id: id, document_index: 2, template }))).toEqual([404, 'DOCUMENT_NOT_FOUND']);
  });

  test('tasks without a usable output, unfinished tasks and unknown tasks have different errors', async () => {
    expect(getOutcome(await post({ task_id: await submit(['a.docx'], ['html']), template }))).toEqual([
      400,
      'GRAPH_CONFIGURATION_INVALID',
    ]);
    conversion.atOnce = false;
    const waiting = await submit(['a.docx'], ['md']);
    conversion.atOnce = true;
    expect(getOutcome(await post({ task_id: waiting, template }))).toEqual([404, 'CONVERSION_RESULT_NOT_READY']);
    expect(getOutcome(await post({ task_id: 'no-such', template }))).toEqual([404, 'CONVERSION_TASK_NOT_FOUND']);
  });

  test('a task of another tenant is hidden, and keys of the conversion service are required', async () => {
    const id = await submit(['a.docx'], ['md'], 'blue');
    expect(getOutcome(await post({ task_id: id, template }))).toEqual([404, 'CONVERSION_TASK_NOT_FOUND']);
    const blue = { 'X-Tenant-Id': 'blue' };
    expect((await post({ task_id: id, template }, { headers: blue })).status).toBe(202);
    await current.api.close();
    await start(['key']);
    expect(getOutcome(await post({ task_id: id, template }, { headers: blue }))).toEqual([403, 'FORBIDDEN']);
    const wrong = { ...blue, 'X-Api-Key': 'no' };
    expect(getOutcome(await post({ task_id: id, template }, { headers: wrong }))).toEqual([403, 'FORBIDDEN']);
    const right = { ...blue, 'X-Api-Key': 'key' };
    expect((await post({ task_id: id, template }, { headers: right })).status).toBe(202);
  });
});
