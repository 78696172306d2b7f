import { createFileFilter } from './file-filter';

const takes = (include: string[], exclude: string[], file: string) =>
  createFileFilter({ include, exclude }).takesFile(file);

test.each<[string[], string[], string, boolean]>([
  [[], [], 'a/b.pdf', true],
  [['pdf', 'txt'], [], 'a/b.PDF', true],
  [['.pdf'], [], 'b.pdf', true],
  [['pdf'], [], 'pdf', false],
  [['pdf'], [], 'a.pdf.zip', false],
  [['*.md'], [], 'deep/down/x.md', true],
  [['docs/**'], [], 'docs/a/b.txt', true],
  [['docs/*'], [], 'docs/a/b.txt', false],
  [['docs/**'], [], 'other/docs/b.txt', false],
  [['**/docs/**'], [], 'other/docs/b.txt', true],
  [['*.{md,txt}'], [], 'x.txt', true],
  [['report-20??.pdf'], [], 'a/report-2024.pdf', true],
  [[], ['zip'], 'a.zip', false],
  [[], ['draft-*'], 'a/draft-1.md', false],
  [[], ['draft-*'], 'a/1-draft.md', true],
  [['md'], ['draft-*'], 'draft-1.md', false],
  [['.*'], [], '.hidden', true],
])('include %j, exclude %j: %s is included: %s', (include, exclude, file, taken) => {
  expect(takes(include, exclude, file)).toBe(taken);
});

test('excluded folders are not entered, by name or path, and extensions do not apply to folders', () => {
  const filter = createFileFilter({ include: ['pdf'], exclude: ['node_modules', 'old-*', 'a/b/**', 'a/c/', 'zip'] });
  expect(['x/node_modules', 'old-1', 'a/b', 'a/c'].map((folder) => filter.entersFolder(folder))).toEqual([
    false,
    false,
    false,
    false,
  ]);
  expect(['a', 'x/a/b', 'folder.zip', 'anything'].map((folder) => filter.entersFolder(folder))).toEqual([
    true,
    true,
    true,
    true,
  ]);
});

test('a pattern with many stars does not slow down the listing', () => {
  const before = process.cpuUsage();
  const filter = createFileFilter({ include: ['*a*a*a*a*a*a*a*a*b'], exclude: ['**/a/**/a/**/a/**/b'] });
  expect(filter.takesFile(`${'a/'.repeat(100)}${'a'.repeat(250)}`)).toBe(false);
  expect(process.cpuUsage(before).user / 1e6).toBeLessThan(1);
});
