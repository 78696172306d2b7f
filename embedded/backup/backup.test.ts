import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { tryLock } from '../lock';
import { backup } from './backup';
import { check, restore } from './restore';
import { tarEnd, writeTarHeader, writeTarPadding } from './tar';
import { rejectUnfinishedRestore, buildUnfinishedRestorePath } from './unfinished';

let folder: string;
let dataDir: string;
let file: string;
const place = (...names: string[]) => path.join(folder, ...names);

function write(name: string, text: string): void {
  const target = path.join(dataDir, name);
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, text);
}

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'docloom-backup-'));
  dataDir = place('data');
  file = place('data.backup');
  write('mongo/mongo.mv.db', 'database');
  write('temporal/temporal.db', 'histories');
  write('temporal/temporal.db-wal', 'log');
  write('temporal/temporal.db-shm', 'made again');
  write('temporal/version', '1.9.1\n');
  write('opensearch/data/nodes/0/indices/a/0/index/_0.cfs', 'segment');
  write('opensearch/config/opensearch.yml', 'made again');
  write('store/run/a/b.parquet', 'rows'.repeat(100_000));
  write('store/.tmp/half', 'unfinished');
  write('connection-keys', 'key');
  write('jwt-secret', 'secret');
  write('logs/api.log', 'line');
  write('servers/api.json', '{}');
  mkdirSync(path.join(dataDir, 's3', 'objects', 'empty'), { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const made = (options: Partial<Parameters<typeof backup>[0]> = {}) =>
  backup({ dataDir, file, version: '0.1.0', ...options });

function getFiles(root: string): Record<string, string> {
  const names = readdirSync(root, { recursive: true, withFileTypes: true });
  return Object.fromEntries(
    names
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name))
      .map((name) => [path.relative(root, name), readFileSync(name, 'utf8')]),
  );
}

test('a restored folder has every file except logs, process marks and files that a start creates', async () => {
  const { isEncrypted, wasRunning, files } = await made();
  expect({ isEncrypted, wasRunning, files }).toEqual({ isEncrypted: false, wasRunning: false, files: 8 });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const before = getFiles(dataDir);
  const { description, replaced } = await restore({ dataDir: place('other'), file });
  expect(description).toMatchObject({ format: 1, version: '0.1.0', running: false, servers: { temporal: '1.9.1' } });
  expect(replaced).toBeUndefined();
  const excluded = /^(logs|servers|opensearch\/config|store\/\.tmp)\/|-shm$/;
  expect(getFiles(place('other'))).toEqual(
    Object.fromEntries(Object.entries(before).filter(([name]) => !excluded.test(name))),
  );
  expect(readdirSync(place('other', 's3', 'objects'))).toEqual(['empty']);
  expect(statSync(place('other')).mode & 0o777).toBe(0o700);
});

test('tar and sha256sum of the system read it', async () => {
  await made();
  mkdirSync(place('by-hand'));
  expect(spawnSync('tar', ['-xzf', file, '-C', place('by-hand')]).status).toBe(0);
  expect(spawnSync('sha256sum', ['--check', 'SHA256SUMS'], { cwd: place('by-hand') }).status).toBe(0);
});

test('an encrypted file reveals nothing, and needs its key', async () => {
  await made({ passphrase: 'correct horse battery' });
  expect(readFileSync(file).includes('histories')).toBe(false);
  const other = { dataDir: place('other'), file };
  await expect(restore(other)).rejects.toThrow('is encrypted; name the file of its key');
  await expect(restore({ ...other, passphrase: 'wrong horse battery' })).rejects.toMatchObject({
    code: 'BACKUP_INVALID',
  });
  expect(readdirSync(place('other'))).toEqual([]);
  await restore({ ...other, passphrase: 'correct horse battery' });
  expect(readFileSync(place('other', 'jwt-secret'), 'utf8')).toBe('secret');
  // Three keys of 64 MB each are made.
}, 60_000);

test('existing files and data are not replaced unless requested, and old data are kept aside', async () => {
  await made();
  await expect(made()).rejects.toMatchObject({ code: 'CONFLICT' });
  await made({ overwrite: true });
  write('jwt-secret', 'newer');
  await expect(restore({ dataDir, file })).rejects.toMatchObject({ code: 'CONFLICT' });
  expect(readFileSync(path.join(dataDir, 'jwt-secret'), 'utf8')).toBe('newer');
  const { replaced } = await restore({ dataDir, file, replace: true });
  expect(readFileSync(path.join(dataDir, 'jwt-secret'), 'utf8')).toBe('secret');
  expect(readFileSync(path.join(replaced ?? '', 'jwt-secret'), 'utf8')).toBe('newer');
  // The old data are not part of the next backup.
  const { files } = await made({ overwrite: true });
  expect(files).toBe(8);
});

test('nothing changes if the file is damaged, truncated or not a backup', async () => {
  await made();
  const whole = readFileSync(file);
  const archive = gunzipSync(whole);
  const changed = Buffer.from(archive);
  changed.write('ROWS', archive.indexOf('rowsrows'));
  const cases: Buffer[] = [
    gzipSync(changed),
    gzipSync(archive.subarray(0, archive.indexOf('SHA256SUMS'))),
    whole.subarray(0, whole.length - 200),
    Buffer.from('%PDF-1.7'),
    Buffer.alloc(0),
    gzipSync(Buffer.from('text')),
  ];
  for (const bytes of cases) {
    writeFileSync(file, bytes);
    await expect(restore({ dataDir, file, replace: true })).rejects.toMatchObject({ code: 'BACKUP_INVALID' });
    await expect(check({ file })).rejects.toMatchObject({ code: 'BACKUP_INVALID' });
    expect(readdirSync(dataDir).filter((name) => /^(\.|replaced)/.test(name))).toEqual([]);
    expect(readFileSync(path.join(dataDir, 'jwt-secret'), 'utf8')).toBe('secret');
  }
  writeFileSync(file, whole);
  expect(await check({ file })).toMatchObject({ files: 8 });
});

test.each(['../outside', 'data/../../outside', '/etc/outside', 'data/a/./b', 'data//b', 'data/'])(
  'a file that names %s is not written',
  async (name) => {
    const entry = (called: string, text: string) => {
      const header = writeTarHeader({ name: called, type: 'file', size: text.length, mode: 0o600, mtime: 0 });
      return Buffer.concat([header, Buffer.from(text), writeTarPadding(text.length)]);
    };
    const description = JSON.stringify({ format: 1, version: '0.1.0', created_at: '', running: false, servers: {} });
    writeFileSync(file, gzipSync(Buffer.concat([entry('docloom-backup.json', description), entry(name, 'x'), tarEnd])));
    await expect(restore({ dataDir: place('other'), file })).rejects.toThrow('outside of the data folder');
    expect(readdirSync(place('other'))).toEqual([]);
    expect(existsSync(place('outside'))).toBe(false);
  },
);

test('a later format is refused with the version that reads it', async () => {
  const text = JSON.stringify({ format: 2, version: '3.0.0' });
  const header = writeTarHeader({
    name: 'docloom-backup.json',
    type: 'file',
    size: text.length,
    mode: 0o600,
    mtime: 0,
  });
  writeFileSync(file, gzipSync(Buffer.concat([header, Buffer.from(text), writeTarPadding(text.length), tarEnd])));
  await expect(check({ file })).rejects.toThrow('use Docloom 3.0.0 or later');
});

test('a folder that is in use, incomplete, or has links is rejected', async () => {
  await made();
  const lock = tryLock(path.join(dataDir, 'stack.lock'));
  await expect(restore({ dataDir, file, replace: true })).rejects.toMatchObject({ code: 'ALREADY_RUNNING' });
  await expect(made({ overwrite: true })).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  lock?.release();
  symlinkSync('/etc/passwd', path.join(dataDir, 'store', 'link'));
  await expect(made({ overwrite: true })).rejects.toThrow('is a symbolic link');
  await expect(made({ file: path.join(dataDir, 'inside') })).rejects.toMatchObject({ code: 'CONFLICT' });
  rmSync(path.join(dataDir, 'mongo'), { recursive: true });
  await expect(made({ overwrite: true })).rejects.toThrow("does not hold the database of an installation ('mongo' is");
  expect(readdirSync(folder).toSorted()).toEqual(['data', 'data.backup']);
});

test('a start is refused while a restore is unfinished', () => {
  rejectUnfinishedRestore(dataDir);
  appendFileSync(buildUnfinishedRestorePath(dataDir), '');
  expect(() => rejectUnfinishedRestore(dataDir)).toThrow('was interrupted');
});
