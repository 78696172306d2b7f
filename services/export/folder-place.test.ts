import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openFolder, openProbeFolder } from './folder-place';

let root: string;

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'docloom-export-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test('a file that cannot be read is reported as such, not as one that cannot be written', async () => {
  mkdirSync(path.join(root, 'report.md'));
  for (const open of [openFolder, openProbeFolder]) {
    const place = await open(root, { roots: [root], closed: [] });
    await expect(place.read('report.md')).rejects.toMatchObject({
      code: 'EXPORT_NOT_ALLOWED',
      message: expect.stringContaining("report.md' cannot be read: EISDIR"),
    });
    place.close();
  }
});

test('a folder to try is written to under its nearest existing parent, and stays as it was', async () => {
  const place = await openProbeFolder(path.join(root, 'missing', 'deep'), { roots: [root], closed: [] });
  expect(place.note).toContain('a run creates it');
  const bytes = Buffer.from('probe');
  expect(await place.create('.probe', bytes, 'text/plain')).toBe(true);
  expect(await place.read('.probe')).toEqual(bytes);
  await place.remove('.probe');
  expect(await place.read('.probe')).toBeUndefined();
});
