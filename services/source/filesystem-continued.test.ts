import { mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { SourceEntry } from './source';
import { createSources } from './sources';

const { signal } = new AbortController();
let base: string;
beforeEach(async () => {
  base = await realpath(await mkdtemp(path.join(os.tmpdir(), 'docloom-source-')));
});
afterEach(() => rm(base, { recursive: true, force: true }));

const at = (...parts: string[]) => path.join(base, ...parts);
async function put(names: readonly string[]): Promise<void> {
  for (const name of names) {
    await mkdir(path.dirname(at(name)), { recursive: true });
    await writeFile(at(name), '');
  }
}
async function collect(entries: AsyncIterable<SourceEntry>): Promise<SourceEntry[]> {
  const found: SourceEntry[] = [];
  for await (const entry of entries) found.push(entry);
  return found;
}

test('a listing continues after each entry, over several paths, and if the entry is gone or a folder replaced it', async () => {
  await put(['data/a.md', 'data/b/1.md', 'data/b/2.md', 'data/b.md', 'data/c.md', 'one/x.md']);
  const config = { paths: [at('data'), at('one/x.md')] };
  const sources = createSources({ roots: [base] });
  const rest = async (cursor = '') =>
    (await collect(sources.list('filesystem', config, signal, { after: cursor }))).map((entry) => entry.path);
  const entries = await collect(sources.list('filesystem', config, signal));
  const paths = entries.map((entry) => entry.path);
  expect(paths).toHaveLength(6);
  for (const [index, { cursor }] of entries.entries()) expect(await rest(cursor)).toEqual(paths.slice(index + 1));
  const [first] = entries;
  await rm(at('data/a.md'));
  expect(await rest(first?.cursor)).toEqual(paths.slice(1));
  await put(['data/a.md/new.md']);
  expect(await rest(first?.cursor)).toEqual(paths.slice(1));
  const inner = entries.find(({ name }) => name === '1.md');
  await rm(at('data/b'), { recursive: true });
  await put(['data/b']);
  expect(await rest(inner?.cursor)).toEqual([at('data/b'), at('data/b.md'), at('data/c.md'), at('one/x.md')]);
});

test('a folder that becomes a link during the listing reveals no names behind the link', async () => {
  await put(['data/a.md', 'data/z/own.md', 'secret/hidden.md']);
  const listing = createSources({ roots: [at('data')] }).list('filesystem', { paths: [at('data')] }, signal);
  const entries: SourceEntry[] = [];
  for await (const entry of listing) {
    if (entries.push(entry) > 1) continue;
    await rename(at('data/z'), at('moved'));
    await symlink(at('secret'), at('data/z'));
  }
  expect(entries.map(({ relativePath, incomplete }) => [relativePath, incomplete])).toEqual([
    ['a.md', undefined],
    ['z', true],
  ]);
});

test('a link in the path of the flow that changes during the listing does not lead to another folder', async () => {
  await put(['data/a.md', 'data/z/own.md', 'secret/z/hidden.md']);
  await symlink(at('data'), at('link'));
  const listing = createSources({ roots: [at('data')] }).list('filesystem', { paths: [at('link')] }, signal);
  const listed: string[] = [];
  for await (const { relativePath } of listing) {
    if (listed.push(relativePath) > 1) continue;
    await rm(at('link'));
    await symlink(at('secret'), at('link'));
  }
  expect(listed).toEqual(['a.md', 'z/own.md']);
});
