import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createRandom } from '../../bench/support/random';
import { normalizeAccessList, type AccessList, mayRead } from '../../model/access-list';
import { createSources } from '../../services/source/sources';

/** Folders and files with access control lists on a real file system: what `cat` may read as each user is what the lists say. */
const users = [50_001, 50_002, 50_003, 50_004];
const groups: Record<string, number[]> = { 60_001: [50_001, 50_002], 60_002: [50_002, 50_003] };
const findGroups = (user: number) => Object.keys(groups).filter((group) => groups[group]!.includes(user));
const random = createRandom(Number(process.env['DOCLOOM_SEED'] ?? 7));
const pick = <T>(all: readonly T[]): T => all[random.integer(0, all.length - 1)]!;
const pickGroup = () => Number(pick(Object.keys(groups)));

let root: string;
const files: string[] = [];
let lists: Map<string, AccessList>;

beforeAll(async () => {
  root = mkdtempSync(path.join(os.tmpdir(), 'docloom-acl-'));
  chmodSync(root, 0o755);
  for (let folder = 0; folder < 16; folder += 1) writeFolder(path.join(root, `${folder} ü\n\\`));
  const members = new Map(Object.entries(groups).map(([group, own]) => [group, new Set(own.map(String))]));
  const map = { map_id: 'fs', places: [`file:${root}`], updated_at: '', updated_by: '', state: {} };
  const rights = { list: async () => [map], listMembers: async () => members };
  const sources = createSources({ roots: [root], rights });
  lists = new Map();
  for await (const entry of sources.list('filesystem', { paths: [root] }, new AbortController().signal))
    lists.set(
      entry.path,
      normalizeAccessList({
        allowed_users: entry.allowedUsers ?? null,
        allowed_principals: entry.allowedPrincipals ?? null,
        denied_principals: entry.deniedPrincipals ?? null,
        required_lists: entry.requiredLists ?? null,
      }),
    );
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

function writeFolder(folder: string): void {
  mkdirSync(folder);
  for (let file = 0; file < 16; file += 1) {
    const name = path.join(folder, `${file} é.md`);
    writeFileSync(name, 'text');
    chownSync(name, pick(users), pickGroup());
    chmodSync(name, pick([0o644, 0o640, 0o600, 0o604, 0o440, 0o400, 0o044, 0o000]));
    setAcl(name, pickEntries('r'));
    files.push(name);
  }
  chownSync(folder, pick(users), pickGroup());
  chmodSync(folder, pick([0o755, 0o750, 0o711, 0o701, 0o710]));
  setAcl(folder, pickEntries('x'));
  // Applies to new files only, not to existing ones.
  if (random.integer(0, 1) === 1) execFileSync('setfacl', ['--default', '--modify', 'u:50001:rwx', folder]);
}

function pickEntries(permission: string): string[] {
  const value = () => pick([permission, '-']);
  return [`u:${pick(users)}:${value()}`, `g:${pickGroup()}:${value()}`, `m::${value()}`].filter(
    () => random.integer(0, 1) === 1,
  );
}

function setAcl(name: string, entries: readonly string[]): void {
  if (entries.length > 0) execFileSync('setfacl', ['--modify', entries.join(','), name]);
}

function findReadable(user: number): Set<string> {
  const own = findGroups(user);
  const as = own.length > 0 ? [`--groups=${own.join(',')}`, `--regid=${own[0]}`] : ['--clear-groups', '--regid=65534'];
  const script = 'cat "$0" >/dev/null 2>&1 && printf "%s\\0" "$0"; true';
  const output = execFileSync('setpriv', [`--reuid=${user}`, ...as, 'xargs', '-0', '-n1', 'sh', '-c', script], {
    input: files.join('\0'),
    encoding: 'utf8',
  });
  return new Set(output.split('\0').filter(Boolean));
}

test.each(users)('the lists of files and folders let user %d read what the file system lets them read', (user) => {
  const readable = findReadable(user);
  const principals = ['i:fs:*', `i:fs:${user}`, ...findGroups(user).map((group) => `g:fs:${group}`)];
  const reader = { username: 'somebody', principals };
  const matchingFiles = files.filter((file) => mayRead(reader, lists.get(file) ?? {}));
  expect(matchingFiles).toEqual(files.filter((file) => readable.has(file)));
  expect(readable.size).toBeGreaterThan(0);
  expect(readable.size).toBeLessThan(files.length);
});
