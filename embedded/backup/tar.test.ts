import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { readTar, tarEnd, type TarHeader, writeTarHeader, writeTarPadding } from './tar';

const folder = mkdtempSync(path.join(tmpdir(), 'docloom-tar-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function getEntry(name: string, body: string): Buffer {
  const content = Buffer.from(body);
  const header: TarHeader = { name, type: 'file', size: content.length, mode: 0o640, mtime: 1_700_000_000 };
  return Buffer.concat([writeTarHeader(header), content, writeTarPadding(content.length)]);
}

async function readAll(bytes: Buffer, chunkBytes = 700): Promise<[string, string][]> {
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += chunkBytes) chunks.push(bytes.subarray(at, at + chunkBytes));
  const found: [string, string][] = [];
  for await (const entry of readTar(Readable.from(chunks))) {
    const parts: Buffer[] = [];
    for await (const part of entry.content()) parts.push(part);
    found.push([entry.name, Buffer.concat(parts).toString()]);
  }
  return found;
}

const long = `${'folder/'.repeat(30)}ö-${'x'.repeat(80)}.json`;
const samples: [string, string][] = [
  ['a.txt', 'one'],
  ['empty', ''],
  [long, 'y'.repeat(1537)],
  ['block', 'z'.repeat(512)],
];

test('names of any length and contents of any size survive a round trip', async () => {
  const bytes = Buffer.concat([...samples.map(([name, body]) => getEntry(name, body)), tarEnd]);
  expect(await readAll(bytes)).toEqual(samples);
  expect(await readAll(bytes, 1)).toEqual(samples);
});

test('the tar of the system reads what is written, and its PAX archives can be read', async () => {
  const file = path.join(folder, 'ours.tar');
  writeFileSync(file, Buffer.concat([...samples.map(([name, body]) => getEntry(name, body)), tarEnd]));
  expect(spawnSync('tar', ['-xf', file, '-C', folder]).status).toBe(0);
  for (const [name, body] of samples) expect(readFileSync(path.join(folder, name), 'utf8')).toBe(body);
  const theirs = path.join(folder, 'theirs.tar');
  expect(spawnSync('tar', ['--format=pax', '-cf', theirs, '-C', folder, 'a.txt', long]).status).toBe(0);
  expect(await readAll(readFileSync(theirs))).toEqual([samples[0], samples[2]]);
});

test('skips contents that are not read', async () => {
  const names: string[] = [];
  const bytes = Buffer.concat([...samples.map(([name, body]) => getEntry(name, body)), tarEnd]);
  for await (const { name } of readTar(Readable.from([bytes]))) names.push(name);
  expect(names).toEqual(samples.map(([name]) => name));
});

test('an archive that ends early and a damaged header are rejected', async () => {
  const bytes = Buffer.concat([getEntry('a.txt', 'one'), tarEnd]);
  await expect(readAll(bytes.subarray(0, 600))).rejects.toMatchObject({ code: 'BACKUP_INVALID' });
  const wrong = Buffer.from(bytes);
  wrong[3] = 0x41;
  await expect(readAll(wrong)).rejects.toMatchObject({ code: 'BACKUP_INVALID' });
});
