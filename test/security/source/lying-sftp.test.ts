import type { Attributes, FileEntry, SFTPWrapper } from 'ssh2';
import type { SourceEntry } from '../../../services/source/source';
import { sftpFixture } from '../../support/sources/sftp';

/** SSH servers that a flow names, and that answer the listing of a folder with what fills the memory of a worker, or never ends. */
const { signal } = new AbortController();

/** Lists a folder whose portions are these; the last one is repeated endlessly. */
async function list(portions: readonly FileEntry[][]): Promise<{ entries: SourceEntry[]; answers: number }> {
  let answers = 0;
  const fixture = await sftpFixture((sftp: SFTPWrapper) => {
    sftp.removeAllListeners('READDIR');
    sftp.on('READDIR', (id) => {
      const portion = portions[Math.min(answers, portions.length - 1)];
      answers += 1;
      if (portion) sftp.name(id, portion);
      else sftp.status(id, 1);
    });
  });
  const entries: SourceEntry[] = [];
  try {
    const { sources, config, provider } = fixture;
    for await (const entry of sources.list(provider, config, signal)) entries.push(entry);
  } catch (error) {
    throw Object.assign(error as Error, { answers });
  } finally {
    await fixture.close();
  }
  return { entries, answers };
}

const file: Attributes = { mode: 0o100644, uid: 0, gid: 0, size: 1, atime: 0, mtime: 0 };
const named = (filename: string, attrs = file): FileEntry => ({ filename, longname: '', attrs });

test('long names without end are refused before they fill the memory', async () => {
  const portion = Array.from({ length: 10 }, (_, index) => named(`${index}${'x'.repeat(20_000)}`));
  const error = await list([portion]).catch((refused: unknown) => refused);
  expect(error).toMatchObject({ code: 'SOURCE_TOO_LARGE', message: expect.stringMatching(/characters together/) });
  expect((error as { answers: number }).answers).toBeLessThan(400);
});

test('a file without attributes is listed, and does not end the listing', async () => {
  const bare = named('bare.md', { mode: 0o100644 } as Attributes);
  let isFirst = true;
  const fixture = await sftpFixture((sftp) => {
    sftp.removeAllListeners('READDIR');
    sftp.on('READDIR', (id) => {
      if (isFirst) sftp.name(id, [bare, named('b.md')]);
      else sftp.status(id, 1);
      isFirst = false;
    });
  });
  const names: string[] = [];
  for await (const { name, modifiedTime } of fixture.sources.list(fixture.provider, fixture.config, signal))
    names.push(`${name} ${modifiedTime}`);
  await fixture.close();
  expect(names).toEqual(['b.md 1970-01-01T00:00:00.000Z', 'bare.md ']);
});
