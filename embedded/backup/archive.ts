import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { Content } from './contents';
import { createDamageError, readTar, tarEnd, type TarEntry, writeTarHeader, writeTarPadding } from './tar';

/** The format that is written, and the highest that is read. */
const format = 1;
const descriptionName = 'docloom-backup.json';
const digestsName = 'SHA256SUMS';
const dataPrefix = 'data/';
const maxDescription = 1_000_000;

/** First entry of a backup. */
export interface Description {
  format: number;
  /** The version of Docloom that wrote it. */
  version: string;
  created_at: string;
  /** True when the installation was running. */
  running: boolean;
  /** Versions of the servers that wrote the files, by server. */
  servers: Record<string, string>;
}

/** Number and total size of the files in a backup. */
export interface Counts {
  files: number;
  bytes: number;
}

/**
 * Writes a tar archive: the description, the contents below `data/`, and their SHA-256 digests as `sha256sum --check` reads them.
 * Does not end `out`.
 */
export async function writeArchive(
  out: Writable,
  description: Omit<Description, 'format'>,
  { root, contents }: { root: string; contents: readonly Content[] },
): Promise<Counts> {
  const counts: Counts = { files: 0, bytes: 0 };
  const sums: string[] = [];
  await writeText(out, descriptionName, `${JSON.stringify({ format, ...description }, null, 2)}\n`);
  for (const content of contents) {
    const name = `${dataPrefix}${content.name}`;
    if (content.type === 'directory') {
      await writeChunk(out, writeTarHeader({ ...content, name: `${name}/`, size: 0 }));
      continue;
    }
    const { size, digest } = await writeFile(out, path.join(root, content.name), { ...content, name });
    sums.push(`${digest}  ${name}\n`);
    counts.files += 1;
    counts.bytes += size;
  }
  await writeText(out, digestsName, sums.join(''));
  await writeChunk(out, tarEnd);
  return counts;
}

/** Takes the contents of a backup. Their names are checked: relative, and inside of the data folder. */
export interface Sink {
  folder(name: string, entry: TarEntry): Promise<void>;
  /** Consumes the content. */
  file(name: string, entry: TarEntry, content: AsyncIterable<Buffer>): Promise<void>;
}

/**
 * Reads an archive of `writeArchive` and passes its contents to `sink`. Throws BACKUP_INVALID if it has a later format, is
 * incomplete, or was changed; the data in the sink is then useless.
 */
export async function readArchive(
  stream: Readable,
  begin: (description: Description) => Sink,
): Promise<{ description: Description; counts: Counts }> {
  const counts: Counts = { files: 0, bytes: 0 };
  const digests = new Map<string, string>();
  let description: Description | undefined;
  let sink: Sink | undefined;
  let sums: string | undefined;
  for await (const entry of readTar(stream)) {
    if (!description || !sink) {
      description = await readDescription(entry);
      sink = begin(description);
    } else if (entry.name === digestsName) sums = (await readContent(entry)).toString('utf8');
    else if (entry.type === 'directory') await sink.folder(validateName(entry), entry);
    else {
      const hash = createHash('sha256');
      await sink.file(validateName(entry), entry, hashWhileReading(entry, hash));
      digests.set(entry.name, hash.digest('hex'));
      counts.files += 1;
      counts.bytes += entry.size;
    }
  }
  if (!description || sums === undefined) throw createDamageError('it ends too early');
  compareDigests(digests, sums);
  return { description, counts };
}

async function readDescription(entry: TarEntry): Promise<Description> {
  if (entry.name !== descriptionName || entry.size > maxDescription)
    throw createDamageError('it is not a backup of Docloom');
  const description = JSON.parse((await readContent(entry)).toString('utf8')) as Description;
  if (!(description.format >= 1)) throw createDamageError('it does not state its format');
  if (description.format > format)
    throw createDamageError(
      `its format is ${description.format}, and this version reads up to ${format}; use Docloom ${description.version} or later`,
    );
  return description;
}

function compareDigests(digests: ReadonlyMap<string, string>, sums: string): void {
  const expected = new Map<string, string>();
  // A line is `<digest>  <name>`, as sha256sum writes it.
  for (const line of sums.split('\n').filter(Boolean)) {
    const [digest = ''] = line.split('  ', 1);
    expected.set(line.slice(digest.length + 2), digest);
  }
  const wrong = [...digests].find(([name, digest]) => expected.get(name) !== digest)?.[0];
  if (wrong !== undefined) throw createDamageError(`'${wrong}' is not as it was written`);
  const missing = [...expected.keys()].find((name) => !digests.has(name));
  if (missing !== undefined) throw createDamageError(`'${missing}' is missing`);
}

function validateName({ name }: TarEntry): string {
  const inner = name.slice(dataPrefix.length).replace(/\/$/, '');
  const isInside =
    name.startsWith(dataPrefix) &&
    inner !== '' &&
    !inner.split('/').some((part) => part === '' || part === '.' || part === '..');
  if (!isInside || inner.includes('\0'))
    throw createDamageError(`it names '${name}', which is outside of the data folder`);
  return inner;
}

async function* hashWhileReading(entry: TarEntry, hash: ReturnType<typeof createHash>): AsyncGenerator<Buffer> {
  for await (const chunk of entry.content()) {
    hash.update(chunk);
    yield chunk;
  }
}

async function readContent(entry: TarEntry): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of entry.content()) parts.push(part);
  return Buffer.concat(parts);
}

async function writeText(out: Writable, name: string, text: string): Promise<void> {
  const body = Buffer.from(text);
  await writeChunk(
    out,
    writeTarHeader({ name, type: 'file', size: body.length, mode: 0o600, mtime: Date.now() / 1000 }),
  );
  await writeChunk(out, Buffer.concat([body, writeTarPadding(body.length)]));
}

async function writeFile(out: Writable, file: string, content: Content): Promise<{ size: number; digest: string }> {
  const handle = await open(file, 'r');
  try {
    // A linked file that its writer had not finished may still grow.
    const { size } = await handle.stat();
    const hash = createHash('sha256');
    await writeChunk(out, writeTarHeader({ ...content, size }));
    let written = 0;
    if (size > 0) {
      const stream = handle.createReadStream({ autoClose: false, end: size - 1, highWaterMark: 256 * 1024 });
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        hash.update(chunk);
        written += chunk.length;
        await writeChunk(out, chunk);
      }
    }
    if (written !== size) throw createDamageError(`'${content.name}' became shorter while it was read`);
    await writeChunk(out, writeTarPadding(size));
    return { size, digest: hash.digest('hex') };
  } finally {
    await handle.close();
  }
}

async function writeChunk(out: Writable, chunk: Buffer): Promise<void> {
  if (chunk.length > 0 && !out.write(chunk)) await once(out, 'drain');
}
