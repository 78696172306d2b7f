import { AppError } from '../../model/errors';
import type { FoundMembers } from '../../services/conversion/members';
import { createIngestJob, listedFile } from '../../test/support/operators/ingest-job';

describe('files within files', () => {
  const zip = (...members: (string | FoundMembers['members'][number])[]): FoundMembers => ({
    isContainer: true,
    members: members.map((member) =>
      typeof member === 'string' ? { path: member, size: 3, hash: `hash of ${member}` } : member,
    ),
  });
  const box = listedFile('box.zip', { allowedUsers: ['alice'], metadata: { relative_path: 'box.zip', file_id: 'f1' } });

  test('are documents with the access list of their file and a path within it; the archive itself is not a document', async () => {
    const { rows, added } = await createIngestJob().run({
      files: [box],
      holds: { 'box.zip': zip('a.pdf', 'in/b.txt') },
    });
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

  test('a mail is a document in addition to its attachments', async () => {
    const mail = { isContainer: false, members: zip('offer.pdf').members };
    const { names, rows } = await createIngestJob().run({ files: [listedFile('m.eml')], holds: { 'm.eml': mail } });
    expect(names).toEqual(['m.eml', 'offer.pdf']);
    expect(rows[1]?.parent_id).toBe(rows[0]?.id);
  });

  test('PDF files are opened for their attachments only on request, and then with the access list of the PDF', async () => {
    const pdf = listedFile('report.pdf', { allowedUsers: ['alice'] });
    const holds = { 'report.pdf': { isContainer: false, members: zip('figures.csv').members } };
    const { run } = createIngestJob();
    const usual = await run({ files: [pdf], holds });
    expect([usual.names, usual.reads]).toEqual([['report.pdf'], []]);
    const asked = await run({ files: [pdf], holds, config: { members: { pdf_attachments: true } } });
    expect(asked.names).toContain('figures.csv');
    expect(asked.rows.at(-1)).toMatchObject({ path: '/data/report.pdf!/figures.csv', allowed_users: ['alice'] });
    // Without the setting, its documents go.
    const off = await run({ files: [pdf], holds });
    expect(off.gone.map(({ name }) => name)).toEqual(['figures.csv']);
  });

  test('unchanged files and members are not read; force_ingest and a changed access list read them again', async () => {
    const { run } = createIngestJob();
    const setting = { files: [box, listedFile('m.eml')], holds: { 'box.zip': zip('a.pdf', 'b.txt') } };
    await run(setting);
    const again = await run(setting);
    expect(again).toMatchObject({ names: [], reads: [], gone: [] });
    expect(again.unchanged.map(({ name }) => name).toSorted()).toEqual(['a.pdf', 'b.txt', 'm.eml']);
    expect((await run({ ...setting, forceIngest: true })).names).toEqual(['a.pdf', 'b.txt', 'm.eml']);
    const others = { ...setting, files: [{ ...box, allowedUsers: ['bob'] }, listedFile('m.eml')] };
    expect((await run(others)).names).toEqual(['a.pdf', 'b.txt']);
  });

  test('a changed archive: new and changed members are ingested, and missing ones are removed', async () => {
    const { run } = createIngestJob();
    await run({ files: [box], holds: { 'box.zip': zip('a', 'b', 'c') } });
    const changed = { ...box, size: 99 };
    const members = zip('a', { path: 'b', size: 4, hash: 'other' }, 'd');
    const second = await run({ files: [changed], holds: { 'box.zip': members } });
    expect(second.names).toEqual(['b', 'd']);
    expect(second.gone.map(({ name }) => name)).toEqual(['c']);
  });

  test('if a change does not affect the members, the next run reads nothing', async () => {
    const { run, ledger } = createIngestJob();
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

  test('a member that cannot be extracted fails alone; a damaged archive fails, and its earlier members stay', async () => {
    const { run } = createIngestJob();
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

  test('an archive over max_mb is rejected before it is read', async () => {
    const config = { members: { max_mb: 1 } };
    const { failed, reads } = await createIngestJob().run({ files: [{ ...box, size: 2_000_000 }], config });
    expect(failed).toMatchObject([{ name: 'box.zip', code: 'DOCUMENT_TOO_LARGE' }]);
    expect(reads).toEqual([]);
  });

  test('an archive that the run may not see is not opened, reported or removed', async () => {
    const { run } = createIngestJob();
    const holds = { 'box.zip': zip('secret.txt') };
    await run({ files: [box], holds });
    const other = await run({ files: [{ ...box, size: 97 }], holds, owner: 'eve', readers: ['eve'] });
    expect(other).toMatchObject({ names: [], reads: [], gone: [], failed: [], unchanged: [], withheld: 1 });
  });

  test('a run of another user keeps the access list that an earlier run gave to the members', async () => {
    const { run } = createIngestJob();
    const plain = listedFile('box.zip');
    await run({ files: [plain], holds: { 'box.zip': zip('a') }, owner: 'olga' });
    const eve = await run({
      files: [{ ...plain, size: 97 }],
      holds: { 'box.zip': zip('a', 'b') },
      owner: 'eve',
      readers: ['eve'],
    });
    expect(eve).toMatchObject({ names: [], reads: [], withheld: 1, gone: [] });
  });

  test('a removed member stays removed', async () => {
    const { run, ledger } = createIngestJob();
    const setting = { files: [box], holds: { 'box.zip': zip('a', 'b') } };
    const first = await run(setting);
    ledger.tombstones.add(first.rows[0]?.id ?? '');
    const { names } = await run({ ...setting, forceIngest: true });
    expect(names).toEqual(['b']);
  });

  test('members are not extracted if the flow disables it', async () => {
    const config = { members: { archives: false, attachments: false } };
    const { names, reads } = await createIngestJob().run({
      files: [box, listedFile('m.eml')],
      config,
      holds: { 'box.zip': zip('a') },
    });
    expect(names).toEqual(['box.zip', 'm.eml']);
    expect(reads).toEqual([]);
  });
});
