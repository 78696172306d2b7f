import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createSources, type SourceEntry } from '../../../services/source/sources';

/**
 * Who may write into a folder may rename its files, also those that they may not read. A file that takes the name of another after
 * the listing must not be read under the rights of the other.
 */
let root: string;
beforeEach(() => {
  root = mkdtempSync(path.join(os.tmpdir(), 'docloom-replaced-'));
  mkdirSync(path.join(root, 'below'));
  writeFileSync(path.join(root, 'open.md'), 'open');
  writeFileSync(path.join(root, 'below', 'open.md'), 'open');
  writeFileSync(path.join(root, 'secret.md'), 'the canary', { mode: 0o600 });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const never = new AbortController().signal;
function openSources(rights: boolean) {
  const map = {
    map_id: 'fs',
    places: [`file:${root}`],
    acl: 'none' as const,
    updated_at: '',
    updated_by: '',
    state: {},
  };
  const maps = { list: async () => [map], listMembers: async () => new Map<string, Set<string>>() };
  return createSources({ roots: [root], ...(rights ? { rights: maps } : {}) });
}
async function listOpen(sources: ReturnType<typeof openSources>, relativePath = 'open.md'): Promise<SourceEntry> {
  for await (const entry of sources.list('filesystem', { paths: [root] }, never))
    if (entry.relativePath === relativePath) return entry;
  throw new Error('The file was not listed.');
}
const open = (...names: string[]) => path.join(root, ...names);

test.each<[string, string, () => void]>([
  ['is renamed over it', 'open.md', () => renameSync(open('secret.md'), open('open.md'))],
  ['is linked in its place', 'open.md', () => (rmSync(open('open.md')), linkSync(open('secret.md'), open('open.md')))],
  [
    'is a link in its place',
    'open.md',
    () => (rmSync(open('open.md')), symlinkSync(open('secret.md'), open('open.md'))),
  ],
  [
    'comes with another folder',
    'below/open.md',
    () => {
      mkdirSync(open('other'));
      renameSync(open('secret.md'), open('other', 'open.md'));
      renameSync(open('below'), open('gone'));
      renameSync(open('other'), open('below'));
    },
  ],
  [
    'has its size and time',
    'open.md',
    () => {
      execFileSync('truncate', ['--size', '4', open('secret.md')]);
      execFileSync('touch', ['--reference', open('open.md'), open('secret.md')]);
      renameSync(open('secret.md'), open('open.md'));
    },
  ],
])('a file with other rights that %s after the listing is not read', async (_how, listed, replace) => {
  const sources = openSources(true);
  const entry = await listOpen(sources, listed);
  expect(String(await sources.read('filesystem', entry, { paths: [root] }, never))).toBe('open');
  replace();
  const refused = { code: 'SOURCE_UNREADABLE' };
  await expect(sources.hash('filesystem', entry, { paths: [root] }, never)).rejects.toMatchObject(refused);
  const { path: place, version } = entry;
  await expect(
    sources.read('filesystem', { path: place, ...(version ? { version } : {}) }, { paths: [root] }, never),
  ).rejects.toMatchObject(refused);
  // The next listing has the rights of the new file.
  const next = await listOpen(sources, listed);
  expect(next.version).not.toBe(version);
});

test('a file that is edited in its place is read, and has another version', async () => {
  const sources = openSources(true);
  const entry = await listOpen(sources);
  appendFileSync(open('open.md'), ' more');
  expect(String(await sources.read('filesystem', entry, { paths: [root] }, never))).toBe('open more');
  expect((await listOpen(sources)).version).not.toBe(entry.version);
});

test('where files have no rights of their own, the name decides, so a saved copy is read', async () => {
  const sources = openSources(false);
  const entry = await listOpen(sources);
  writeFileSync(open('copy.md'), 'saved');
  renameSync(open('copy.md'), open('open.md'));
  expect(String(await sources.read('filesystem', entry, { paths: [root] }, never))).toBe('saved');
});
