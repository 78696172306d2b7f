import { createHash } from 'node:crypto';
import { link, mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { SourceEntry } from './sources';
import { createSources } from './sources';

let base = '';
beforeEach(async () => {
  base = await realpath(await mkdtemp(path.join(tmpdir(), 'docloom-source-')));
});
afterEach(() => rm(base, { recursive: true, force: true }));

const { signal } = new AbortController();
const at = (...names: string[]) => path.join(base, ...names);
async function put(files: Record<string, string | object>) {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(path.dirname(at(name)), { recursive: true });
    await writeFile(at(name), typeof content === 'string' ? content : JSON.stringify(content));
  }
}
async function list(config: Record<string, unknown> = {}, roots = [base], hidden = true): Promise<SourceEntry[]> {
  const entries: SourceEntry[] = [];
  for await (const entry of createSources({ roots, hidden }).list(
    'filesystem',
    { paths: [at('data')], ...config },
    signal,
  ))
    entries.push(entry);
  return entries;
}
const names = async (config?: Record<string, unknown>) => (await list(config)).map(({ relativePath }) => relativePath);
const users = async (config?: Record<string, unknown>) =>
  Object.fromEntries(
    (await list(config)).map((entry) => [entry.relativePath, entry.failure?.code ?? entry.allowedUsers]),
  );

describe('listing', () => {
  test('files are sorted by path and have all known properties', async () => {
    await put({ 'data/b.md': 'bb', 'data/a/z.PDF': 'x', 'data/a/a/1.txt': '', 'data/B.md': 'b', 'data/ä.csv': '1' });
    const entries = await list();
    expect(entries.map(({ relativePath }) => relativePath)).toEqual(['B.md', 'a/a/1.txt', 'a/z.PDF', 'b.md', 'ä.csv']);
    expect(entries[2]).toEqual({
      source: `file:${at('data')}`,
      relativePath: 'a/z.PDF',
      path: at('data/a/z.PDF'),
      name: 'z.PDF',
      mimetype: 'application/pdf',
      size: 1,
      modifiedTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) as string,
      metadata: { relative_path: 'a/z.PDF', extension: 'pdf' },
      cursor: JSON.stringify([at('data'), ['a', 'z.PDF']]),
    });
    expect(await list()).toEqual(entries);
  });

  test('hidden files and folders are skipped by default, access lists always', async () => {
    await put({ 'data/.a.md': '', 'data/.git/b.md': '', 'data/c.md': '', 'data/.acl.json': { allowed_users: ['x'] } });
    expect(await names()).toEqual(['c.md']);
    expect(await names({ ignore_hidden_files: false })).toEqual(['.a.md', '.git/b.md', 'c.md']);
  });

  test('subfolders are listed only if recursive', async () => {
    await put({ 'data/a/b.md': '', 'data/c.md': '' });
    expect(await names({ recursive: false })).toEqual(['c.md']);
  });

  test('filters apply, and excluded folders are not entered', async () => {
    await put({ 'data/a.md': '', 'data/b.pdf': '', 'data/old-1/c.md': '', 'data/x/d.md': '' });
    expect(await names({ include_filter: 'md', exclude_filter: ['old-*'] })).toEqual(['a.md', 'x/d.md']);
  });

  test('a single file belongs to its folder, with the id that the folder would give it', async () => {
    await put({ 'data/x/a.md': '1', 'data/.b.md': '2' });
    const [file] = await list({ paths: at('data/x/a.md') });
    const [listed] = await list({ paths: [at('data/x')] });
    expect({ ...file, cursor: '' }).toEqual({ ...listed, cursor: '' });
    expect((await list({ paths: [at('data/.b.md')] })).map(({ name }) => name)).toEqual(['.b.md']);
  });

  test('nested paths list a file once', async () => {
    await put({ 'data/x/a.md': '1', 'data/b.md': '2', 'data/.c/d.md': '3' });
    const paths = [at('data/x'), at('data'), at('data/b.md'), at('data'), `${at('data')}/`, at('data/.c')];
    expect((await list({ paths })).map((entry) => entry.path)).toEqual([
      at('data/b.md'),
      at('data/x/a.md'),
      at('data/.c/d.md'),
    ]);
    expect((await list({ paths: [at('data'), at('data/x')], recursive: false })).map((entry) => entry.path)).toEqual([
      at('data/b.md'),
      at('data/x/a.md'),
    ]);
  });

  test('a file above the size limit is a failed entry', async () => {
    await put({ 'data/a.md': 'x'.repeat(2000), 'data/b.md': 'x' });
    const [large, small] = await list({ max_file_size_mb: 0.001 });
    expect(large?.failure).toEqual({
      code: 'SOURCE_TOO_LARGE',
      message: expect.stringContaining('2000 bytes') as string,
    });
    expect(small?.failure).toBeUndefined();
  });

  test('an empty folder lists nothing', async () => {
    await mkdir(at('data'));
    expect(await list()).toEqual([]);
  });

  test('symbolic links are not followed, inside or outside, and loops end', async () => {
    await put({ 'data/a.md': 'a', 'data/x/b.md': 'b', 'outside/secret.md': 's' });
    await symlink(at('outside/secret.md'), at('data/link.md'));
    await symlink(at('outside'), at('data/linked-folder.md'));
    await symlink(at('data'), at('data/x/loop'));
    await symlink(at('data/nowhere'), at('data/broken.md'));
    const entries = await list();
    expect(entries.filter(({ skip }) => !skip).map(({ relativePath }) => relativePath)).toEqual(['a.md', 'x/b.md']);
    expect(entries.filter(({ skip }) => skip).map(({ relativePath, skip }) => [relativePath, skip])).toEqual(
      ['broken.md', 'link.md', 'linked-folder.md', 'x/loop'].map((name) => [name, 'Symbolic links are not followed']),
    );
  });

  test('the first entry is returned before the rest of the tree is read', async () => {
    await put(Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`data/${index % 30}/${index}.md`, ''])));
    const entries = createSources({ roots: [base] }).list('filesystem', { paths: [at('data')] }, signal);
    const iterator = entries[Symbol.asyncIterator]();
    await iterator.next();
    await rm(at('data/9'), { recursive: true });
    let count = 1;
    while (!(await iterator.next()).done) count += 1;
    expect(count).toBe(290);
  });

  test('an abort ends the listing', async () => {
    await put({ 'data/a.md': '' });
    const reason = new Error('cancelled');
    const entries = createSources({ roots: [base] }).list(
      'filesystem',
      { paths: [at('data')] },
      AbortSignal.abort(reason),
    );
    await expect(entries[Symbol.asyncIterator]().next()).rejects.toBe(reason);
  });
});

describe('allowed roots', () => {
  test('a missing path is named', async () => {
    await expect(list()).rejects.toMatchObject({
      code: 'SOURCE_NOT_FOUND',
      message: expect.stringContaining(at('data')) as string,
    });
  });

  test('a path outside the roots is rejected, with dots, through a link or by a similar name', async () => {
    await put({ 'data/a.md': '', 'data-2/b.md': '', 'other/c.md': '' });
    await symlink(at('other'), at('data/link'));
    for (const input of [
      at('data-2'),
      `${at('data')}/../other`,
      at('data/link'),
      at('data/link/c.md'),
      base,
      '/etc/passwd',
    ]) {
      await expect(list({ paths: [input] }, [at('data')])).rejects.toMatchObject({
        code: 'SOURCE_NOT_ALLOWED',
        message: expect.stringContaining('DOCLOOM_SOURCE_ROOTS') as string,
      });
    }
  });

  test('without roots nothing may be read', async () => {
    await put({ 'data/a.md': '' });
    await expect(list({}, [])).rejects.toMatchObject({ code: 'SOURCE_NOT_ALLOWED' });
    await expect(createSources({ roots: [] }).read('filesystem', at('data/a.md'), {}, signal)).rejects.toMatchObject({
      code: 'SOURCE_NOT_ALLOWED',
    });
  });

  test('a root that is a link allows its target', async () => {
    await put({ 'real/a.md': '' });
    await symlink(at('real'), at('data'));
    expect((await list({}, [at('data')])).map((entry) => entry.path)).toEqual([at('data/a.md')]);
  });

  test('an unknown provider is reported with the list of known ones', async () => {
    expect(() => createSources({ roots: [] }).list('ftp', {}, signal)).toThrow(/'ftp'.*filesystem/);
  });
});

describe('reading', () => {
  test('bytes and their hash', async () => {
    await put({ 'data/a.md': 'hello' });
    const sources = createSources({ roots: [base] });
    expect(Buffer.from(await sources.read('filesystem', at('data/a.md'), {}, signal)).toString()).toBe('hello');
    expect(await sources.hash('filesystem', at('data/a.md'), {}, signal)).toBe(
      createHash('sha256').update('hello').digest('hex'),
    );
  });

  test('a deleted file is gone; a folder in its place is unreadable', async () => {
    await put({ 'data/a.md': '' });
    const sources = createSources({ roots: [base] });
    const names = { 'data/gone.md': 'SOURCE_GONE', data: 'SOURCE_UNREADABLE' };
    for (const [name, code] of Object.entries(names)) {
      await expect(sources.read('filesystem', at(name), {}, signal)).rejects.toMatchObject({ code });
      await expect(sources.hash('filesystem', at(name), {}, signal)).rejects.toMatchObject({ code });
    }
  });

  test('a second name of a closed file is closed, also just after its folder was looked at', async () => {
    await put({ 'data/a.md': 'a', 'own/key': 'k', 'own/data/b.md': 'b' });
    const sources = createSources({ roots: [base], closed: [at('own'), at('own/key')] });
    expect(String(await sources.read('filesystem', at('data/a.md'), {}, signal))).toBe('a');
    await rm(at('data/a.md'));
    await link(at('own/key'), at('data/a.md'));
    for (const name of ['data/a.md', 'own/key', 'own/data/b.md'])
      await expect(sources.read('filesystem', at(name), {}, signal)).rejects.toMatchObject({
        code: 'SOURCE_NOT_ALLOWED',
      });
  });

  test('a link that replaced a listed file does not lead outside', async () => {
    await put({ 'data/a.md': '', 'outside/secret.md': 's' });
    await rename(at('data/a.md'), at('data/b.md'));
    await symlink(at('outside/secret.md'), at('data/a.md'));
    await expect(
      createSources({ roots: [at('data')] }).read('filesystem', at('data/a.md'), {}, signal),
    ).rejects.toMatchObject({ code: 'SOURCE_NOT_ALLOWED' });
  });

  test('a link or linked folder that replaced a listed file does not lead to another file inside either', async () => {
    await put({ 'data/bob/a.md': 'own', 'data/bob/inner/a.md': 'own', 'data/alice/a.md': 'of alice' });
    await symlink(at('data'), at('way'));
    const sources = createSources({ roots: [base] });
    const config = { paths: [at('way')] };
    const read = async (name: string) => String(await sources.read('filesystem', at('way', name), config, signal));
    expect(await read('bob/a.md')).toBe('own');
    await rm(at('data/bob/a.md'));
    await symlink(at('data/alice/a.md'), at('data/bob/a.md'));
    await rm(at('data/bob/inner'), { recursive: true });
    await symlink(at('data/alice'), at('data/bob/inner'));
    for (const name of ['bob/a.md', 'bob/inner/a.md'])
      await expect(read(name)).rejects.toMatchObject({ code: 'SOURCE_UNREADABLE' });
    expect(await read('alice/a.md')).toBe('of alice');
  });
});

describe('access lists', () => {
  test('the nearest folder with a rule wins, then the configuration', async () => {
    await put({
      'data/.acl.json': { allowed_users: ['alice'], files: { 'b*.md': ['bob'], 'x/**/deep.md': ['dora'] } },
      'data/a.md': '',
      'data/b1.md': '',
      'data/x/b2.md': '',
      'data/x/y/deep.md': '',
      'data/z/.acl.json': { files: { 'only.md': [] } },
      'data/z/only.md': '',
      'data/z/other.md': '',
    });
    const expected = {
      'a.md': ['alice'],
      'b1.md': ['bob'],
      'x/b2.md': ['bob'],
      'x/y/deep.md': ['dora'],
      'z/only.md': [],
      'z/other.md': ['alice'],
    };
    expect(await users()).toEqual(expected);
    expect(await users({ allowed_users: ['conf'] })).toEqual(expected);
  });

  test('rules name users, groups and everybody, allow and deny; only the nearest rule applies', async () => {
    await put({
      'data/.acl.json': {
        allowed_users: ['alice', '*'],
        denied_groups: ['interns'],
        files: {
          'g.md': { allowed_groups: ['staff', 'u:bob', '*'], denied_users: ['eve', '*'] },
          'plain.md': ['bob'],
        },
      },
      'data/a.md': '',
      'data/g.md': '',
      'data/plain.md': '',
      'data/x/.acl.json': { allowed_groups: ['board'] },
      'data/x/b.md': '',
    });
    const lists = (await list()).map(({ relativePath, allowedUsers, allowedPrincipals, deniedPrincipals }) => [
      relativePath,
      { allowedUsers, allowedPrincipals, deniedPrincipals },
    ]);
    expect(Object.fromEntries(lists)).toEqual({
      'a.md': { allowedUsers: ['alice'], allowedPrincipals: ['p:*'], deniedPrincipals: ['g:login:interns'] },
      'g.md': {
        allowedUsers: [],
        allowedPrincipals: ['g:login:staff', 'g:login:u:bob', 'g:login:*'],
        deniedPrincipals: ['u:eve', 'p:*'],
      },
      'plain.md': { allowedUsers: ['bob'] },
      'x/b.md': { allowedUsers: [], allowedPrincipals: ['g:login:board'] },
    });
  });

  test('without a sidecar no readers are set: the ingest operator applies the list of the configuration', async () => {
    await put({ 'data/a.md': '' });
    expect(await users({ allowed_users: ['conf'] })).toEqual({ 'a.md': undefined });
  });

  test('skipped and unreadable files have their access list too', async () => {
    await put({ 'data/x/.acl.json': { allowed_users: ['alice'] }, 'data/x/a.md': 'text' });
    await symlink(at('data/x/a.md'), at('data/x/link.md'));
    const entries = await list({ max_file_size_mb: 0.000001 });
    expect(entries.map((entry) => [entry.relativePath, entry.allowedUsers, entry.skip ?? entry.failure?.code])).toEqual(
      [
        ['x/a.md', ['alice'], 'SOURCE_TOO_LARGE'],
        ['x/link.md', ['alice'], 'Symbolic links are not followed'],
      ],
    );
  });

  test('a name takes precedence over a glob, even a name with glob characters', async () => {
    await put({
      'data/.acl.json': { files: { '*.md': ['glob'], 'a[1].md': ['name'] } },
      'data/a[1].md': '',
      'data/a1.md': '',
    });
    expect(await users()).toEqual({ 'a1.md': ['glob'], 'a[1].md': ['name'] });
  });

  test.each<[string, string | object]>([
    ['broken JSON', '{ "allowed_users": ["alice"'],
    ['an empty file', ''],
    ['a misspelt member', { allowed_user: ['alice'] }],
    ['a text instead of a list', { allowed_users: 'alice' }],
    ['an empty name', { allowed_users: [''] }],
    ['a list of numbers', { files: { 'a.md': [1] } }],
    ['a list', ['alice']],
    ['a denial that allows nobody', { denied_users: ['eve'] }],
    ['a denial of one file that allows nobody', { files: { 'a.md': { denied_groups: ['interns'] } } }],
    ['principals', { allowed_principals: ['p:*'] }],
    ['a misspelt member of one file', { files: { 'a.md': { allowed_group: ['staff'] } } }],
  ])('with %s in the sidecar the files below fail unless a nearer sidecar applies', async (_name, sidecar) => {
    await put({
      'data/.acl.json': sidecar,
      'data/a.md': '',
      'data/x/b.md': '',
      'data/y/.acl.json': { allowed_users: ['yve'] },
      'data/y/c.md': '',
    });
    expect(await users({ allowed_users: ['conf'] })).toEqual({
      'a.md': 'ACCESS_LIST_INVALID',
      'x/b.md': 'ACCESS_LIST_INVALID',
      'y/c.md': ['yve'],
    });
    expect((await list())[0]?.failure?.message).toContain(at('data/.acl.json'));
  });

  test('a sidecar that is a link or a folder is invalid', async () => {
    await put({
      'mine.json': { allowed_users: ['mallory'] },
      'data/a.md': '',
      'data/x/.acl.json/b.md': '',
      'data/x/c.md': '',
    });
    await symlink(at('mine.json'), at('data/.acl.json'));
    expect(await users()).toEqual({ 'a.md': 'ACCESS_LIST_INVALID', 'x/c.md': 'ACCESS_LIST_INVALID' });
  });

  test('a flow that names a folder or a file further down cannot bypass the list above', async () => {
    await put({
      'data/.acl.json': { allowed_users: ['alice'], files: { 'x/b.md': ['bob'] } },
      'data/x/a.md': '',
      'data/x/b.md': '',
    });
    expect(await users({ paths: [at('data/x')], allowed_users: ['mallory'] })).toEqual({
      'a.md': ['alice'],
      'b.md': ['bob'],
    });
    expect(await users({ paths: [at('data/x/b.md')], allowed_users: ['mallory'] })).toEqual({ 'b.md': ['bob'] });
  });

  test('a link to the source does not bypass the lists at its target', async () => {
    await put({ 'data/.acl.json': { files: { 'x/b.md': ['bob'] }, allowed_users: ['alice'] }, 'data/x/b.md': '' });
    await symlink(at('data/x'), at('way'));
    await symlink(at('data/x/b.md'), at('b2.md'));
    expect(await users({ paths: [at('way')], allowed_users: ['mallory'] })).toEqual({ 'b.md': ['bob'] });
    expect(await users({ paths: [at('b2.md')], allowed_users: ['mallory'] })).toEqual({ 'b.md': ['bob'] });
  });

  test('lists above the allowed root are ignored', async () => {
    await put({ '.acl.json': { allowed_users: ['above'] }, 'data/a.md': '' });
    const [entry] = await list({}, [at('data')]);
    expect(entry?.allowedUsers).toBeUndefined();
  });
});
