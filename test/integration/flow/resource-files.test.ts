import { randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { readConfig } from '../../../model/config';
import type { FlowRecord, ProjectRecord } from '../../../services/flow/ports';
import { createResourceStores, type ResourceStores } from '../../../services/flow/resource-files';
import type { Mongo } from '../../../services/storage/mongo';
import { sampleFlow } from '../../support/api/server';
import { openDatabase } from '../../support/system/database';

const alice = { username: 'alice', email: '', full_name: '', groups: [] };
const folder = mkdtempSync(path.join(os.tmpdir(), 'docloom-resources-'));
const opened: Mongo[] = [];
let warnings: string[] = [];
afterAll(async () => {
  for (const mongo of opened) {
    for (const name of ['flows', 'projects'])
      await mongo
        .collection(name)
        .drop()
        .catch(() => undefined);
    await mongo.close();
  }
  rmSync(folder, { recursive: true });
});
beforeEach(() => (warnings = []));

const newDatabase = () => {
  const mongo = openDatabase();
  opened.push(mongo);
  return mongo;
};
const open = (mongo: Mongo, value = folder): ResourceStores =>
  createResourceStores(mongo, {
    adminGroups: [],
    folder: getFolder(value),
    warn: (message) => void warnings.push(message),
  });
const getFolder = (PROJECT_REPOSITORY_BASE_DIR: string) =>
  readConfig({ PROJECT_REPOSITORY_BASE_DIR }).PROJECT_REPOSITORY_BASE_DIR;
const stamps = (modified_on = '2026-01-02T00:00:00.000Z') => ({
  created_on: '2026-01-01T00:00:00.000Z',
  modified_on,
  created_by: 'alice',
  modified_by: 'alice',
});
const getProject = (name: string): ProjectRecord => ({
  project_id: randomUUID(),
  name,
  description: null,
  tags: ['t'],
  owner: 'alice',
  members: ['bob'],
  ...stamps(),
});
const getFlow = (name: string, project_id: string | null = null): FlowRecord => ({
  ...sampleFlow(name),
  flow_id: randomUUID(),
  project_id,
  owner: 'alice',
  readers: [],
  flow_source: 'api',
  flow_version: '2.0',
  ...stamps(),
});
const getFile = (kind: 'flows' | 'projects', id: string) => path.join(folder, kind, `${id}.json`);
const readFile = (kind: 'flows' | 'projects', id: string) =>
  JSON.parse(readFileSync(getFile(kind, id), 'utf8')) as Record<string, unknown>;
const editFile = (id: string, change: Record<string, unknown>) =>
  writeFileSync(getFile('flows', id), JSON.stringify({ ...readFile('flows', id), ...change }));
const names = (kind: 'flows' | 'projects') => readdirSync(path.join(folder, kind));

test('PROJECT_REPOSITORY_BASE_DIR: creations, changes and removals appear in files; a removed project removes those of its flows', async () => {
  const { projects, flows } = open(newDatabase());
  const project = await projects.create(getProject('one'));
  const flow = await flows.create(getFlow('one', project.project_id));
  expect(readFile('projects', project.project_id)).toMatchObject({ name: 'one', members: ['bob'] });
  const changed = await flows.replace({ ...flow, description: 'changed' });
  expect(readFile('flows', flow.flow_id)).toMatchObject({ description: 'changed', project_id: project.project_id });
  expect(readFile('flows', flow.flow_id)).not.toHaveProperty('revision');
  expect(await flows.replace({ ...flow, description: 'late' })).toBeUndefined();
  expect(readFile('flows', flow.flow_id)).toMatchObject({ description: changed?.description });
  const other = await flows.create(getFlow('two'));
  expect(await flows.remove(other.flow_id)).toBe(true);
  expect(names('flows')).toEqual([`${flow.flow_id}.json`]);
  expect(await projects.remove(project.project_id)).toBe(true);
  expect([...names('flows'), ...names('projects')]).toEqual([]);
});

test('an empty database is filled from the files, owners, projects and times included', async () => {
  const first = open(newDatabase());
  const project = await first.projects.create(getProject('kept'));
  const flow = await first.flows.create(getFlow('kept', project.project_id));
  const second = open(newDatabase());
  expect(await second.projects.get(alice, project.project_id)).toEqual(project);
  expect(await second.flows.get(alice, flow.flow_id)).toMatchObject(flow);
  expect(warnings).toEqual([]);
});

test('the newer of file and record is used, the file at equal times; a record without a file gets one', async () => {
  const mongo = newDatabase();
  const { flows } = open(mongo);
  const edited = await flows.create(getFlow('edited'));
  const stale = await flows.create({ ...getFlow('stale'), ...stamps('2026-01-03T00:00:00.000Z') });
  const lost = await flows.create(getFlow('lost'));
  editFile(edited.flow_id, { description: 'by hand' });
  editFile(stale.flow_id, { description: 'of yesterday', modified_on: '2026-01-02T00:00:00.000Z' });
  rmSync(getFile('flows', lost.flow_id));
  const again = open(mongo);
  await again.load();
  expect(await again.flows.get(alice, edited.flow_id)).toMatchObject({ description: 'by hand', revision: 2 });
  expect(await again.flows.get(alice, stale.flow_id)).not.toHaveProperty('description');
  expect(readFile('flows', stale.flow_id)).not.toHaveProperty('description');
  expect(readFile('flows', lost.flow_id)).toMatchObject({ flow_name: 'lost' });
});

test('secrets stay out of the files, and a mask in a file keeps the stored secret', async () => {
  const mongo = newDatabase();
  const flow = getFlow('secretive');
  flow.flow[0]!.config = { provider: 'filesystem', api_key: 'in clear' };
  const { flow_id } = await open(mongo).flows.create(flow);
  expect(readFileSync(getFile('flows', flow_id), 'utf8')).not.toContain('in clear');
  editFile(flow_id, { description: 'by hand' });
  const read = await open(mongo).flows.get(alice, flow_id);
  expect(read).toMatchObject({ description: 'by hand', flow: [{ config: { api_key: 'in clear' } }, {}] });
  await open(newDatabase()).load();
  expect(warnings).toEqual([expect.stringMatching(/no secret is stored for \/flow\/0\/config\/api_key/)]);
  rmSync(getFile('flows', flow_id));
});

test.each([
  ['no JSON', '{"flow_id":', /JSON/],
  ['no flow', '{"flow_id":"x"}', /flow_name/],
  ['the record of another name', JSON.stringify(getFlow('odd')), /it contains the record/],
])('a file that is %s is ignored with a warning', async (_name, text, message) => {
  const file = getFile('flows', 'odd');
  writeFileSync(file, text);
  await open(newDatabase()).load();
  expect(warnings).toEqual([expect.stringMatching(message)]);
  rmSync(file);
});

test('after many concurrent changes the last one is in the file', async () => {
  const { flows } = open(newDatabase());
  const { flow_id } = await flows.create(getFlow('busy'));
  const change = async (tag: string): Promise<void> => {
    const stored = await flows.get(alice, flow_id);
    if (stored && !(await flows.replace({ ...stored, tags: [...(stored.tags ?? []), tag] }))) await change(tag);
  };
  await Promise.all(['a', 'b', 'c', 'd', 'e'].map(change));
  expect(readFile('flows', flow_id)['tags']).toEqual((await flows.get(alice, flow_id))?.tags);
  expect(readFile('flows', flow_id)['tags']).toHaveLength(6);
});

test('a folder that cannot be written is FLOW_STORAGE_ERROR, and nothing is stored', async () => {
  const blocked = path.join(folder, 'blocked');
  writeFileSync(blocked, '');
  chmodSync(blocked, 0o400);
  const mongo = newDatabase();
  const flow = getFlow('blocked');
  await expect(open(mongo, blocked).flows.create(flow)).rejects.toMatchObject({ code: 'FLOW_STORAGE_ERROR' });
  expect(await mongo.collection('flows').countDocuments()).toBe(0);
});
