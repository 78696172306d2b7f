import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { formatBytes } from './progress';
import { createServerError } from './server';

const reportEveryMs = 10_000;

/** An official file with its checksum: a fixed one, or the list that the vendor publishes next to it. */
export interface Download {
  url: string;
  algorithm: 'sha256' | 'sha512';
  checksum?: string;
  checksumUrl?: string;
}

const unreachableHosts = new Map<string, string>();

/** Downloads and verifies the file and returns its size. A host that could not be reached is not retried in this process. */
export async function download(
  title: string,
  file: Download,
  target: string,
  { log, connectMs = 4000 }: { log: (line: string) => void; connectMs?: number },
): Promise<number> {
  const expected = file.checksum ?? (await readPublishedChecksum(title, file, connectMs));
  const response = await request(title, file.url, connectMs);
  const total = Number(response.headers.get('content-length') ?? 0);
  let received = 0;
  let reported = Date.now();
  const meter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      received += chunk.length;
      if (Date.now() - reported > reportEveryMs) {
        reported = Date.now();
        log(`${title}: ${formatBytes(received)}${total > 0 ? ` of ${formatBytes(total)}` : ''} downloaded`);
      }
      done(null, chunk);
    },
  });
  await pipeline(
    Readable.fromWeb(response.body as import('node:stream/web').ReadableStream),
    meter,
    createWriteStream(target),
  );
  const actual = await computeHash(target, file.algorithm);
  if (actual !== expected)
    throw createServerError(
      title,
      `${file.url} has ${file.algorithm} ${actual}, but ${expected} was expected; it is not used`,
    );
  return received;
}

/** Finds our file in a checksum list (`<hash>  <name>`). The list may also be a single hash. */
export function findChecksum(list: string, fileName: string): string | undefined {
  for (const line of list.split('\n')) {
    const [hash, name] = line.trim().split(/\s+\*?/);
    if (hash && /^[0-9a-f]{64,128}$/i.test(hash) && (name === undefined || name.replace(/^.*\//, '') === fileName))
      return hash.toLowerCase();
  }
  return undefined;
}

async function readPublishedChecksum(title: string, file: Download, connectMs: number): Promise<string> {
  if (!file.checksumUrl) throw createServerError(title, `no checksum of ${file.url} is known`);
  const list = await (await request(title, file.checksumUrl, connectMs)).text();
  const checksum = findChecksum(list, new URL(file.url).pathname.replace(/^.*\//, ''));
  if (!checksum) throw createServerError(title, `${file.checksumUrl} does not name the file`);
  return checksum;
}

async function request(title: string, url: string, connectMs: number): Promise<Response> {
  const { host } = new URL(url);
  const earlierError = unreachableHosts.get(host);
  if (earlierError) throw createServerError(title, earlierError);
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), connectMs);
  try {
    const response = await fetch(url, { signal: abort.signal, redirect: 'follow' });
    if (!response.ok) throw createServerError(title, `${url} answered ${response.status}`);
    return response;
  } catch (error) {
    if (error instanceof Error && error.name === 'AppError') throw error;
    const reason = abort.signal.aborted
      ? `no answer within ${connectMs / 1000} s`
      : ((error as Error & { cause?: { code?: string } }).cause?.code ?? (error as Error).message);
    unreachableHosts.set(host, `${host} cannot be reached (${reason})`);
    throw createServerError(title, `${host} cannot be reached (${reason})`, error);
  } finally {
    clearTimeout(timer);
  }
}

async function computeHash(file: string, algorithm: 'sha256' | 'sha512'): Promise<string> {
  const hash = createHash(algorithm);
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
