import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Client, createClient } from '../../client';
import { createTokens } from '../../services/login/tokens';
import { title, writeBlocks } from '../support/prose';
import { createRandom } from '../support/random';
import { type BenchStack, benchFolder } from '../support/stack';
import { writeMarkdown } from '../support/write-markdown';

/** What each part of the benchmark gets. */
export interface ScaleBench {
  stack: BenchStack;
  dataDir: string;
  /** The number given with this option. */
  size: (
    name: 'files' | 'converted' | 'workers' | 'tenants' | 'documents' | 'callers' | 'streams' | 'minutes' | 'pause',
  ) => number;
  say: (line: string) => void;
}

/** A token of the user, signed with the key of the installation. */
export function issueToken({ dataDir }: ScaleBench, username: string, groups: string[] = []): string {
  const secret = process.env['JWT_SECRET_KEY'] ?? readFileSync(path.join(dataDir, 'jwt-secret'), 'utf8').trim();
  return createTokens({ secret, expireMinutes: 600 }).issue({ username, email: '', full_name: '', groups });
}

export function createUserClient(bench: ScaleBench, username: string, groups?: string[]): Client {
  return createClient({ baseUrl: bench.stack.info.apiAddress, token: issueToken(bench, username, groups) });
}

/** Writes Markdown files of about 300 to 3,000 characters, a thousand in each folder. The folder is emptied first. */
export async function writeSmallFiles({ dataDir }: ScaleBench, name: string, count: number): Promise<string> {
  const folder = path.join(benchFolder(dataDir), name);
  await rm(folder, { recursive: true, force: true });
  for (let from = 0; from < count; from += filesPerFolder) await writeSubfolder(folder, from, count);
  return folder;
}

/** Files of one subfolder. */
const filesPerFolder = 1_000;

/** Writes the files from this index on that share a folder, of `count` files in all. Returns their indexes. */
export async function writeSubfolder(folder: string, from: number, count: number): Promise<number[]> {
  await mkdir(path.dirname(getSmallFile(folder, from)), { recursive: true });
  const indexes = Array.from(
    { length: Math.min(filesPerFolder - (from % filesPerFolder), count - from) },
    (_, index) => from + index,
  );
  await Promise.all(indexes.map((index) => writeSmallFile(folder, index)));
  return indexes;
}

/** The content depends on index and edition only. */
export function writeSmallFile(folder: string, index: number, edition = 0): Promise<void> {
  const random = createRandom(index + 1_000_003 * edition);
  const text = writeMarkdown(writeBlocks(random, random.magnitude(300, 3_000)));
  return writeFile(getSmallFile(folder, index), `# ${title(random)} ${index}\n\n${text}`);
}

export function getSmallFile(folder: string, index: number): string {
  return path.join(folder, String(Math.floor(index / filesPerFolder)).padStart(4, '0'), `${index}.md`);
}

/** Open files and sockets of a process. */
export function countHandles(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}
