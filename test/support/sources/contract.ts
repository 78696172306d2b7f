import { createHash } from 'node:crypto';
import { getEventListeners } from 'node:events';
import type { Reader } from '../../../model/access';
import type { SourceRight } from '../../../model/source/kind';
import type { sourceKinds } from '../../../model/source/list';
import type { SourceEntry } from '../../../services/source/source';
import { type SourceFixture, withParams } from './fixture';

const { signal } = new AbortController();
const alice: Reader[] = [{ username: 'alice', principals: ['u:alice', 'p:*'] }];
/** Sources that have rights per document, and ids that survive a move. */
const withOwnRights: readonly string[] = ['sharepoint', 'google_drive', 'confluence'];
const names = {
  plain: 'plain.md',
  spaced: 'two words & more.md',
  umlaut: 'Übersicht Straße.md',
  decomposed: 'Cafe\u0301.md',
  kanji: '議事録📎.md',
  sign: "100% #1 a+b 'c' [d].md",
  long: `${'long-'.repeat(36)}.md`,
};

/** The contract of a source (services/source/source.ts), as tests of one source on its real server. */
export function testSource(kind: (typeof sourceKinds)[number], openFixture: () => Promise<SourceFixture>): void {
  const { name } = kind;
  let fixture: SourceFixture;
  beforeEach(async () => {
    fixture = await openFixture();
    // The first time on a machine, a server may have to be built.
  }, 15 * 60_000);
  afterEach(() => fixture.close());

  const hasRight = (right: SourceRight) => kind.rights[right] !== undefined;
  // A library has names without folders, and names are case-insensitive.
  const hasFolders = name !== 'library';

  async function list(config = fixture.config, from = fixture.sources, until = signal): Promise<SourceEntry[]> {
    const entries: SourceEntry[] = [];
    for await (const entry of from.list(name, config, until, { readers: alice })) entries.push(entry);
    return entries;
  }
  const keys = (entries: readonly SourceEntry[]) => entries.map((entry) => fixture.keyOf(entry));
  const check = (config = fixture.config, from = fixture.sources) =>
    from.check({ ...config, provider: name }, signal, alice);
  const outcomes = async (...input: Parameters<typeof check>) =>
    Object.fromEntries((await check(...input)).map(({ right, outcome }) => [right, outcome]));

  test('two listings of an unchanged source are equal, sorted, and have each document once', async () => {
    for (const key of ['b.md', 'a.md', 'c.txt']) await fixture.put(key, `text of ${key}`);
    const first = await list();
    expect(keys(first).toSorted()).toEqual(['a.md', 'b.md', 'c.txt']);
    expect(await list()).toEqual(first);
    expect(new Set(first.map(({ source, relativePath }) => `${source}\n${relativePath}`)).size).toBe(3);
  });

  test('names in every script, with special characters, and long ones survive a round trip, and their bytes can be read', async () => {
    for (const key of Object.values(names)) await fixture.put(key, `text of ${key}`);
    const entries = await list();
    expect(
      keys(entries)
        .map((key) => key.normalize('NFC'))
        .toSorted(),
    ).toEqual(
      Object.values(names)
        .map((key) => key.normalize('NFC'))
        .toSorted(),
    );
    for (const entry of entries) {
      const bytes = await fixture.sources.read(name, entry.path, fixture.config, signal);
      const text = Buffer.from(bytes).toString();
      expect(text.normalize('NFC')).toBe(`text of ${fixture.keyOf(entry)}`.normalize('NFC'));
      expect(await fixture.sources.hash(name, entry.path, fixture.config, signal)).toBe(
        createHash('sha256').update(bytes).digest('hex'),
      );
      expect(entry.failure).toBeUndefined();
    }
  });

  if (hasFolders)
    test('names that differ only in case are two documents', async () => {
      await fixture.put('Report.md', 'one');
      await fixture.put('report.md', 'other');
      const entries = await list();
      expect(new Set(keys(entries))).toEqual(new Set(['Report.md', 'report.md']));
      const texts = await Promise.all(
        entries.map(async ({ path }) =>
          Buffer.from(await fixture.sources.read(name, path, fixture.config, signal)).toString(),
        ),
      );
      expect(new Set(texts)).toEqual(new Set(['one', 'other']));
    });

  test('changed bytes change the version, or size and time; an unchanged document keeps them', async () => {
    await fixture.put('a.md', 'first');
    await fixture.put('b.md', 'same');
    const before = new Map((await list()).map((entry) => [fixture.keyOf(entry), entry]));
    await fixture.put('a.md', 'second, and longer');
    const after = new Map((await list()).map((entry) => [fixture.keyOf(entry), entry]));
    const getFacts = (entry?: SourceEntry) => [entry?.version, entry?.size, entry?.modifiedTime];
    expect(getFacts(after.get('a.md'))).not.toEqual(getFacts(before.get('a.md')));
    expect(after.get('b.md')).toEqual(before.get('b.md'));
    expect(after.get('a.md')?.relativePath).toBe(before.get('a.md')?.relativePath);
  });

  test('a deleted document is missing from the next listing, and cannot be read', async () => {
    await fixture.put('a.md', 'stays');
    await fixture.put('b.md', 'goes');
    const gone = (await list()).find((entry) => fixture.keyOf(entry) === 'b.md');
    await fixture.remove('b.md');
    expect(keys(await list())).toEqual(['a.md']);
    for (const call of ['read', 'hash'] as const)
      await expect(fixture.sources[call](name, gone?.path ?? '', fixture.config, signal)).rejects.toMatchObject({
        code: 'SOURCE_GONE',
      });
  });

  test('paths outside of the configured ones are not read', async () => {
    await fixture.put('a.md', 'text');
    const [entry] = await list();
    const others = ['/etc/passwd', '../a.md', 'file:///etc/passwd', `${entry?.path}/../../../../../etc/passwd`, ''];
    for (const path of others)
      await expect(fixture.sources.read(name, path, fixture.config, signal)).rejects.toMatchObject({
        code: expect.stringMatching(
          /^(?:SOURCE_UNREADABLE|SOURCE_GONE|SOURCE_NOT_ALLOWED|ADDRESS_NOT_ALLOWED|OPERATOR_CONFIGURATION_INVALID)$/,
        ),
      });
  });

  test('filters, hidden names and the maximum size come from the flow', async () => {
    for (const key of ['a.md', 'b.txt', '.hidden.md']) await fixture.put(key, 'some text');
    expect(keys(await list(withParams(fixture.config, { include_filter: 'md' })))).toContain('a.md');
    expect(keys(await list(withParams(fixture.config, { include_filter: 'md' })))).not.toContain('b.txt');
    expect(keys(await list(withParams(fixture.config, { exclude_patterns: ['b.*'] })))).not.toContain('b.txt');
    expect(keys(await list()).includes('.hidden.md')).toBe(name === 'library');
    const [large] = await list(
      withParams(fixture.config, { include_filter: 'txt', max_file_size_mb: 1 / 1024 / 1024 }),
    );
    expect(large?.failure?.code).toBe('SOURCE_TOO_LARGE');
  });

  if (hasFolders)
    test('documents in folders have the path in their identity; recursive false leaves them out', async () => {
      for (const key of ['a.md', 'one/a.md', 'one/two/a.md']) await fixture.put(key, key);
      const entries = await list();
      expect(keys(entries).toSorted()).toEqual(['a.md', 'one/a.md', 'one/two/a.md']);
      expect(new Set(entries.map(({ relativePath }) => relativePath)).size).toBe(3);
      // A site has no folders: its sitemaps name the pages. Attachments are below pages.
      const flat = name === 'http' ? keys(entries) : name === 'confluence' ? [] : ['a.md'];
      expect(keys(await list(withParams(fixture.config, { recursive: false })))).toEqual(flat);
    });

  test('after each entry, the listing continues with the entries that followed it, with their access lists', async () => {
    const all = hasFolders
      ? ['a.md', 'b.md', 'b/a.md', 'b/c/d.md', 'b/c.md', 'b+.md', 'c/e ü.md', 'c/議.md', 'z.md']
      : ['a.md', 'b.md', 'B-c.md', 'e ü.md', '議.md', 'ﬀ.md', 'z.md'];
    for (const key of all) await fixture.put(key, key);
    await fixture.putAccess?.('b', { allowed_users: ['bob'] });
    const entries = await list();
    expect(keys(entries).toSorted()).toEqual(all.toSorted());
    const listAfter = async (after: string | undefined) => {
      const rest: SourceEntry[] = [];
      const start = { readers: alice, after };
      for await (const entry of fixture.sources.list(name, fixture.config, signal, start)) rest.push(entry);
      return rest;
    };
    for (const [at, { cursor }] of entries.entries()) {
      expect(typeof cursor).toBe('string');
      expect(await listAfter(cursor)).toEqual(entries.slice(at + 1));
    }
    const removed = all[3] ?? '';
    const last = entries.findIndex((entry) => fixture.keyOf(entry) === removed);
    await fixture.remove(removed);
    expect(keys(await listAfter(entries[last]?.cursor))).toEqual(keys(entries.slice(last + 1)));
  });

  // In sources with their own rights, users must not be able to write access lists that others trust.
  if (hasRight('access') && !withOwnRights.includes(name))
    test('an access list applies to its folder and below; an invalid one grants access to nobody', async () => {
      for (const key of ['a.md', 'in/b.md', 'in/deep/c.md', 'bad/d.md']) await fixture.put(key, key);
      await fixture.putAccess?.('in', { allowed_users: ['bob'], allowed_groups: ['finance'], denied_users: ['eve'] });
      await fixture.putAccess?.('bad', '{ "allowed_userz": [] }');
      const entries = new Map((await list()).map((entry) => [fixture.keyOf(entry), entry]));
      expect([...entries.keys()].toSorted()).toEqual(['a.md', 'bad/d.md', 'in/b.md', 'in/deep/c.md']);
      expect(entries.get('a.md')?.allowedUsers).toBeUndefined();
      for (const key of ['in/b.md', 'in/deep/c.md'])
        expect(entries.get(key)).toMatchObject({
          allowedUsers: ['bob'],
          allowedPrincipals: ['g:login:finance'],
          deniedPrincipals: ['u:eve'],
        });
      expect(entries.get('bad/d.md')?.failure?.code).toBe('ACCESS_LIST_INVALID');
      expect(await outcomes()).toMatchObject({ list: 'granted', read: 'granted', access: 'denied' });
    });

  test('a cancelled listing ends', async () => {
    for (let number = 0; number < 5; number += 1) await fixture.put(`${number}.md`, 'x');
    const cancelled = AbortSignal.abort(new Error('cancelled'));
    await expect(list(fixture.config, fixture.sources, cancelled)).rejects.toThrow(/cancel|abort/i);
  });

  test('the signal of a run keeps no reference to documents that were listed and read', async () => {
    for (let number = 0; number < 12; number += 1) await fixture.put(`${number}.md`, 'x');
    const run = new AbortController();
    for (const { path } of await list(fixture.config, fixture.sources, run.signal))
      await fixture.sources.read(name, path, fixture.config, run.signal);
    expect(getEventListeners(run.signal, 'abort').length).toBeLessThanOrEqual(1);
  });

  test('the check grants every right of a source that works', async () => {
    await fixture.put('a.md', 'text');
    const rights = await check();
    expect(rights.map(({ right }) => right)).toEqual(Object.keys(kind.rights));
    for (const { right, outcome, needs, message } of rights)
      expect({ right, outcome, needs, message }).toEqual({
        right,
        outcome: 'granted',
        needs: kind.rights[right],
        message: expect.not.stringContaining('a.md'),
      });
  });

  test('the check of an empty source does not know whether it may read', async () => {
    expect(await outcomes()).toMatchObject({ list: 'granted', read: 'unknown' });
  });

  test('a missing path ends the listing, and the check reports it', async () => {
    await expect(list(fixture.missing)).rejects.toMatchObject({ code: 'SOURCE_NOT_FOUND' });
    const rights = await check(fixture.missing);
    expect(rights.find(({ right }) => right === 'list')).toMatchObject({ outcome: 'denied', code: 'SOURCE_NOT_FOUND' });
    expect(rights.find(({ right }) => right === 'read')).toMatchObject({ outcome: 'unknown' });
  });

  if (hasRight('sign_in'))
    test('a wrong password ends the listing, the check reports it, and nothing repeats the password', async () => {
      await fixture.put('a.md', 'text');
      await expect(list(fixture.wrongSignIn ?? {})).rejects.toMatchObject({ code: 'SOURCE_SIGN_IN_FAILED' });
      const rights = await check(fixture.wrongSignIn ?? {});
      expect(rights.find(({ right }) => right === 'sign_in')?.outcome).toBe('denied');
      expect(rights.find(({ right }) => right === 'reach')?.outcome).toBe('granted');
      expect(JSON.stringify(rights)).not.toContain('wrong-password');
    });

  if (hasRight('reach'))
    test('a private address needs the permission of the operator: to list, to read and to check', async () => {
      await fixture.put('a.md', 'text');
      const [entry] = await list();
      const strict = fixture.strict ?? fixture.sources;
      const failures = async () => {
        const entries = await list(fixture.config, strict);
        throw Object.assign(new Error('listed'), { code: entries[0]?.failure?.code });
      };
      await expect(failures()).rejects.toMatchObject({ code: 'ADDRESS_NOT_ALLOWED' });
      await expect(strict.read(name, entry?.path ?? '', fixture.config, signal)).rejects.toMatchObject({
        code: 'ADDRESS_NOT_ALLOWED',
      });
      expect(await outcomes(fixture.config, strict)).toMatchObject({ reach: 'denied', list: 'unknown' });
    });
}
