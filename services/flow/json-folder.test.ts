import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createJsonFolder } from './json-folder';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'json-folder-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('a write that fails leaves no temporary file behind', async () => {
  // A file cannot be renamed to the name of a folder.
  await mkdir(path.join(folder, 'taken.json'));
  const records = createJsonFolder(folder);
  await expect(records.write('taken', { name: 'a' })).rejects.toMatchObject({ code: 'FLOW_STORAGE_ERROR' });
  expect(await readdir(folder)).toEqual(['taken.json']);
});

test('records are read as they were written, and a probe leaves nothing', async () => {
  const records = createJsonFolder(folder);
  await records.write('a', { name: 'b' });
  await records.probe();
  expect(await records.read('a')).toEqual({ name: 'b' });
  expect(await readdir(folder)).toEqual(['a.json']);
});
