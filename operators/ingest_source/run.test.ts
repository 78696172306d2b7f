import { AppError } from '../../model/errors';
import type { SourceEntry } from '../../services/source/sources';
import { createIngestJob, listedFile } from '../../test/support/operators/ingest-job';

test('a sample run ingests exactly that many documents, reads no others, and skips removed ones', async () => {
  const { run, ledger } = createIngestJob();
  const files = Array.from({ length: 2_000 }, (_, index) => listedFile(`f${index}.txt`));
  const first = await run({ files: files.slice(0, 3) });
  ledger.tombstones.add(first.rows[0]?.id ?? '');
  const { names, hashed, gone } = await run({ files, sample: 5, forceIngest: true });
  expect(names).toEqual(['f1.txt', 'f2.txt', 'f3.txt', 'f4.txt', 'f5.txt']);
  expect(hashed.length).toBeLessThanOrEqual(5);
  expect(gone).toEqual([]);
});

const vectordb = [{ type: 'vectordb', name: 'index', config: { provider: 'opensearch', index_name: 'docs' } }];

describe('rows', () => {
  test('a new document becomes a row with everything that the ledger needs later', async () => {
    const { rows, added, metrics } = await createIngestJob().run({
      files: [listedFile('a.txt', { allowedUsers: ['alice'] })],
    });
    expect(rows).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
        name: 'a.txt',
        path: '/data/a.txt',
        source: 'file:/data',
        mimetype: 'text/plain',
        size: 5,
        modified_time: '2024-01-01T00:00:00.000Z',
        content_hash: 'hash of /data/a.txt',
        acl_hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
        allowed_users: ['alice'],
        metadata: { relative_path: 'a.txt', extension: 'txt', access_rule: 'access_list' },
      },
    ]);
    expect(added).toBe(1);
    expect(metrics).toEqual({ default_access_lists: 0, empty_access_lists: 0 });
  });

  test('a renamed document of a source with identities keeps its id and is passed on again', async () => {
    const { run } = createIngestJob();
    const file = (name: string) => [listedFile(name, { relativePath: 'id-1', path: '/data/id-1', version: '1' })];
    const first = await run({ files: file('old.txt') });
    expect((await run({ files: file('old.txt') })).rows).toEqual([]);
    const renamed = await run({ files: file('new.txt') });
    expect(renamed.rows.map(({ id, name }) => [id, name])).toEqual([[first.rows[0]?.id, 'new.txt']]);
    expect([renamed.added, renamed.changed, renamed.gone, renamed.hashed]).toEqual([0, 1, [], []]);
    expect((await run({ files: file('new.txt') })).rows).toEqual([]);
  });

  test('ids depend only on job, source and path', async () => {
    const getId = async (jobId: string, change: Partial<SourceEntry>) =>
      (await createIngestJob().run({ jobId, files: [listedFile('a', change)], hash: () => JSON.stringify(change) }))
        .rows[0]?.id;
    const id = await getId('1', {});
    expect(await getId('1', { size: 9, modifiedTime: 'later', allowedUsers: ['x'], path: '/elsewhere' })).toBe(id);
    expect(
      new Set([
        id,
        await getId('2', {}),
        await getId('1', { source: 'file:/d' }),
        await getId('1', { relativePath: 'b' }),
        await getId('1', { source: 'file:/dataa', relativePath: '' }),
      ]).size,
    ).toBe(5);
  });

  test('order is that of the source over many pages', async () => {
    const files = Array.from({ length: 1203 }, (_, index) => listedFile(String(index).padStart(5, '0')));
    const { names } = await createIngestJob().run({ files, hash: (path) => path });
    expect(names).toEqual(files.map(({ name }) => name));
  });

  test('without a list the owner of the run may read a document, with an empty list nobody may; both are counted', async () => {
    const { rows, metrics, warnings } = await createIngestJob().run({
      files: [listedFile('a'), listedFile('b', { allowedUsers: [] }), listedFile('c', { allowedUsers: ['x'] })],
    });
    expect(rows.map(({ allowed_users }) => allowed_users)).toEqual([['olga'], [], ['x']]);
    expect(metrics).toEqual({ default_access_lists: 1, empty_access_lists: 1 });
    expect(warnings).toEqual(['Nobody can read 1 document with an empty access list.']);
  });

  test('entries that cannot be read fail alone, links are skipped', async () => {
    const { names, failed, unchanged } = await createIngestJob().run({
      files: [
        listedFile('a'),
        listedFile('large', { failure: { code: 'SOURCE_TOO_LARGE', message: 'm' } }),
        listedFile('link', { skip: 'Symbolic links are not followed' }),
        listedFile('torn'),
        listedFile('swollen'),
        listedFile('redirected'),
        listedFile('vanished'),
      ],
      hash: (path) => {
        if (path === '/data/torn') return new AppError('SOURCE_UNREADABLE', 'no');
        if (path === '/data/swollen') return new AppError('SOURCE_TOO_LARGE', 'larger than it said');
        if (path === '/data/redirected') return new AppError('ADDRESS_NOT_ALLOWED', 'led elsewhere');
        return path === '/data/vanished' ? new AppError('SOURCE_GONE', 'no') : 'h';
      },
    });
    expect(names).toEqual(['a']);
    expect(failed.map(({ name, code }) => [name, code])).toEqual([
      ['large', 'SOURCE_TOO_LARGE'],
      ['torn', 'SOURCE_UNREADABLE'],
      ['swollen', 'SOURCE_TOO_LARGE'],
      ['redirected', 'ADDRESS_NOT_ALLOWED'],
    ]);
    expect(unchanged.map(({ name, reason }) => [name, reason])).toEqual([
      ['link', 'Symbolic links are not followed'],
      ['vanished', 'Deleted since it was listed; the next run removes it'],
    ]);
  });

  test('an error of the whole source ends the run', async () => {
    const outage = new AppError('SOURCE_NOT_ALLOWED', 'no');
    await expect(createIngestJob().run({ files: [listedFile('a')], hash: () => outage })).rejects.toBe(outage);
  });

  test('an empty source is a warning', async () => {
    expect(await createIngestJob().run({})).toMatchObject({
      names: [],
      added: 0,
      warnings: ['The source holds no documents that match the configuration.'],
    });
  });
});

describe('the second run', () => {
  test('skips unchanged documents without reading them', async () => {
    const { run } = createIngestJob();
    await run({ files: [listedFile('a'), listedFile('b')] });
    const { names, unchanged, hashed, added, changed, warnings } = await run({
      files: [listedFile('a'), listedFile('b')],
    });
    expect({ names, hashed, added, changed, warnings }).toEqual({
      names: [],
      hashed: [],
      added: 0,
      changed: 0,
      warnings: [],
    });
    expect(unchanged.map(({ name, reason }) => [name, reason])).toEqual([
      ['a', 'Document already processed'],
      ['b', 'Document already processed'],
    ]);
  });

  test('the version of the source decides whether a document is read again, regardless of its time', async () => {
    const { run } = createIngestJob();
    await run({ files: [listedFile('a.txt', { version: '"1"' })] });
    const same = await run({
      files: [listedFile('a.txt', { version: '"1"', modifiedTime: '2025-01-01T00:00:00.000Z', size: 0 })],
    });
    expect(same).toMatchObject({ hashed: [], names: [] });
    const other = await run({ files: [listedFile('a.txt', { version: '"2"' })], hash: () => 'new' });
    expect(other).toMatchObject({ hashed: ['/data/a.txt'], names: ['a.txt'] });
  });

  test('a document without version and time is read to detect changes', async () => {
    const { run } = createIngestJob();
    const unknown = () => listedFile('a.txt', { modifiedTime: '' });
    const first = await run({ files: [unknown()] });
    expect(first.rows[0]).not.toHaveProperty('modified_time');
    expect(await run({ files: [unknown()] })).toMatchObject({ hashed: ['/data/a.txt'], names: [] });
    expect(await run({ files: [unknown()], hash: () => 'new' })).toMatchObject({ names: ['a.txt'] });
  });

  test('a file with only a new time is read and skipped', async () => {
    const { run } = createIngestJob();
    await run({ files: [listedFile('a')] });
    const { names, hashed } = await run({ files: [listedFile('a', { modifiedTime: '2025-01-01T00:00:00.000Z' })] });
    expect({ names, hashed }).toEqual({ names: [], hashed: ['/data/a'] });
  });

  test('changed bytes make a row under the same id', async () => {
    const { run } = createIngestJob();
    const before = await run({ files: [listedFile('a'), listedFile('b')] });
    const after = await run({ files: [listedFile('a', { size: 7 }), listedFile('b')], hash: () => 'other' });
    expect(after).toMatchObject({ names: ['a'], added: 0, changed: 1 });
    expect(after.rows[0]?.id).toBe(before.rows[0]?.id);
  });

  test('a changed access list alone creates a row; a different order of names does not', async () => {
    const { run } = createIngestJob();
    await run({ files: [listedFile('a', { allowedUsers: ['x', 'y'] })] });
    expect((await run({ files: [listedFile('a', { allowedUsers: ['y', 'x', 'x'] })] })).names).toEqual([]);
    const { rows, hashed, changed } = await run({ files: [listedFile('a', { allowedUsers: ['x'] })] });
    expect({ users: rows[0]?.allowed_users, hashed, changed }).toEqual({ users: ['x'], hashed: [], changed: 1 });
  });

  test('a document that failed is tried again', async () => {
    const { run } = createIngestJob();
    await run({ files: [listedFile('a'), listedFile('b')] }, ['b']);
    expect((await run({ files: [listedFile('a'), listedFile('b')] })).names).toEqual(['b']);
    expect((await run({ files: [listedFile('a'), listedFile('b')] })).names).toEqual([]);
  });

  test('force_ingest ingests everything again, set for the operator or the run', async () => {
    const { run } = createIngestJob();
    await run({ files: [listedFile('a')] });
    expect((await run({ files: [listedFile('a')], config: { force_ingest: true } })).names).toEqual(['a']);
    expect((await run({ files: [listedFile('a')], forceIngest: true })).names).toEqual(['a']);
  });

  test('a different plan skips unchanged documents too, with one warning that counts them and mentions force_ingest', async () => {
    const { run } = createIngestJob();
    await run({ files: [listedFile('a'), listedFile('b')] });
    const { names, warnings } = await run({ files: [listedFile('a'), listedFile('b')], planHash: 'other' });
    expect(names).toEqual([]);
    expect(warnings).toEqual([expect.stringMatching(/ 2 .*force_ingest/)]);
  });

  test('an index that was lost or recreated causes a new ingest', async () => {
    const { run } = createIngestJob(vectordb);
    await run({ files: [listedFile('a')], indexes: { docs: 'uuid-1' } });
    expect((await run({ files: [listedFile('a')], indexes: { docs: 'uuid-1' } })).names).toEqual([]);
    expect((await run({ files: [listedFile('a')], indexes: { docs: 'uuid-2' } })).names).toEqual(['a']);
    expect((await run({ files: [listedFile('a')], indexes: {} })).names).toEqual(['a']);
  });

  test('a document set that was deleted or created again causes a new ingest', async () => {
    const { run } = createIngestJob([{ type: 'document_set', name: 'set', config: { document_set_name: 'notes' } }]);
    await run({ files: [listedFile('a')], sets: { notes: 'id-1' } });
    expect((await run({ files: [listedFile('a')], sets: { notes: 'id-1' } })).names).toEqual([]);
    expect((await run({ files: [listedFile('a')], sets: { notes: 'id-2' } })).names).toEqual(['a']);
    expect((await run({ files: [listedFile('a')] })).names).toEqual(['a']);
  });

  test('deleted documents are reported', async () => {
    const { run } = createIngestJob();
    const { rows } = await run({ files: [listedFile('a'), listedFile('b')] });
    expect((await run({ files: [listedFile('a')] })).gone).toEqual([{ id: rows[1]?.id, name: 'b' }]);
  });

  test('an incomplete listing removes nothing, now or at the end of the run', async () => {
    const { run, ledger } = createIngestJob();
    await run({ files: [listedFile('a'), listedFile('b')] });
    const { gone, warnings } = await run({
      files: [
        listedFile('a'),
        listedFile('locked', { incomplete: true, failure: { code: 'SOURCE_UNREADABLE', message: 'm' } }),
      ],
    });
    expect(gone).toEqual([]);
    expect(warnings).toEqual(['The listing is incomplete, so it keeps 1 earlier document that it lacks.']);
    expect(await ledger.listGone('job', 'run-2', [])).toEqual([]);
  });

  test('a listing that lacks most earlier documents removes none until the flow allows it', async () => {
    const { run } = createIngestJob();
    const files = Array.from({ length: 60 }, (_, index) => listedFile(`f${index}`));
    await run({ files });
    const shrunk = await run({ files: files.slice(0, 20) });
    expect(shrunk.gone).toEqual([]);
    expect(shrunk.warnings).toEqual([
      'The listing lacks 40 of 60 earlier documents, more than max_removed_percent (50) allows, so all of them are kept. Check the source; if they were deleted on purpose, run the flow once with max_removed_percent 100.',
    ]);
    expect((await run({ files: files.slice(0, 35) })).gone).toHaveLength(25);
    expect((await run({ files: files.slice(0, 1), config: { max_removed_percent: 100 } })).gone).toHaveLength(59);
  });

  test('files that flows exported into the source are left out, and those ingested before are removed', async () => {
    const { run } = createIngestJob();
    const files = Array.from({ length: 60 }, (_, index) => listedFile(`f${index}`));
    await run({ files });
    const exported = Object.fromEntries(files.slice(1).map(({ relativePath }) => [relativePath, 'job']));
    const second = await run({ files, exported });
    expect(second.gone).toHaveLength(59);
    expect(second.metrics).toMatchObject({ exported_files_left_out: 59 });
    expect(second.warnings).toEqual([
      'Flows exported 59 earlier documents of the source, so they are no longer ingested. With include_exports, the source takes the files of other flows.',
    ]);
    expect((await run({ files: [...files, listedFile('new')], exported })).warnings).toEqual(second.warnings);
    const others = { f1: 'job', f2: 'another job' };
    expect((await run({ files: files.slice(0, 3), exported: others, jobId: 'third' })).names).toEqual(['f0']);
    expect(
      (
        await run({
          files: files.slice(0, 3),
          exported: { f1: 'fourth', f2: 'job' },
          jobId: 'fourth',
          config: { include_exports: true },
        })
      ).names,
    ).toEqual(['f0', 'f2']);
  });

  test('each of several sources counts the documents that it lacks itself', async () => {
    const flow = ['one', 'two'].map((name) => ({ type: 'ingest_source', name, config: {} }));
    const { run, ledger } = createIngestJob(flow);
    const few = [listedFile('a')];
    const many = Array.from({ length: 30 }, (_, index) => listedFile(`f${index}`));
    await run({ files: few, operator: 'one' });
    await run({ files: many, operator: 'two' });
    expect(await run({ files: few, operator: 'one' })).toMatchObject({ gone: [], warnings: [] });
    expect((await run({ files: many.slice(1), operator: 'two' })).gone).toHaveLength(1);
    // A source that is no longer in the flow has nobody else to count for it.
    const last = createIngestJob(flow.slice(0, 1));
    await last.run({ files: many, operator: 'former' });
    expect((await last.run({ files: few, operator: 'one' })).warnings.join()).toContain('lacks 30 of 30');
    expect(await ledger.listGone('job', 'run-9', [], ['one', 'two'])).toEqual([]);
  });

  test('an emptied source keeps its documents whatever max_removed_percent is, until a run confirms it', async () => {
    const { run } = createIngestJob();
    const files = Array.from({ length: 60 }, (_, index) => listedFile(`f${index}`));
    await run({ files });
    const emptied = await run({ files: [] });
    expect(emptied.gone).toEqual([]);
    expect(emptied.warnings.join()).toContain('run the flow once with the parameter confirm_empty_source=true');
    expect((await run({ files: files.slice(0, 1), isEmptyConfirmed: true })).gone).toEqual([]);
    expect((await run({ files: [], isEmptyConfirmed: true })).gone).toHaveLength(60);
    const few = createIngestJob();
    await few.run({ files: files.slice(0, 2) });
    expect((await few.run({ files: [], config: { max_removed_percent: 100 } })).gone).toEqual([]);
    expect((await few.run({ files: [], isEmptyConfirmed: true })).gone).toHaveLength(2);
  });

  test('documents that the owner may no longer read are removed even when the listing is incomplete or shrunk', async () => {
    const { run } = createIngestJob();
    const lists = (user: string) =>
      Array.from({ length: 60 }, (_, index) => listedFile(`f${index}`, { allowedUsers: [user] }));
    await run({ files: lists('bob'), owner: 'bob', readers: ['bob'] });
    const lost = await run({ files: lists('eve'), owner: 'bob', readers: ['bob'] });
    expect(lost.gone).toHaveLength(60);
    await run({ files: lists('bob'), owner: 'bob', readers: ['bob'] });
    const closed = listedFile('closed', { incomplete: true, failure: { code: 'SOURCE_UNREADABLE', message: 'm' } });
    const incomplete = await run({ files: [closed, ...lists('eve').slice(0, 5)], owner: 'bob', readers: ['bob'] });
    expect(incomplete.gone).toHaveLength(5);
  });

  test('max_files truncates, reports it, and removes nothing', async () => {
    const { run, ledger } = createIngestJob();
    await run({ files: [listedFile('a'), listedFile('b'), listedFile('c')] });
    const { unchanged, warnings } = await run({
      files: [listedFile('a'), listedFile('b'), listedFile('c')],
      config: { max_files: 2 },
    });
    expect(unchanged.length).toBe(2);
    expect(warnings[0]).toBe('The source holds more than 2 documents; the listing ends there because of max_files.');
    expect(await ledger.listGone('job', 'run-2', [])).toEqual([]);
    expect((await run({ files: [listedFile('a'), listedFile('b')], config: { max_files: 2 } })).warnings).toEqual([]);
  });

  test('a withheld document is not one too many for max_files', async () => {
    const files = [listedFile('a'), listedFile('b', { allowedUsers: ['eve'] })];
    const asBob = { owner: 'bob', readers: ['bob'], config: { max_files: 1 } };
    const { run } = createIngestJob();
    expect(await run({ files, ...asBob })).toMatchObject({ added: 1, withheld: 1, warnings: [] });
    const [warning] = (await run({ files: [...files, listedFile('c')], ...asBob })).warnings;
    expect(warning).toContain('more than 1 document;');
  });

  const choices = [
    { connection_params: { include_filter: ['b*'] } },
    { provider_config: { exclude_filter: 'a*' } },
    { exclude_patterns: 'a*' },
    { connection_params: { prefix: 'reports/b' } },
  ];
  test.each(choices)('withheld documents are not counted where the settings choose by name: %j', async (config) => {
    const files = [listedFile('b', { allowedUsers: ['eve'] })];
    const asBob = { owner: 'bob', readers: ['bob'] };
    const nothing = await createIngestJob().run({ files: [], ...asBob, config });
    expect(await createIngestJob().run({ files, ...asBob, config })).toEqual(nothing);
    const folder = { connection_params: { prefix: 'reports/' } };
    expect(await createIngestJob().run({ files, ...asBob, config: folder })).toMatchObject({ withheld: 1 });
  });
});
