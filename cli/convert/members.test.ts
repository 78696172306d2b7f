import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { AppError } from '../../model/errors';
import { convertMembers, buildMemberLimits, type Item } from './members';
import type { ConvertedFile } from './report';

const folder = mkdtempSync(path.join(tmpdir(), 'docloom-members-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('members that are being converted when another member fails keep their results', async () => {
  for (const name of ['a.md', 'b.md']) writeFileSync(path.join(folder, name), name);
  const bytes = new Uint8Array(execFileSync('tar', ['-C', folder, '-c', 'a.md', 'b.md']));
  const item: Item = { label: 'two.tar', name: 'two.tar', target: 'two', isRequired: true, load: async () => bytes };
  const converted = { status: 'success', format: 'md', pages: 1, seconds: 0, outputs: [], replaced: 0, messages: [] };
  let stop = () => {};
  const isStopped = new Promise<void>((resolve) => (stop = resolve));
  const files = await convertMembers(item, {
    embedded: false,
    limits: buildMemberLimits({ memberDepth: 3, memberSize: 10 }),
    jobs: 2,
    signal: new AbortController().signal,
    convert: async ({ label }) => {
      if (label.endsWith('b.md')) {
        setImmediate(stop);
        throw new AppError('INVALID_CONFIGURATION', 'no space left');
      }
      await isStopped;
      return { ...converted, source: label } as ConvertedFile;
    },
  });
  expect(files.map(({ source, status }) => [source, status])).toEqual([
    ['two.tar/a.md', 'success'],
    ['two.tar', 'failure'],
  ]);
});
