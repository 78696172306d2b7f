import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createFolder } from './create-folder';

const folder = mkdtempSync(path.join(tmpdir(), 'docloom-folder-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('a folder appears with those above it; calls at the same time and again do no harm', async () => {
  const deep = path.join(folder, 'a', 'b', 'c');
  await Promise.all([createFolder(deep), createFolder(deep), createFolder(path.join(folder, 'a', 'b', 'd'))]);
  await createFolder(deep);
  expect(existsSync(deep)).toBe(true);
});

test.each([
  ['below a file', () => path.join(folder, 'file', 'a')],
  ['a file', () => path.join(folder, 'file')],
  ['below /proc, where the recursive mode of Node never returns', () => '/proc/docloom/a'],
])('a folder that cannot be created is an error: %s', async (_, name) => {
  writeFileSync(path.join(folder, 'file'), '');
  await expect(createFolder(name())).rejects.toThrow(/ENOTDIR|EEXIST|ENOENT|EROFS|EACCES/);
});
