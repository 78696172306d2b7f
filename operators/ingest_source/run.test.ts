// Long because every rule of the ingest is tried on one job in memory.
import type { Reader } from '../../model/access';
import { mayRead, principalsOf } from '../../model/access-list';
import { AppError } from '../../model/errors';
import type { Row } from '../../model/flow/row';
import { problemsOf } from '../../model/validate';
import type { Ledger, LedgerEntry } from '../../services/run/ledger';
import type { SourceEntry } from '../../services/source/sources';
import type { OperatorContext, SourceResult } from '../operator';
import type { FoundMembers } from '../../services/conversion/members';
import { runSource } from './run';
import type { Needs } from './take';
import { ingestSource } from './schema';

/** A reader without groups. */
const readerOf = (reader: string | Reader): Reader =>
  typeof reader === 'string' ? { username: reader, principals: principalsOf(reader, []) } : reader;

/** A ledger in memory, which the end of a run fills as the engine does. */
function fakeLedger() {
  const entries = new Map<string, LedgerEntry & { seen: string }>();
  const removed = new Set<string>();
  const ledger: Ledger & { tombstones: Set<string> } = {
    tombstones: removed,
    lookup: async (_job, ids) =>
      new Map(ids.flatMap((id) => (entries.has(id) ? [[id, entries.get(id) as LedgerEntry] as const] : []))),
    members: async (_job, parents) =>
      new Map(parents.map((parent) => [parent, [...entries.values()].filter((one) => one.parent_id === parent)])),
    record: async (_job, added) => {
      for (const entry of added) entries.set(entry.id, { ...entry, seen: entry.run_id });
    },
    markSeen: async (_job, runId, ids) => {
      for (const id of ids) if (entries.has(id)) (entries.get(id) as { seen: string }).seen = runId;
    },
    listGone: async (_job, runId, readers) =>
      [...entries.values()]
        .filter(({ seen }) => seen !== runId)
        .filter((entry) => readers.every((reader) => mayRead(reader, entry)))
        .map(({ id, name }) => ({ id, name })),
    holds: async () => true,
    find: async () => [],
    withContent: async () => [],
    idsOf: async () => [],
    removed: async () => removed,
    remove: async (_job, ids) => {
      for (const id of ids) entries.delete(id);
    },
  };
  return ledger;
}

const file = (name: string, change: Partial<SourceEntry> = {}): SourceEntry => ({
  source: 'file:/data',
  relativePath: name,
  path: `/data/${name}`,
  name,
  mimetype: 'text/plain',
  size: name.length,
  modifiedTime: '2024-01-01T00:00:00.000Z',
  metadata: { relative_path: name, extension: 'txt' },
  ...change,
});

interface Setting {
  files?: SourceEntry[];
  config?: Record<string, unknown>;
  /** What a file's bytes hash to; an error when it cannot be read. */
  hash?: (path: string) => string | AppError;
  forceIngest?: boolean;
  planHash?: string;
  indexes?: Record<string, string>;
  /** Ids of document sets by name. */
  sets?: Record<string, string>;
  jobId?: string;
  owner?: string;
  /** Nobody: the run ingests for everybody. */
  readers?: (string | Reader)[];
  sample?: number;
  /** What the files hold, by name; an error when they cannot be opened. */
  holds?: Record<string, FoundMembers | AppError>;
}

/** One job with its ledger: `run` is a run of the ingest whose rows all end well, or fail when named. */
function job(flow: OperatorContext['run']['flow']['flow'] = []) {
  const ledger = fakeLedger();
  let runs = 0;
  const hashed: string[] = [];
  const reads: string[] = [];
  const run = async (
    {
      files = [],
      config = {},
      hash = (path) => `hash of ${path}`,
      forceIngest = false,
      planHash = 'plan',
      indexes = {},
      sets = {},
      jobId = 'job',
      owner = 'olga',
      readers = [],
      sample,
      holds = {},
    }: Setting,
    failed: string[] = [],
  ) => {
    runs += 1;
    hashed.length = 0;
    reads.length = 0;
    const runId = `run-${runs}`;
    const rows: Row[] = [];
    const context: OperatorContext<Needs> = {
      signal: new AbortController().signal,
      progress: () => undefined,
      operator: 'ingest',
      run: {
        runId,
        jobId,
        owner,
        readers: readers.map(readerOf),
        startedAt: '',
        forceIngest,
        planHash,
        flow: { flow_name: 'f', flow },
        ...(sample === undefined ? {} : { sample }),
      },
      services: {
        ledger,
        search: {
          indexUuids: async (names: readonly string[]) =>
            Object.fromEntries(names.flatMap((name) => (indexes[name] ? [[name, indexes[name]]] : []))),
        } as OperatorContext['services']['search'],
        documentSets: {
          find: async (_owner, key) => ('name' in key && sets[key.name] ? { id: sets[key.name] } : undefined),
        } as OperatorContext['services']['documentSets'],
        members: {
          async find({ name }) {
            const found = holds[name] ?? { isContainer: false, members: [] };
            if (found instanceof AppError) throw found;
            return found;
          },
        },
        sources: {
          async *list() {
            yield* files;
          },
          read: async (_provider, path) => {
            reads.push(path);
            return Buffer.from('may hold an attachment');
          },
          async hash(_provider, path) {
            hashed.push(path);
            const result = hash(path);
            if (result instanceof AppError) throw result;
            return result;
          },
        },
      },
    };
    const result: SourceResult = await runSource(async (row) => void rows.push(row), config, context);
    await ledger.record(
      jobId,
      rows.map((row) => ({
        id: row.id,
        name: row.name,
        size: row.size ?? 0,
        modified_time: row.modified_time ?? '',
        content_hash: row.content_hash ?? '',
        ...(row.source_version ? { source_version: row.source_version } : {}),
        acl_hash: row.acl_hash ?? '',
        status: failed.includes(row.name) ? ('failed' as const) : ('done' as const),
        indexes: {
          ...indexes,
          ...Object.fromEntries(Object.entries(sets).map(([name, id]) => [`document_set:${name}`, id])),
        },
        plan_hash: planHash,
        run_id: runId,
        allowed_users: row.allowed_users ?? [],
        owner,
        ...(row.parent_id === undefined ? {} : { parent_id: row.parent_id }),
        ...(row.member_count === undefined ? {} : { member_count: row.member_count }),
      })),
    );
    return { rows, names: rows.map(({ name }) => name), hashed: [...hashed], reads: [...reads], ...result };
  };
  return { run, ledger };
}

test('a sample run takes exactly so many documents, reads no others, and passes over removed ones', async () => {
  const { run, ledger } = job();
  const files = Array.from({ length: 2_000 }, (_, index) => file(`f${index}.txt`));
  const first = await run({ files: files.slice(0, 3) });
  ledger.tombstones.add(first.rows[0]?.id ?? '');
  const { names, hashed, gone } = await run({ files, sample: 5, forceIngest: true });
  expect(names).toEqual(['f1.txt', 'f2.txt', 'f3.txt', 'f4.txt', 'f5.txt']);
  expect(hashed.length).toBeLessThanOrEqual(5);
  expect(gone).toEqual([]);
});

const vectordb = [{ type: 'vectordb', name: 'index', config: { provider: 'opensearch', index_name: 'docs' } }];

describe('rows', () => {
  test('a new document becomes a row with all that the ledger needs later', async () => {
    const { rows, added, metrics } = await job().run({ files: [file('a.txt', { allowedUsers: ['alice'] })] });
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

  test('ids depend on job, source and path, and on nothing else', async () => {
    const idOf = async (jobId: string, change: Partial<SourceEntry>) =>
      (await job().run({ jobId, files: [file('a', change)], hash: () => JSON.stringify(change) })).rows[0]?.id;
    const id = await idOf('1', {});
    expect(await idOf('1', { size: 9, modifiedTime: 'later', allowedUsers: ['x'], path: '/elsewhere' })).toBe(id);
    expect(
      new Set([
        id,
        await idOf('2', {}),
        await idOf('1', { source: 'file:/d' }),
        await idOf('1', { relativePath: 'b' }),
        await idOf('1', { source: 'file:/dataa', relativePath: '' }),
      ]).size,
    ).toBe(5);
  });

  test('order is that of the source over many pages', async () => {
    const files = Array.from({ length: 1203 }, (_, index) => file(String(index).padStart(5, '0')));
    const { names } = await job().run({ files, hash: (path) => path });
    expect(names).toEqual(files.map(({ name }) => name));
  });

  test('without a list a document is readable by the owner of the run, with an empty one by nobody, and both are counted', async () => {
    const { rows, metrics, warnings } = await job().run({
      files: [file('a'), file('b', { allowedUsers: [] }), file('c', { allowedUsers: ['x'] })],
    });
    expect(rows.map(({ allowed_users }) => allowed_users)).toEqual([['olga'], [], ['x']]);
    expect(metrics).toEqual({ default_access_lists: 1, empty_access_lists: 1 });
    expect(warnings).toEqual(['1 documents have an empty access list; nobody can read them.']);
  });

  test('entries that cannot be taken fail alone, links are skipped', async () => {
    const { names, failed, unchanged } = await job().run({
      files: [
        file('a'),
        file('large', { failure: { code: 'SOURCE_TOO_LARGE', message: 'm' } }),
        file('link', { skip: 'Symbolic links are not followed' }),
        file('torn'),
        file('swollen'),
        file('redirected'),
        file('vanished'),
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
    await expect(job().run({ files: [file('a')], hash: () => outage })).rejects.toBe(outage);
  });

  test('an empty source is a warning', async () => {
    expect(await job().run({})).toMatchObject({
      names: [],
      added: 0,
      warnings: ['The source holds no documents that match the configuration.'],
    });
  });
});

describe('the second run', () => {
  test('skips what is unchanged without reading it', async () => {
    const { run } = job();
    await run({ files: [file('a'), file('b')] });
    const { names, unchanged, hashed, added, changed, warnings } = await run({ files: [file('a'), file('b')] });
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

  test('a version of the source says whether a document is read again, whatever its time', async () => {
    const { run } = job();
    await run({ files: [file('a.txt', { version: '"1"' })] });
    const same = await run({
      files: [file('a.txt', { version: '"1"', modifiedTime: '2025-01-01T00:00:00.000Z', size: 0 })],
    });
    expect(same).toMatchObject({ hashed: [], names: [] });
    const other = await run({ files: [file('a.txt', { version: '"2"' })], hash: () => 'new' });
    expect(other).toMatchObject({ hashed: ['/data/a.txt'], names: ['a.txt'] });
  });

  test('a document without version and time is read to know', async () => {
    const { run } = job();
    const unknown = () => file('a.txt', { modifiedTime: '' });
    const first = await run({ files: [unknown()] });
    expect(first.rows[0]).not.toHaveProperty('modified_time');
    expect(await run({ files: [unknown()] })).toMatchObject({ hashed: ['/data/a.txt'], names: [] });
    expect(await run({ files: [unknown()], hash: () => 'new' })).toMatchObject({ names: ['a.txt'] });
  });

  test('a file that was only touched is read and skipped', async () => {
    const { run } = job();
    await run({ files: [file('a')] });
    const { names, hashed } = await run({ files: [file('a', { modifiedTime: '2025-01-01T00:00:00.000Z' })] });
    expect({ names, hashed }).toEqual({ names: [], hashed: ['/data/a'] });
  });

  test('changed bytes make a row under the same id', async () => {
    const { run } = job();
    const before = await run({ files: [file('a'), file('b')] });
    const after = await run({ files: [file('a', { size: 7 }), file('b')], hash: () => 'other' });
    expect(after).toMatchObject({ names: ['a'], added: 0, changed: 1 });
    expect(after.rows[0]?.id).toBe(before.rows[0]?.id);
  });

  test('a changed access list alone makes a row; another order of the same names does not', async () => {
    const { run } = job();
    await run({ files: [file('a', { allowedUsers: ['x', 'y'] })] });
    expect((await run({ files: [file('a', { allowedUsers: ['y', 'x', 'x'] })] })).names).toEqual([]);
    const { rows, hashed, changed } = await run({ files: [file('a', { allowedUsers: ['x'] })] });
    expect({ users: rows[0]?.allowed_users, hashed, changed }).toEqual({ users: ['x'], hashed: [], changed: 1 });
  });

  test('a document that failed is tried again', async () => {
    const { run } = job();
    await run({ files: [file('a'), file('b')] }, ['b']);
    expect((await run({ files: [file('a'), file('b')] })).names).toEqual(['b']);
    expect((await run({ files: [file('a'), file('b')] })).names).toEqual([]);
  });

  test('force_ingest takes everything again, set for the operator or the run', async () => {
    const { run } = job();
    await run({ files: [file('a')] });
    expect((await run({ files: [file('a')], config: { force_ingest: true } })).names).toEqual(['a']);
    expect((await run({ files: [file('a')], forceIngest: true })).names).toEqual(['a']);
  });

  test('another plan skips all the same, with one warning that counts and names force_ingest', async () => {
    const { run } = job();
    await run({ files: [file('a'), file('b')] });
    const { names, warnings } = await run({ files: [file('a'), file('b')], planHash: 'other' });
    expect(names).toEqual([]);
    expect(warnings).toEqual([expect.stringMatching(/ 2 .*force_ingest/)]);
  });

  test('an index that was lost or made again means ingest again', async () => {
    const { run } = job(vectordb);
    await run({ files: [file('a')], indexes: { docs: 'uuid-1' } });
    expect((await run({ files: [file('a')], indexes: { docs: 'uuid-1' } })).names).toEqual([]);
    expect((await run({ files: [file('a')], indexes: { docs: 'uuid-2' } })).names).toEqual(['a']);
    expect((await run({ files: [file('a')], indexes: {} })).names).toEqual(['a']);
  });

  test('a document set that was deleted or made again means ingest again', async () => {
    const { run } = job([{ type: 'document_set', name: 'set', config: { document_set_name: 'notes' } }]);
    await run({ files: [file('a')], sets: { notes: 'id-1' } });
    expect((await run({ files: [file('a')], sets: { notes: 'id-1' } })).names).toEqual([]);
    expect((await run({ files: [file('a')], sets: { notes: 'id-2' } })).names).toEqual(['a']);
    expect((await run({ files: [file('a')] })).names).toEqual(['a']);
  });

  test('documents that went away are reported', async () => {
    const { run } = job();
    const { rows } = await run({ files: [file('a'), file('b')] });
    expect((await run({ files: [file('a')] })).gone).toEqual([{ id: rows[1]?.id, name: 'b' }]);
  });

  test('an incomplete listing takes nothing for gone, now or at the end of the run', async () => {
    const { run, ledger } = job();
    await run({ files: [file('a'), file('b')] });
    const { gone, warnings } = await run({
      files: [file('a'), file('locked', { incomplete: true, failure: { code: 'SOURCE_UNREADABLE', message: 'm' } })],
    });
    expect(gone).toEqual([]);
    expect(warnings).toEqual(['The listing is incomplete, so 1 earlier documents that it lacks are kept.']);
    expect(await ledger.listGone('job', 'run-2', [])).toEqual([]);
  });

  test('a listing that lacks most earlier documents at once removes none until the flow says so', async () => {
    const { run } = job();
    const files = Array.from({ length: 60 }, (_, index) => file(`f${index}`));
    await run({ files });
    const shrunk = await run({ files: files.slice(0, 20) });
    expect(shrunk.gone).toEqual([]);
    expect(shrunk.warnings).toEqual([
      'The listing lacks 40 of 60 earlier documents, more than max_removed_percent (50) allows, so all of them are kept. Check the source; if they were deleted on purpose, run the flow once with max_removed_percent 100.',
    ]);
    expect((await run({ files: files.slice(0, 35) })).gone).toHaveLength(25);
    expect((await run({ files: files.slice(0, 1), config: { max_removed_percent: 100 } })).gone).toHaveLength(59);
  });

  test('what its owner may no longer read goes even when the listing is incomplete or shrunk', async () => {
    const { run } = job();
    const lists = (user: string) =>
      Array.from({ length: 60 }, (_, index) => file(`f${index}`, { allowedUsers: [user] }));
    await run({ files: lists('bob'), owner: 'bob', readers: ['bob'] });
    const lost = await run({ files: lists('eve'), owner: 'bob', readers: ['bob'] });
    expect(lost.gone).toHaveLength(60);
    await run({ files: lists('bob'), owner: 'bob', readers: ['bob'] });
    const closed = file('closed', { incomplete: true, failure: { code: 'SOURCE_UNREADABLE', message: 'm' } });
    const incomplete = await run({ files: [closed, ...lists('eve').slice(0, 5)], owner: 'bob', readers: ['bob'] });
    expect(incomplete.gone).toHaveLength(5);
  });

  test('max_files cuts, says so, and takes nothing for gone', async () => {
    const { run, ledger } = job();
    await run({ files: [file('a'), file('b'), file('c')] });
    const { unchanged, warnings } = await run({ files: [file('a'), file('b'), file('c')], config: { max_files: 2 } });
    expect(unchanged.length).toBe(2);
    expect(warnings[0]).toBe('The source holds more than 2 documents; max_files cut the listing there.');
    expect(await ledger.listGone('job', 'run-2', [])).toEqual([]);
    expect((await run({ files: [file('a'), file('b')], config: { max_files: 2 } })).warnings).toEqual([]);
  });
});

describe('a run that acts for a person', () => {
  const bobs = { owner: 'bob', readers: ['bob'] };
  const files = [
    file('mine', { allowedUsers: ['alice', 'bob'] }),
    file('theirs', { allowedUsers: ['alice'] }),
    file('nobodys', { allowedUsers: [] }),
    file('loose'),
    file('broken', { failure: { code: 'ACCESS_LIST_INVALID', message: 'm' } }),
    file('big', { allowedUsers: ['alice'], failure: { code: 'SOURCE_TOO_LARGE', message: 'm' } }),
    file('link', { allowedUsers: ['alice'], skip: 'Symbolic links are not followed' }),
  ];

  test('sees what the person may read; the rest is counted and nowhere named', async () => {
    const result = await job().run({ files, ...bobs, config: { allowed_users: ['carol'] } });
    expect(result.rows.map(({ name, allowed_users }) => [name, allowed_users])).toEqual([
      ['mine', ['alice', 'bob']],
      ['loose', ['bob']],
    ]);
    expect(result).toMatchObject({ withheld: 5, unchanged: [], failed: [], gone: [], added: 2 });
    expect(JSON.stringify(result)).not.toMatch(/theirs|nobodys|broken|big|link/);
    expect(result.hashed).toEqual(['/data/mine', '/data/loose']);
  });

  test('of two people it sees what both may read', async () => {
    const both = await job().run({ files, owner: 'bob', readers: ['bob', 'alice'] });
    expect(both.names).toEqual(['mine', 'loose']);
    const { names, withheld } = await job().run({ files, owner: 'alice', readers: ['alice', 'carol'] });
    expect({ names, withheld }).toEqual({ names: ['loose'], withheld: 6 });
  });

  test('what an earlier run for everybody took is neither gone nor re-owned', async () => {
    const { run, ledger } = job();
    const { rows } = await run({ files: files.slice(0, 4), config: { allowed_users: ['carol', 'bob'] } });
    expect(rows.at(-1)).toMatchObject({ name: 'loose', allowed_users: ['carol', 'bob'] });
    const again = await run({ files: files.slice(0, 4), ...bobs });
    expect(again).toMatchObject({ names: [], withheld: 2, gone: [] });
    expect(again.unchanged.map(({ name }) => name)).toEqual(['mine', 'loose']);
    // What went away and could not be seen is not missed either.
    expect((await run({ files: [file('loose')], ...bobs })).gone).toEqual([{ id: rows[0]?.id, name: 'mine' }]);
    expect((await ledger.lookup('job', [rows[1]?.id ?? ''])).get(rows[1]?.id ?? '')?.allowed_users).toEqual(['alice']);
  });

  test('a document that somebody else took for themselves is withheld', async () => {
    const { run } = job();
    await run({ files: [file('loose')], owner: 'alice', readers: ['alice'] });
    expect(await run({ files: [file('loose')], ...bobs })).toMatchObject({ names: [], withheld: 1, gone: [] });
  });

  test('a document that its owner may not read any more is gone from what they had made', async () => {
    const { run } = job();
    const { rows } = await run({ files: [file('a', { allowedUsers: ['bob'] })], ...bobs });
    const again = await run({ files: [file('a', { allowedUsers: ['alice'] })], ...bobs });
    expect(again).toMatchObject({ withheld: 1, gone: [{ id: rows[0]?.id }] });
  });

  test('max_files counts what the run sees', async () => {
    const listed = [...files.slice(1), file('last', { allowedUsers: ['bob'] })];
    expect((await job().run({ files: listed, ...bobs, config: { max_files: 2 } })).names).toEqual(['loose', 'last']);
  });

  test('a run to which everything is withheld says so', async () => {
    const { warnings } = await job().run({ files: files.slice(1, 3), ...bobs });
    expect(warnings).toEqual([
      'All 2 documents of the source are withheld: not everybody whom the run acts for may read them.',
    ]);
  });
});

describe('principals of a list', () => {
  const groups = { allowedUsers: [], allowedPrincipals: ['g:login:staff'], deniedPrincipals: ['u:eve'] };

  test('rows carry them, and a changed group of the list is a change of the document', async () => {
    const { run } = job();
    const { rows } = await run({ files: [file('a', groups)] });
    expect(rows[0]).toMatchObject({
      allowed_users: [],
      allowed_principals: ['g:login:staff'],
      denied_principals: ['u:eve'],
    });
    expect((await run({ files: [file('a', groups)] })).names).toEqual([]);
    expect((await run({ files: [file('a', { ...groups, deniedPrincipals: ['u:bob'] })] })).changed).toBe(1);
    expect((await run({ files: [file('a', { ...groups, allowedPrincipals: ['p:*'] })] })).changed).toBe(1);
  });

  test('a run sees what its people may read by the groups that they have now', async () => {
    const files = [file('staff', groups), file('all', { ...groups, allowedPrincipals: ['p:*'] })];
    const asked = async (readers: Reader[]) => {
      const { names, withheld } = await job().run({ files, owner: 'bob', readers });
      return [names, withheld];
    };
    const withGroups = (name: string, ...own: string[]) => ({ username: name, principals: principalsOf(name, own) });
    expect(await asked([withGroups('bob', 'staff')])).toEqual([['staff', 'all'], 0]);
    expect(await asked([withGroups('bob')])).toEqual([['all'], 1]);
    expect(await asked([withGroups('bob', 'staff'), withGroups('eve', 'staff')])).toEqual([[], 2]);
    expect(await asked([withGroups('g:login:staff')])).toEqual([['all'], 1]);
    expect(await asked([{ username: 'bob' }])).toEqual([[], 2]);
  });

  test('no configuration of a flow gives a document principals', async () => {
    const own = { allowed_principals: ['p:*'], denied_principals: [], principals: ['g:login:staff'] };
    const config = { ...own, connection_params: own, provider_config: own };
    const { rows } = await job().run({ files: [file('a')], config });
    expect(Object.keys(rows[0] ?? {}).filter((name) => name.includes('principals'))).toEqual([]);
    const { rows: mine } = await job().run({ files: [file('a')], config, owner: 'bob', readers: ['bob'] });
    expect(mine[0]).toMatchObject({ allowed_users: ['bob'] });
    expect(Object.keys(mine[0] ?? {}).filter((name) => name.includes('principals'))).toEqual([]);
  });
});

test('a run that ingests for everybody takes the list of the configuration where no other covers a document', async () => {
  const { rows } = await job().run({
    files: [file('a'), file('b', { allowedUsers: ['x'] })],
    config: { connection_params: { allowed_users: ['carol'] } },
  });
  expect(rows.map(({ allowed_users }) => allowed_users)).toEqual([['carol'], ['x']]);
});

describe('validation', () => {
  test.each([
    { provider: 'filesystem', connection_params: { paths: ['/a', '/b'] } },
    { connection_params: { root_path: '/a', recursive: false, exclude_patterns: ['*.tmp'] } },
    {
      provider: 's3',
      connection_params: { bucket: 'b', prefix: 'x/', endpoint_url: 'http://s3.example:9000' },
      credentials: { access_key: '${DOCLOOM_SECRET_A}', secret_key: '${DOCLOOM_SECRET_B}' },
    },
    { provider: 'ibm_cos', provider_config: { bucket: 'b', region: 'eu' } },
    {
      provider: 'http',
      connection_params: { urls: ['https://example.org/a'], headers: { Authorization: '${DOCLOOM_SECRET_T}' } },
    },
    { provider: 'web', connection_params: { sitemaps: 'https://example.org/sitemap.xml', timeout: 5 } },
    { provider_config: { paths: '/a' }, include_filter: 'pdf,md', max_files: 5, allowed_users: [] },
  ])('%j is right', (config) => {
    expect(problemsOf(ingestSource.config, structuredClone(config))).toEqual([]);
    expect(ingestSource.validate(config)).toEqual([]);
  });

  test.each<[Record<string, unknown>, string]>([
    [{ provider: 'ftp', connection_params: { paths: ['/a'] } }, '/provider'],
    [{ provider: 's3', connection_params: { paths: ['/a'] } }, '/connection_params/bucket'],
    [
      { provider: 's3', connection_params: { bucket: 'b', endpoint_url: 'minio:9000' } },
      '/connection_params/endpoint_url',
    ],
    [{ provider: 's3', connection_params: { bucket: 'b' }, credentials: { access_key: 'a' } }, '/credentials'],
    [{ provider: 'http' }, '/connection_params/urls'],
    [{ provider: 'web', connection_params: { urls: ['file:///etc/passwd'] } }, '/connection_params/urls'],
    [{ provider: 'http', connection_params: { sitemaps: 'sitemap.xml' } }, '/connection_params/sitemaps'],
    [{ provider: 7, connection_params: { paths: ['/a'] } }, '/provider'],
    [{ provider: 'filesystem' }, '/connection_params/paths'],
    [{ connection_params: { path: '/a' } }, '/connection_params/paths'],
    [{ paths: ['/a'], connection_params: { exclude_patterns: ['!(keep).md'] } }, '/connection_params/exclude_patterns'],
    [{ paths: ['/a'], include_filter: 'x'.repeat(5_000) }, '/include_filter'],
    [{ connection_params: { paths: [' '] } }, '/connection_params/paths'],
    [{ connection_params: { paths: ['/a\0b'] } }, '/connection_params/paths'],
  ])('%j is reported at its place', (config, pointer) => {
    expect(ingestSource.validate(config)).toEqual([
      { severity: 'error', messageCode: 'OPERATOR_VALIDATION_FAILED', message: expect.any(String) as string, pointer },
    ]);
  });

  test.each([
    { paths: [] },
    { max_files: 0 },
    { max_file_size_mb: -1 },
    { include_filters: 'pdf' },
    { allowed_users: 'alice' },
  ])('the schema refuses %j', (config) => {
    expect(problemsOf(ingestSource.config, structuredClone(config))).not.toEqual([]);
  });
});

describe('files within files', () => {
  const zip = (...members: (string | FoundMembers['members'][number])[]): FoundMembers => ({
    isContainer: true,
    members: members.map((one) => (typeof one === 'string' ? { path: one, size: 3, hash: `hash of ${one}` } : one)),
  });
  const box = file('box.zip', { allowedUsers: ['alice'], metadata: { relative_path: 'box.zip', file_id: 'f1' } });

  test('are documents with the access list of their file and a path within it; the archive is none', async () => {
    const { rows, added } = await job().run({ files: [box], holds: { 'box.zip': zip('a.pdf', 'in/b.txt') } });
    expect(rows).toHaveLength(2);
    expect(rows[1]).toMatchObject({
      name: 'b.txt',
      path: '/data/box.zip!/in/b.txt',
      member_path: 'in/b.txt',
      member_count: 2,
      content_hash: 'hash of in/b.txt',
      allowed_users: ['alice'],
      metadata: { relative_path: 'box.zip!/in/b.txt', extension: 'txt', member_path: 'in/b.txt' },
    });
    expect(rows[1]?.metadata).not.toHaveProperty('file_id');
    expect(new Set(rows.map(({ parent_id }) => parent_id)).size).toBe(1);
    expect(added).toBe(2);
  });

  test('a mail is a document beside its attachments', async () => {
    const mail = { isContainer: false, members: zip('offer.pdf').members };
    const { names, rows } = await job().run({ files: [file('m.eml')], holds: { 'm.eml': mail } });
    expect(names).toEqual(['m.eml', 'offer.pdf']);
    expect(rows[1]?.parent_id).toBe(rows[0]?.id);
  });

  test('nothing is read while file and members are as they were; force_ingest and another list take them again', async () => {
    const { run } = job();
    const setting = { files: [box, file('m.eml')], holds: { 'box.zip': zip('a.pdf', 'b.txt') } };
    await run(setting);
    const again = await run(setting);
    expect(again).toMatchObject({ names: [], reads: [], gone: [] });
    expect(again.unchanged.map(({ name }) => name).toSorted()).toEqual(['a.pdf', 'b.txt', 'm.eml']);
    expect((await run({ ...setting, forceIngest: true })).names).toEqual(['a.pdf', 'b.txt', 'm.eml']);
    const others = { ...setting, files: [{ ...box, allowedUsers: ['bob'] }, file('m.eml')] };
    expect((await run(others)).names).toEqual(['a.pdf', 'b.txt']);
  });

  test('of a changed archive, new and changed members are taken and missing ones are gone', async () => {
    const { run } = job();
    await run({ files: [box], holds: { 'box.zip': zip('a', 'b', 'c') } });
    const changed = { ...box, size: 99 };
    const members = zip('a', { path: 'b', size: 4, hash: 'other' }, 'd');
    const second = await run({ files: [changed], holds: { 'box.zip': members } });
    expect(second.names).toEqual(['b', 'd']);
    expect(second.gone.map(({ name }) => name)).toEqual(['c']);
  });

  test('after a change that left members as they were, the next run reads nothing', async () => {
    const { run, ledger } = job();
    await run({ files: [box], holds: { 'box.zip': zip('a', 'b') } });
    const changed = { files: [{ ...box, size: 99 }], holds: { 'box.zip': zip('a', 'b', 'c') } };
    const second = await run(changed);
    expect(second.names).toEqual(['c']);
    await ledger.remove(
      'job',
      second.gone.map(({ id }) => id),
    );
    expect(await run(changed)).toMatchObject({ names: [], reads: [], gone: [] });
  });

  test('a member that cannot be taken out fails alone, a damaged archive fails and keeps what it held', async () => {
    const { run } = job();
    const problem = { code: 'DOCUMENT_TOO_LARGE' as const, message: 'expands too far' };
    const first = await run({
      files: [box],
      holds: { 'box.zip': zip('a', { path: 'bomb', size: 0, hash: '', problem }) },
    });
    expect(first.names).toEqual(['a']);
    expect(first.failed).toMatchObject([{ name: 'bomb', code: 'DOCUMENT_TOO_LARGE' }]);
    const damaged = new AppError('DOCUMENT_CORRUPT', 'damaged');
    const second = await run({ files: [{ ...box, size: 98 }], holds: { 'box.zip': damaged } });
    expect(second.failed).toMatchObject([{ name: 'box.zip', code: 'DOCUMENT_CORRUPT' }]);
    expect(second.gone).toEqual([]);
  });

  test('an archive beyond max_mb is refused before it is read', async () => {
    const config = { members: { max_mb: 1 } };
    const { failed, reads } = await job().run({ files: [{ ...box, size: 2_000_000 }], config });
    expect(failed).toMatchObject([{ name: 'box.zip', code: 'DOCUMENT_TOO_LARGE' }]);
    expect(reads).toEqual([]);
  });

  test('of an archive that the run may not see nothing is opened, told or removed', async () => {
    const { run } = job();
    const holds = { 'box.zip': zip('secret.txt') };
    await run({ files: [box], holds });
    const other = await run({ files: [{ ...box, size: 97 }], holds, owner: 'eve', readers: ['eve'] });
    expect(other).toMatchObject({ names: [], reads: [], gone: [], failed: [], unchanged: [], withheld: 1 });
  });

  test('a run of another user keeps the list that an earlier run gave to the members', async () => {
    const { run } = job();
    const plain = file('box.zip');
    await run({ files: [plain], holds: { 'box.zip': zip('a') }, owner: 'olga' });
    const eve = await run({
      files: [{ ...plain, size: 97 }],
      holds: { 'box.zip': zip('a', 'b') },
      owner: 'eve',
      readers: ['eve'],
    });
    expect(eve).toMatchObject({ names: [], reads: [], withheld: 1, gone: [] });
  });

  test('a removed member stays away', async () => {
    const { run, ledger } = job();
    const setting = { files: [box], holds: { 'box.zip': zip('a', 'b') } };
    const first = await run(setting);
    ledger.tombstones.add(first.rows[0]?.id ?? '');
    const { names } = await run({ ...setting, forceIngest: true });
    expect(names).toEqual(['b']);
  });

  test('members are left alone where the flow says so', async () => {
    const config = { members: { archives: false, attachments: false } };
    const { names, reads } = await job().run({ files: [box, file('m.eml')], config, holds: { 'box.zip': zip('a') } });
    expect(names).toEqual(['box.zip', 'm.eml']);
    expect(reads).toEqual([]);
  });
});
