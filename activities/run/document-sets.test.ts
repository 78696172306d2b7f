import type { OperatorServices } from '../../operators/operator';
import type { RunRecord } from '../../services/run/run-record';
import { removeSetRows, readSetIds } from './document-sets';

/** A run whose flow writes into these sets, and the rows removed from them. */
function runInto(
  configs: Record<string, unknown>[],
  globalConfig: Record<string, unknown> = {},
  setSays: Record<string, boolean | null> = {},
) {
  const removed: { setId: string; documentIds: readonly string[]; keepRunId?: string }[] = [];
  const known: Record<string, string> = { notes: 'id-notes', archive: 'id-archive' };
  const documentSets: OperatorServices['documentSets'] = {
    find: async (_owner, key) =>
      ('id' in key
        ? { id: key.id, retain_deleted_docs: setSays[key.id] ?? null }
        : known[key.name]
          ? { id: known[key.name], name: key.name }
          : undefined) as Awaited<ReturnType<OperatorServices['documentSets']['find']>>,
    removeRows: async (setId, { documentIds, keepRunId }) => {
      removed.push({ setId, documentIds, keepRunId });
      return documentIds.length;
    },
    getOrCreate: () => Promise.reject(new Error('not used')),
    write: () => Promise.reject(new Error('not used')),
  };
  const flow = {
    flow_name: 'f',
    global_config: globalConfig,
    flow: configs.map((config, index) => ({ type: 'document_set', name: `set-${index}`, config })),
  };
  const plan = { sources: [], stages: [{ scope: 'row', operators: flow.flow }] };
  const run = { job_run_id: 'run', job_id: 'job', owner: 'olga', snapshot: { flow, plan } } as unknown as RunRecord;
  const deps = { env: {}, services: { documentSets } as OperatorServices };
  return { run, deps, removed };
}
const notes = { document_set_name: 'notes' };
const archive = { document_set_name: 'archive', retain_deleted_docs: true };

describe('rows of deleted documents', () => {
  test('are removed, except from a set that retains them', async () => {
    const { run, deps, removed } = runInto([notes, archive]);
    await removeSetRows(deps, run, { documentIds: ['a'] });
    expect(removed).toEqual([{ setId: 'id-notes', documentIds: ['a'], keepRunId: undefined }]);
  });

  test('stay in a set configured to keep them, and leave a set configured not to, regardless of the flow', async () => {
    const kept = runInto([notes], {}, { 'id-notes': true });
    await removeSetRows(kept.deps, kept.run, { documentIds: ['a'] });
    expect(kept.removed).toEqual([]);
    const left = runInto([notes], { retain_deleted_docs: true }, { 'id-notes': false });
    await removeSetRows(left.deps, left.run, { documentIds: ['a'] });
    expect(left.removed).toHaveLength(1);
    const operatorSays = runInto([{ ...notes, retain_deleted_docs: false }], {}, { 'id-notes': true });
    await removeSetRows(operatorSays.deps, operatorSays.run, { documentIds: ['a'] });
    expect(operatorSays.removed).toHaveLength(1);
  });

  test('stay if the flow retains them, unless the set says otherwise', async () => {
    const says = { document_set_name: 'archive', retain_deleted_docs: false };
    const { run, deps, removed } = runInto([notes, says], { retain_deleted_docs: true });
    await removeSetRows(deps, run, { documentIds: ['a'] });
    expect(removed.map(({ setId }) => setId)).toEqual(['id-archive']);
  });
});

test('rows that earlier runs wrote for a changed document are removed from every set', async () => {
  const { run, deps, removed } = runInto([notes, archive, { document_set_name: 'unknown' }]);
  await removeSetRows(deps, run, { documentIds: ['a'], keepRunId: 'run' });
  expect(removed.map(({ setId }) => setId)).toEqual(['id-notes', 'id-archive']);
  await removeSetRows(deps, run, { documentIds: [], keepRunId: 'run' });
  expect(removed).toHaveLength(2);
});

test('the ledger stores the ids of the existing sets', async () => {
  const { run, deps } = runInto([notes, { document_set_name: 'unknown' }]);
  expect(await readSetIds(deps, run)).toEqual({ 'document_set:notes': 'id-notes' });
});

test('a run that starts at a later operator does not touch the rows of a set that it does not write', async () => {
  const { run, deps, removed } = runInto([notes]);
  const partial: RunRecord = { ...run, snapshot: { ...run.snapshot, plan: { ...run.snapshot.plan, stages: [] } } };
  await removeSetRows(deps, partial, { documentIds: ['a'], keepRunId: 'run' });
  expect(removed).toEqual([]);
});
