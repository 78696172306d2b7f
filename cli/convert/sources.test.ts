import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type ConvertSource, findSources, nameTargets } from './sources';

const root = mkdtempSync(path.join(tmpdir(), 'convert-'));
for (const file of ['a.md', 'b.txt', 'sub/c.md', 'sub/deep/d.md', '.hidden.md', '.git/e.md', 'out/f.md']) {
  mkdirSync(path.join(root, path.dirname(file)), { recursive: true });
  writeFileSync(path.join(root, file), 'x');
}
afterAll(() => rmSync(root, { recursive: true, force: true }));
const found = async (given: string[], except?: string) =>
  (
    await findSources(
      given.map((name) => path.join(root, name)),
      except,
    )
  ).map((source) => [path.relative(root, source.path), source.folder]);

describe('findSources', () => {
  test('a folder yields its files and those of subfolders, without hidden files and outputs', async () => {
    expect(await found([''], path.join(root, 'out'))).toEqual([
      ['a.md', '.'],
      ['b.txt', '.'],
      ['sub/c.md', 'sub'],
      ['sub/deep/d.md', 'sub/deep'],
    ]);
  });

  test('a pattern yields the matching files', async () => {
    expect(await found(['sub/**/*.md'])).toEqual([
      ['sub/c.md', '.'],
      ['sub/deep/d.md', 'deep'],
    ]);
  });

  test('a file that is given twice is converted once', async () => {
    expect(await found(['a.md', '*.md', 'a.md'])).toEqual([['a.md', '.']]);
  });

  test('a missing path and a pattern without matches are errors that name it', async () => {
    await expect(found(['gone.md'])).rejects.toMatchObject({
      code: 'SOURCE_NOT_FOUND',
      message: expect.stringContaining('gone.md'),
    });
    await expect(found(['*.pdf'])).rejects.toMatchObject({
      code: 'SOURCE_NOT_FOUND',
      message: expect.stringContaining('*.pdf'),
    });
  });
});

test('outputs have the name of their source; if two collide the extension stays, then they are numbered', () => {
  const source = (file: string, folder = '.'): ConvertSource => ({ path: file, folder, isNamed: true });
  const targets = nameTargets([
    source('x/report.docx'),
    source('x/report.pdf'),
    source('y/report.pdf'),
    source('x/other.tar.gz'),
    source('x/s/report.pdf', 's'),
    source('x/s/Report.md', 's'),
  ]);
  expect(targets.map(({ target }) => target)).toEqual([
    'report.docx',
    'report.pdf',
    'report.pdf-2',
    'other.tar',
    's/report.pdf',
    's/Report.md',
  ]);
});

test('an output never replaces a source, even through links', () => {
  const folder = path.join(root, 'self');
  mkdirSync(folder);
  for (const name of ['notes.md', 'Page.html', 'notes.md.md']) writeFileSync(path.join(folder, name), name);
  symlinkSync(folder, path.join(folder, 'link'));
  const source = (name: string): ConvertSource => ({ path: path.join(folder, name), folder: '.', isNamed: true });
  const getTargets = (names: string[], output: string) =>
    nameTargets(names.map(source), { folder: output, extensions: ['md'] }).map(({ target }) => target);
  expect(getTargets(['notes.md', 'Page.html'], folder)).toEqual(['notes.md', 'Page']);
  expect(getTargets(['notes.md'], path.join(folder, 'link'))).toEqual(['notes.md']);
  expect(getTargets(['notes.md', 'notes.md.md'], folder)).toEqual(['notes.md-2', 'notes.md.md']);
  expect(getTargets(['notes.md'], path.join(folder, 'out'))).toEqual(['notes']);
});
