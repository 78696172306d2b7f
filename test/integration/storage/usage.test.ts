import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { AppError } from '../../../model/errors';
import { connectMongo, type Mongo } from '../../../services/storage/mongo';
import { createFolderStore } from '../../../services/storage/object-store-folder';
import { createStorageUsage, type MeasuredIndexes } from '../../../services/storage/usage';

const folder = path.join(tmpdir(), `docloom-usage-${randomUUID()}`);
const url = new URL(process.env['MONGODB_URL'] ?? 'mongodb://127.0.0.1:27017/docloom');
url.pathname = `/usage_${randomUUID().replaceAll('-', '')}`;
const store = createFolderStore(folder);
const indexes: MeasuredIndexes = {
  listNames: async () => ['papers'],
  readSizes: async (names) => names.map((name) => ({ name, records: 3, bytes: 700 })),
};
let mongo: Mongo;
let now = Date.now();
const clock = () => new Date(now);
beforeAll(async () => {
  mongo = connectMongo(url.toString());
  const flows = mongo.collection<{ _id: string; flow_name: string; project_id?: string }>('flows');
  await flows.insertOne({ _id: 'flow', flow_name: 'Papers', project_id: 'project' });
  await flows.insertOne({ _id: 'loose', flow_name: 'Loose', project_id: '' });
  await mongo.collection<{ _id: string; name: string }>('projects').insertOne({ _id: 'project', name: 'Harbour' });
  const runs = mongo.collection<{ _id: string; flow_id: string; flow_name: string; job_id: string }>('job_runs');
  await runs.insertOne({ _id: 'run', flow_id: 'flow', flow_name: 'Papers as it was called', job_id: 'flow' });
  // The command line: its flow is a file, and its job has its own id.
  await runs.insertOne({ _id: 'own', flow_id: 'file', flow_name: 'A file', job_id: 'job' });
  const sizes = {
    'run/run/extract/p0.parquet': 100,
    'run/own/extract/p0.parquet': 10,
    'documents/flow/a/x.json': 1_000,
    'documents/job/a/x.json': 20,
    'documents/gone/a/x.json': 5,
    'documents/loose/a/x.json': 3,
    'graphs/flow/a.json': 7,
    'graphs/of-a-corpus': 9,
    'graph-builds/b/c': 2,
    'sets/s/x.parquet': 30,
    'libraries/l/c/0': 40,
    'installation.json': 50,
  };
  for (const [key, bytes] of Object.entries(sizes)) await store.put(key, Buffer.alloc(bytes));
});
afterAll(async () => {
  for (const name of ['flows', 'projects', 'job_runs']) await mongo.collection(name).drop();
  await mongo.close();
  await rm(folder, { recursive: true, force: true });
});

test('files are summed by kind, flow and project, beside database and indexes', async () => {
  const report = await createStorageUsage({ mongo, store, indexes, clock }).measure();
  expect(report).toMatchObject({ is_complete: true, indexes: [{ name: 'papers', records: 3, bytes: 700 }] });
  expect(report.database_bytes).toBeGreaterThan(0);
  expect(report.files).toEqual([
    { kind: 'documents', files: 4, bytes: 1_028 },
    { kind: 'tables', files: 2, bytes: 110 },
    { kind: 'other', files: 1, bytes: 50 },
    { kind: 'libraries', files: 1, bytes: 40 },
    { kind: 'sets', files: 1, bytes: 30 },
    { kind: 'graphs', files: 3, bytes: 18 },
  ]);
  const room = (tables_bytes: number, documents_bytes: number, graphs_bytes: number) => ({
    tables_bytes,
    documents_bytes,
    graphs_bytes,
    bytes: tables_bytes + documents_bytes + graphs_bytes,
  });
  expect(report.flows).toEqual([
    { flow_id: 'flow', flow_name: 'Papers', project_id: 'project', ...room(100, 1_000, 7) },
    { flow_id: 'file', flow_name: 'A file', project_id: null, ...room(10, 20, 0) },
    { flow_id: 'gone', flow_name: null, project_id: null, ...room(0, 5, 0) },
    { flow_id: 'loose', flow_name: 'Loose', project_id: null, ...room(0, 3, 0) },
  ]);
  expect(report.projects).toEqual([{ project_id: 'project', name: 'Harbour', bytes: 1_107 }]);
});

test('a measurement is shared and cached for a minute, unless it failed', async () => {
  let calls = 0;
  let isBroken = true;
  const counted: MeasuredIndexes = {
    listNames: async () => {
      calls += 1;
      if (isBroken) throw new Error('out of order');
      return [];
    },
    readSizes: (names) => indexes.readSizes(names),
  };
  const usage = createStorageUsage({ mongo, store, indexes: counted, clock });
  await expect(usage.measure()).rejects.toThrow('out of order');
  isBroken = false;
  const [one, other] = await Promise.all([usage.measure(), usage.measure()]);
  expect([other === one, calls]).toEqual([true, 2]);
  now += 60_000;
  await usage.measure();
  expect(calls).toBe(3);
});

test('the report says if the search server was unavailable or there were too many files', async () => {
  const away: MeasuredIndexes = {
    listNames: () => Promise.reject(new AppError('SEARCH_CONNECTION_FAILED', 'away')),
    readSizes: (names) => indexes.readSizes(names),
  };
  const limits = { files: 3, ms: 10_000 };
  const report = await createStorageUsage({ mongo, store, indexes: away, clock, limits }).measure();
  expect(report).toMatchObject({ indexes: null, is_complete: false });
  expect(report.files.reduce((sum, { files }) => sum + files, 0)).toBe(3);
});
