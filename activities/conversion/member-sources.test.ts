import { strToU8, zipSync } from 'fflate';
import { buildDefaultConvertOptions } from '../../model/conversion/request/options';
import { AppError } from '../../model/errors';
import { findMembers } from '../../threads/conversion/members';
import type { ConvertDeps } from './deps';
import { createMemberBudget, findMemberRules, openSource } from './member-sources';

/** Stored files, and members as a conversion thread finds them. */
function getDeps(stored: Record<string, Uint8Array>, maxFileSize = 0) {
  const files = new Map(Object.entries(stored));
  const deps = {
    files: {
      get: async (key: string) => files.get(key)!.slice(),
      put: async (key: string, bytes: Uint8Array) => void files.set(key, bytes),
    },
    members: {
      async find(task: Parameters<ConvertDeps['members']['find']>[0]) {
        const answer = await findMembers(task);
        if ('failure' in answer) throw new AppError(answer.failure.code, answer.failure.message);
        return answer.found;
      },
    },
    settings: { maxFileSize },
  } as unknown as ConvertDeps;
  return { deps, files };
}
const createZip = (files: Record<string, string>) =>
  zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])));
const getOptions = (members: 'none' | 'archives' | 'all') => ({
  options: { ...buildDefaultConvertOptions(), members },
});

function open(
  bytes: Uint8Array,
  change: { name?: string; left?: { files: number; bytes: number }; max?: number } = {},
) {
  const { name = 'papers.zip', max } = change;
  const { deps, files } = getDeps({ upload: bytes }, max);
  const rules = findMemberRules(getOptions('all'))!;
  const left = change.left ?? createMemberBudget(rules);
  const source = { kind: 'file', key: 'upload', filename: name, size: bytes.length } as const;
  const common = { taskId: 't', index: 0, source, rules, password: undefined, signal: new AbortController().signal };
  return { left, files, open: () => openSource(deps, { ...common, left }) };
}

test('opens only what the request needs', () => {
  expect(findMemberRules(getOptions('none'))).toBeUndefined();
  expect(findMemberRules(getOptions('archives'))).toMatchObject({
    archives: true,
    attachments: false,
    maxFiles: 1_000,
  });
  expect(findMemberRules(getOptions('all'))).toMatchObject({ archives: true, attachments: true });
});

test('an archive is replaced by its files, whose bytes are stored under the same keys each time', async () => {
  const { open: again, files, left } = open(createZip({ 'a.md': '# A', '2024/b.md': '# B' }));
  const first = await again();
  expect(first).toEqual([
    {
      kind: 'file',
      key: expect.stringMatching(/^conversions\/t\/members\/0\//),
      filename: 'papers.zip!/a.md',
      size: 3,
    },
    { kind: 'file', key: expect.any(String), filename: 'papers.zip!/2024/b.md', size: 3 },
  ]);
  const keys = first.map((source) => ('key' in source ? source.key : ''));
  expect(keys.map((key) => Buffer.from(files.get(key)!).toString())).toEqual(['# A', '# B']);
  expect(left).toMatchObject({ files: 998 });
  expect(await again()).toEqual(first);
});

test('a document comes before its attachments; a file without members yields itself', async () => {
  const mail =
    'From: a@b.example\r\nSubject: x\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nHi\r\n' +
    '--b\r\nContent-Type: text/csv; name=a.csv\r\nContent-Disposition: attachment; filename=a.csv\r\n\r\nx;y\r\n--b--\r\n';
  const sources = await open(strToU8(mail), { name: 'a.eml' }).open();
  expect(sources.map((source) => ('filename' in source ? source.filename : ''))).toEqual(['a.eml', 'a.eml!/a.csv']);
  expect(await open(strToU8('# A'), { name: 'a.md' }).open()).toEqual([
    { kind: 'file', key: 'upload', filename: 'a.md', size: 3 },
  ]);
});

test('a member that is damaged, too large or beyond the maximum number fails alone with its code; the budget of a task covers all sources', async () => {
  const getCode = async (bytes: Uint8Array, change: Parameters<typeof open>[1] = {}) => {
    const [first, ...more] = await open(bytes, change).open();
    expect(more).toEqual([]);
    return first?.kind === 'unreadable' ? first.code : first?.kind;
  };
  const archive = createZip({ 'a.md': '# A', 'b.md': '# B' });
  expect(await getCode(archive.slice(0, 20))).toBe('DOCUMENT_CORRUPT');
  expect(await getCode(archive, { left: { files: 1, bytes: 1_000 } })).toBe('DOCUMENT_TOO_LARGE');
  expect(await getCode(archive, { max: 10 })).toBe('SOURCE_TOO_LARGE');
  const narrow = await open(createZip({ 'a.md': '#'.repeat(50) }), { left: { files: 9, bytes: 20 } }).open();
  expect(narrow).toEqual([expect.objectContaining({ kind: 'unreadable', code: 'DOCUMENT_TOO_LARGE' })]);
});
