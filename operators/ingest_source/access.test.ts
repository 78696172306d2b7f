import type { Reader } from '../../model/access';
import { listPrincipals } from '../../model/access-list';
import { createIngestJob, listedFile } from '../../test/support/operators/ingest-job';

describe('a run that acts for a person', () => {
  const bobs = { owner: 'bob', readers: ['bob'] };
  const files = [
    listedFile('mine', { allowedUsers: ['alice', 'bob'] }),
    listedFile('theirs', { allowedUsers: ['alice'] }),
    listedFile('nobodys', { allowedUsers: [] }),
    listedFile('loose'),
    listedFile('broken', { failure: { code: 'ACCESS_LIST_INVALID', message: 'm' } }),
    listedFile('big', { allowedUsers: ['alice'], failure: { code: 'SOURCE_TOO_LARGE', message: 'm' } }),
    listedFile('link', { allowedUsers: ['alice'], skip: 'Symbolic links are not followed' }),
  ];

  test('sees the documents that the person may read; the others are counted but not named', async () => {
    const result = await createIngestJob().run({ files, ...bobs, config: { allowed_users: ['carol'] } });
    expect(result.rows.map(({ name, allowed_users }) => [name, allowed_users])).toEqual([
      ['mine', ['alice', 'bob']],
      ['loose', ['bob']],
    ]);
    expect(result).toMatchObject({ withheld: 5, unchanged: [], failed: [], gone: [], added: 2 });
    expect(JSON.stringify(result)).not.toMatch(/theirs|nobodys|broken|big|link/);
    expect(result.hashed).toEqual(['/data/mine', '/data/loose']);
  });

  test('of two people sees the documents that both may read', async () => {
    const both = await createIngestJob().run({ files, owner: 'bob', readers: ['bob', 'alice'] });
    expect(both.names).toEqual(['mine', 'loose']);
    const { names, withheld } = await createIngestJob().run({ files, owner: 'alice', readers: ['alice', 'carol'] });
    expect({ names, withheld }).toEqual({ names: ['loose'], withheld: 6 });
  });

  test('an earlier run for everybody is neither deleted nor re-owned', async () => {
    const { run, ledger } = createIngestJob();
    const { rows } = await run({ files: files.slice(0, 4), config: { allowed_users: ['carol', 'bob'] } });
    expect(rows.at(-1)).toMatchObject({ name: 'loose', allowed_users: ['carol', 'bob'] });
    const again = await run({ files: files.slice(0, 4), ...bobs });
    expect(again).toMatchObject({ names: [], withheld: 2, gone: [] });
    expect(again.unchanged.map(({ name }) => name)).toEqual(['mine', 'loose']);
    // Documents that could not be seen do not count as deleted either.
    expect((await run({ files: [listedFile('loose')], ...bobs })).gone).toEqual([{ id: rows[0]?.id, name: 'mine' }]);
    expect((await ledger.lookup('job', [rows[1]?.id ?? ''])).get(rows[1]?.id ?? '')?.allowed_users).toEqual(['alice']);
  });

  test('a document that another user ingested for themselves is withheld', async () => {
    const { run } = createIngestJob();
    await run({ files: [listedFile('loose')], owner: 'alice', readers: ['alice'] });
    expect(await run({ files: [listedFile('loose')], ...bobs })).toMatchObject({ names: [], withheld: 1, gone: [] });
  });

  test('a document that its owner may no longer read is removed from their results', async () => {
    const { run } = createIngestJob();
    const { rows } = await run({ files: [listedFile('a', { allowedUsers: ['bob'] })], ...bobs });
    const again = await run({ files: [listedFile('a', { allowedUsers: ['alice'] })], ...bobs });
    expect(again).toMatchObject({ withheld: 1, gone: [{ id: rows[0]?.id }] });
  });

  test('max_files counts the visible documents', async () => {
    const listed = [...files.slice(1), listedFile('last', { allowedUsers: ['bob'] })];
    expect((await createIngestJob().run({ files: listed, ...bobs, config: { max_files: 2 } })).names).toEqual([
      'loose',
      'last',
    ]);
  });

  test('a run that may see nothing reports it', async () => {
    const { warnings } = await createIngestJob().run({ files: files.slice(1, 3), ...bobs });
    expect(warnings).toEqual([
      'All 2 documents of the source are withheld, because not every user whom the run acts for may read them.',
    ]);
  });
});

describe('principals of a list', () => {
  const groups = { allowedUsers: [], allowedPrincipals: ['g:login:staff'], deniedPrincipals: ['u:eve'] };

  test('rows carry them, and a changed group of the list is a change of the document', async () => {
    const { run } = createIngestJob();
    const { rows } = await run({ files: [listedFile('a', groups)] });
    expect(rows[0]).toMatchObject({
      allowed_users: [],
      allowed_principals: ['g:login:staff'],
      denied_principals: ['u:eve'],
    });
    expect((await run({ files: [listedFile('a', groups)] })).names).toEqual([]);
    expect((await run({ files: [listedFile('a', { ...groups, deniedPrincipals: ['u:bob'] })] })).changed).toBe(1);
    expect((await run({ files: [listedFile('a', { ...groups, allowedPrincipals: ['p:*'] })] })).changed).toBe(1);
  });

  test('a run uses the groups that its people have now', async () => {
    const files = [listedFile('staff', groups), listedFile('all', { ...groups, allowedPrincipals: ['p:*'] })];
    const asked = async (readers: Reader[]) => {
      const { names, withheld } = await createIngestJob().run({ files, owner: 'bob', readers });
      return [names, withheld];
    };
    const withGroups = (name: string, ...own: string[]) => ({ username: name, principals: listPrincipals(name, own) });
    expect(await asked([withGroups('bob', 'staff')])).toEqual([['staff', 'all'], 0]);
    expect(await asked([withGroups('bob')])).toEqual([['all'], 1]);
    expect(await asked([withGroups('bob', 'staff'), withGroups('eve', 'staff')])).toEqual([[], 2]);
    expect(await asked([withGroups('g:login:staff')])).toEqual([['all'], 1]);
    expect(await asked([{ username: 'bob' }])).toEqual([[], 2]);
  });

  test('no configuration of a flow gives a document principals', async () => {
    const own = { allowed_principals: ['p:*'], denied_principals: [], principals: ['g:login:staff'] };
    const config = { ...own, connection_params: own, provider_config: own };
    const { rows } = await createIngestJob().run({ files: [listedFile('a')], config });
    expect(Object.keys(rows[0] ?? {}).filter((name) => name.includes('principals'))).toEqual([]);
    const { rows: mine } = await createIngestJob().run({
      files: [listedFile('a')],
      config,
      owner: 'bob',
      readers: ['bob'],
    });
    expect(mine[0]).toMatchObject({ allowed_users: ['bob'] });
    expect(Object.keys(mine[0] ?? {}).filter((name) => name.includes('principals'))).toEqual([]);
  });
});

test('a run that ingests for everybody applies the configured list to documents without one', async () => {
  const { rows } = await createIngestJob().run({
    files: [listedFile('a'), listedFile('b', { allowedUsers: ['x'] })],
    config: { connection_params: { allowed_users: ['carol'] } },
  });
  expect(rows.map(({ allowed_users }) => allowed_users)).toEqual([['carol'], ['x']]);
});

describe('access lists that are kept up to date between runs', () => {
  const files = [listedFile('a', { allowedUsers: ['bob'], deniedPrincipals: ['u:eve'] }), listedFile('b')];

  test('deny the principal of stale lists, even in runs of people whose groups are unknown', async () => {
    const { rows, withheld } = await createIngestJob().run({
      files,
      config: { access_sync_minutes: 5 },
      owner: 'bob',
      readers: ['bob'],
    });
    expect(withheld).toBe(0);
    expect(rows.map(({ denied_principals }) => denied_principals)).toEqual([['s:job', 'u:eve'], ['s:job']]);
  });

  test.each([{}, { access_sync_minutes: 5, when_access_stale: 'serve' }])('do not with %j', async (config) => {
    const { rows } = await createIngestJob().run({ files, config });
    expect(rows.map(({ denied_principals }) => denied_principals)).toEqual([['u:eve'], undefined]);
  });
});
