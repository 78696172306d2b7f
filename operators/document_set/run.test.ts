import type { Row } from '../../model/flow/row';
import { validateFlow } from '../../model/flow/validation';
import { listProblems } from '../../model/validate';
import { operators } from '../index';
import type { OperatorContext } from '../operator';
import { run } from './run';
import { config, documentSet } from './schema';

type Sets = OperatorContext<'documentSets'>['services']['documentSets'];
type Found = Awaited<ReturnType<Sets['find']>>;
const rows: Row[] = [
  { id: 'a_0', document_id: 'a', name: 'a', path: '/a' },
  { id: 'a_1', document_id: 'a', name: 'a', path: '/a' },
  { id: 'b', name: 'b', path: '/b' },
];

/** Sets of 'olga' by name; `lost` writes find their set deleted. */
function fake(sets: Record<string, string> = {}, lost = 0) {
  const writes: { setId: string; ids: string[] }[] = [];
  const made: unknown[] = [];
  let left = lost;
  const find = (name: string | undefined): Found =>
    (name && sets[name] ? { id: sets[name], name } : undefined) as Found;
  const documentSets: Sets = {
    find: async (owner, key) =>
      owner === 'olga'
        ? find('name' in key ? key.name : Object.keys(sets).find((name) => sets[name] === key.id))
        : undefined,
    getOrCreate: async (input) => {
      made.push(input);
      sets[input.name] = `id-${made.length}`;
      return { set: find(input.name) as never, created: true };
    },
    write: async (setId, _origin, input) => {
      if (left > 0) {
        left -= 1;
        for (const name of Object.keys(sets)) delete sets[name];
        return false;
      }
      writes.push({ setId, ids: input.map(({ id }) => id) });
      return true;
    },
    removeRows: async () => 0,
  };
  const context: OperatorContext<'documentSets'> = {
    signal: new AbortController().signal,
    progress: () => undefined,
    operator: 'set',
    services: { documentSets },
    run: {
      runId: 'run',
      jobId: 'job',
      owner: 'olga',
      startedAt: '2026-01-01T00:00:00.000Z',
      forceIngest: false,
      planHash: '',
      flow: { flow_name: 'f', flow: [] },
    },
  };
  return { context, writes, made };
}

describe('document_set', () => {
  test('the set is created once by its name, and the rows are stored and passed on', async () => {
    const { context, writes, made } = fake();
    const input = { document_set_name: 'notes', description: 'd', readers: ['bob'] };
    const result = await run(rows, input, context);
    await run(rows, input, context);
    expect(made).toEqual([{ name: 'notes', owner: 'olga', description: 'd', readers: ['bob'] }]);
    expect(writes.map(({ setId }) => setId)).toEqual(['id-1', 'id-1']);
    expect(result).toEqual({ rows, metrics: { stored_rows: 3, stored_documents: 2 } });
  });

  test('a set that is deleted during the run is created again; after three times the run gives up', async () => {
    const { context, writes } = fake({ notes: 'old' }, 2);
    await run(rows, { document_set_name: 'notes' }, context);
    expect(writes).toHaveLength(1);
    const hopeless = fake({ notes: 'old' }, 3);
    await expect(run(rows, { document_set_name: 'notes' }, hopeless.context)).rejects.toMatchObject({
      code: 'OPERATOR_EXECUTION_FAILED',
    });
  });

  test('an id refers to a set of the owner; any other is DOCUMENT_SET_NOT_FOUND', async () => {
    const { context, writes } = fake({ notes: 'known' });
    await run(rows, { document_set_id: 'known' }, context);
    expect(writes[0]?.setId).toBe('known');
    await expect(run(rows, { document_set_id: 'other' }, context)).rejects.toMatchObject({
      code: 'DOCUMENT_SET_NOT_FOUND',
    });
  });

  test('a cancelled run writes nothing', async () => {
    const { context, writes } = fake();
    const signal = AbortSignal.abort();
    await expect(run(rows, { document_set_name: 'notes' }, { ...context, signal })).rejects.toThrow(/abort/);
    expect(writes).toEqual([]);
  });

  test.each([['with blank'], [''], ['x'.repeat(255)], ['ä']])('the name %j is not allowed', (document_set_name) => {
    expect(listProblems(config, { document_set_name })).not.toEqual([]);
  });

  test('without a name or an id the configuration is invalid', () => {
    expect(documentSet.validate({})).toEqual([expect.objectContaining({ severity: 'error' })]);
    expect(documentSet.validate({ document_set_name: 'x' })).toEqual([]);
  });

  test('a flow that ends in a document set has an output', () => {
    const flow = [
      { type: 'ingest_source', name: 'in', config: { connection_params: { paths: ['docs'] } } },
      { type: 'extract_operator', name: 'extract', config: {}, depends_on: ['in'] },
      { type: 'document_set', name: 'set', config: { document_set_name: 'notes' }, depends_on: ['extract'] },
    ];
    expect(validateFlow({ flow_name: 'f', flow }, operators)).toEqual({ errors: [], warnings: [] });
  });
});
