import { listPrincipals } from '../../model/access-list';
import type { Row } from '../../model/flow/row';
import type { Rerun } from '../../model/run/run';
import type { RunDocument, RunRecord } from '../../services/run/run-record';
import type { TableKey, TablesStore } from '../../services/table/tables';
import type { ActivityDeps } from '../deps';
import { seedRun } from './seed-run';

const rows = (...ids: string[]): Row[] => ids.map((id) => ({ id, name: `${id}.pdf`, path: id }));
const failure = (id: string, operator: string): RunDocument => ({
  id,
  name: `${id}.pdf`,
  code: 'DOCUMENT_CORRUPT',
  message: 'damaged',
  operator,
  outcome: 'failed',
});

/** Tables of the earlier run `old`; new tables have the same names with `new`. */
function getDeps(content: Record<string, Row[]>, documents: RunDocument[] = [], removed = new Set<string>()) {
  const stored = new Map(Object.entries(content).map(([name, own]) => [`old/${name}`, own]));
  const getName = ({ runId, operator, part }: TableKey) => `${runId}/${operator}/${part}`;
  const tables: TablesStore = {
    write: async (key, own) => void stored.set(getName(key), [...own]),
    copy: async (from, to) => void stored.set(getName(to), stored.get(getName(from)) ?? []),
    read: async (key) => stored.get(getName(key)) ?? [],
    count: async (key) => stored.get(getName(key))?.length ?? 0,
    exists: async (key) => stored.has(getName(key)),
    listParts: async (runId, operator) =>
      [...stored.keys()]
        .filter((name) => name.startsWith(`${runId}/${operator}/`))
        .map((name) => name.split('/')[2] ?? '')
        .toSorted(),
    removeRows: async () => ({ removed: 0, isDone: true }),
    removeRun: async () => undefined,
  };
  const runsStore = {
    listDocuments: async (_runId: string, query: { outcome?: string; offset: number }) => ({
      items: query.offset > 0 ? [] : documents.filter(({ outcome }) => !query.outcome || outcome === query.outcome),
      total: documents.length,
    }),
    recordPart: async () => undefined,
  };
  const written = () =>
    Object.fromEntries(
      [...stored]
        .filter(([name]) => name.startsWith('new/'))
        .map(([name, own]) => [name.slice(4), own.map(({ id }) => id)]),
    );
  // Of the services only these are used.
  const ledger = { listRemoved: async () => removed };
  const readers = { find: async (username: string) => ({ username, principals: listPrincipals(username, ['staff']) }) };
  return {
    deps: { services: { tables, ledger }, runsStore, readers, operators: [] } as unknown as ActivityDeps,
    written,
  };
}

function getRun(rerun: Rerun, operators = ['chunk'], readers: string[] = []): RunRecord {
  const acting = { readers, writers: [], job_owner: 'olga' };
  const planned = (name: string) => ({ name, type: name, queue: 'cpu' as const, inputs: [] });
  const plan = {
    sources: [planned('ingest')],
    stages: [{ scope: 'row' as const, operators: operators.map(planned) }],
    batchSize: 2,
    maxConcurrentBatches: 1,
    failFast: false,
  };
  return {
    job_run_id: 'new',
    owner: 'olga',
    acting,
    rerun,
    snapshot: { plan, flow: { flow_name: 'f', flow: [] } },
  } as unknown as RunRecord;
}

test('rows that the run may not see stay in the tables of the earlier run', async () => {
  const [mine, theirs, third, fourth] = rows('a', 'b', 'c', 'd') as [Row, Row, Row, Row];
  const both = [
    { ...mine, allowed_users: ['olga'] },
    { ...theirs, allowed_users: ['alice'] },
    { ...third, allowed_users: [], allowed_principals: ['g:login:staff'] },
    { ...fourth, allowed_users: ['olga'], denied_principals: ['g:login:staff'] },
  ];
  const { deps, written } = getDeps({ 'ingest/p00000': both, 'extract/p00000': both });
  const rerun: Rerun = { run_id: 'old', mode: 'operator', from_operator: 'chunk', seeded: ['extract'] };
  expect(await seedRun(deps, getRun(rerun, ['chunk'], ['olga']))).toMatchObject({ documents: 2 });
  expect(written()).toEqual({ 'ingest/p00000': ['a', 'c'], 'extract/p00000': ['a', 'c'] });
});

test('a document removed since then is not copied', async () => {
  const chunks = rows('a_0', 'b_0').map((row, index) => ({ ...row, document_id: 'ab'[index] ?? '' }));
  const tables = { 'ingest/p00000': rows('a', 'b'), 'extract/p00000': chunks };
  const { deps, written } = getDeps(tables, [], new Set(['b']));
  const rerun: Rerun = { run_id: 'old', mode: 'operator', from_operator: 'chunk', seeded: ['extract'] };
  await seedRun(deps, getRun(rerun, ['chunk']));
  expect(written()).toEqual({ 'ingest/p00000': ['a'], 'extract/p00000': ['a_0'] });
});

test('failed documents are put into separate parts', async () => {
  const { deps, written } = getDeps(
    { 'ingest/p00000': rows('a', 'b'), 'ingest/p00001': rows('c', 'd') },
    ['a', 'c', 'd'].map((id) => failure(id, 'extract')),
  );
  const seeded = await seedRun(deps, getRun({ run_id: 'old', mode: 'failed' }));
  expect(seeded).toEqual({ parts: [2], documents: 3, warnings: [] });
  expect(written()).toEqual({ 'ingest/p00000': ['a', 'c'], 'ingest/p00001': ['d'] });
});

test('failed documents that were never listed are reported', async () => {
  const { deps } = getDeps({ 'ingest/p00000': rows('a') }, [failure('a', 'extract'), failure('z', 'ingest')]);
  const { warnings } = await seedRun(deps, getRun({ run_id: 'old', mode: 'failed' }));
  expect(warnings).toEqual([expect.stringContaining('1 failed document:')]);
});

test('a rerun from an operator omits documents that failed before it and includes those that failed in it', async () => {
  const { deps, written } = getDeps({ 'ingest/p00000': rows('a', 'b', 'c'), 'extract/p00000': rows('b', 'c') }, [
    failure('a', 'extract'),
    failure('b', 'chunk'),
  ]);
  const rerun: Rerun = { run_id: 'old', mode: 'operator', from_operator: 'chunk', seeded: ['extract'] };
  expect(await seedRun(deps, getRun(rerun))).toMatchObject({ parts: [1], documents: 2 });
  expect(written()).toEqual({ 'ingest/p00000': ['b', 'c'], 'extract/p00000': ['b', 'c'] });
});

test('a table whose part was halved is joined from its pieces', async () => {
  const { deps, written } = getDeps({
    'ingest/p00000': rows('a', 'b', 'c'),
    'extract/p00000-0': rows('a'),
    'extract/p00000-1-0': rows('b'),
    'extract/p00000-1-1': rows('c'),
    'lang/p00000': rows('a', 'b', 'c'),
    'lang/p00000-0': rows('a'),
  });
  const rerun: Rerun = { run_id: 'old', mode: 'operator', from_operator: 'chunk', seeded: ['extract', 'lang'] };
  await seedRun(deps, getRun(rerun));
  expect(written()).toMatchObject({ 'extract/p00000': ['a', 'b', 'c'], 'lang/p00000': ['a', 'b', 'c'] });
});

test('a part in which every document failed is copied as an empty part', async () => {
  const { deps, written } = getDeps(
    { 'ingest/p00000': rows('a'), 'ingest/p00001': rows('b'), 'extract/p00000': rows('a') },
    [failure('b', 'extract')],
  );
  const rerun: Rerun = { run_id: 'old', mode: 'operator', from_operator: 'chunk', seeded: ['extract'] };
  expect(await seedRun(deps, getRun(rerun))).toMatchObject({ parts: [2], documents: 1 });
  expect(written()).toMatchObject({ 'extract/p00000': ['a'], 'extract/p00001': [] });
});

test.each([
  ['of the source', {}],
  ['of an operator', { 'ingest/p00000': rows('a') }],
])('deleted tables %s give TABLE_NOT_FOUND', async (_name, content) => {
  const { deps } = getDeps(content);
  const rerun: Rerun = { run_id: 'old', mode: 'operator', from_operator: 'chunk', seeded: ['extract'] };
  await expect(seedRun(deps, getRun(rerun))).rejects.toMatchObject({ code: 'TABLE_NOT_FOUND' });
});
