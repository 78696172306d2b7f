import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { deflateSync, gzipSync } from 'node:zlib';
import { createAddressGuard } from '../../../services/net/address-guard';
import type { SourceEntry } from '../../../services/source/source';
import { createSources } from '../../../services/source/sources';
import { useLyingServer } from '../../support/sources/lying-server';

/** Git servers and repositories that want to end the worker, to fill its memory, or to lead it out of its folder. */
const { signal } = new AbortController();
const sources = createSources({ roots: [], guard: createAddressGuard(['127.0.0.1']) });
const lying = useLyingServer();
const tooLarge = { code: 'SOURCE_TOO_LARGE' };
const invalid = { code: 'INVALID_RESPONSE' };

const getConfig = (url = `${lying.origin}/repository.git`) => ({ connection_params: { repository_url: url } });
async function list(config: object = getConfig()): Promise<SourceEntry[]> {
  const entries: SourceEntry[] = [];
  for await (const entry of sources.list('git', config as Record<string, unknown>, signal)) entries.push(entry);
  return entries;
}

const line = (text: string | Buffer) => {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.from((bytes.length + 4).toString(16).padStart(4, '0')), bytes]);
};
const flush = Buffer.from('0000');
const [commitType, treeType, blobType] = [1, 2, 3] as const;
const names = ['', 'commit', 'tree', 'blob'];
const getName = (type: number, bytes: Buffer) =>
  createHash('sha1').update(`${names[type]} ${bytes.length}\0`).update(bytes).digest();

/** The header of an object in a pack; small types of deltas are followed by their base. */
function encodeHead(type: number, size: number): Buffer {
  const head = [(type << 4) | (size & 15)];
  for (let rest = size >> 4; rest > 0; rest >>= 7) {
    head[head.length - 1]! |= 0x80;
    head.push(rest & 0x7f);
  }
  return Buffer.from(head);
}
const pack = (objects: readonly Buffer[]) => {
  const head = Buffer.from('PACK\0\0\0\u0002\0\0\0\0', 'latin1');
  head.writeUInt32BE(objects.length, 8);
  const body = Buffer.concat([head, ...objects]);
  return Buffer.concat([body, createHash('sha1').update(body).digest()]);
};

const good = Buffer.from('good text');
/** A commit with these entries in its root, and more objects in its pack. */
function repository(entries: readonly [mode: string, name: string, bytes: Buffer][], more: readonly Buffer[] = []) {
  const tree = Buffer.concat(
    entries.map(([mode, name, bytes]) =>
      Buffer.concat([Buffer.from(`${mode} ${name}\0`), getName(mode === '40000' ? treeType : blobType, bytes)]),
    ),
  );
  const commit = Buffer.from(
    `tree ${getName(treeType, tree).toString('hex')}\nauthor a <a@b.c> 1 +0000\ncommitter a <a@b.c> 1 +0000\n\nx\n`,
  );
  const contents = entries.map(([mode, , bytes]) => [mode === '40000' ? treeType : blobType, bytes] as const);
  const unique = new Map(
    [[commitType, commit] as const, [treeType, tree] as const, ...contents].map((object) => [
      getName(object[0], object[1]).toString('hex'),
      object,
    ]),
  );
  const objects = [...unique.values()].map(([type, bytes]) =>
    Buffer.concat([encodeHead(type, bytes.length), deflateSync(bytes)]),
  );
  return { commit: getName(commitType, commit).toString('hex'), pack: pack([...objects, ...more]) };
}

type Repository = ReturnType<typeof repository>;
const advertise = ({ commit }: Repository, head = 'refs/heads/main') =>
  Buffer.concat([
    line('# service=git-upload-pack\n'),
    flush,
    line(`${commit} HEAD\0shallow ofs-delta side-band-64k symref=HEAD:${head}\n`),
    line(`${commit} ${head}\n`),
    flush,
  ]);
const upload = ({ commit, pack: bytes }: Repository) =>
  Buffer.concat([
    line(`shallow ${commit}`),
    flush,
    line('NAK\n'),
    line(Buffer.concat([Buffer.from([1]), bytes])),
    flush,
  ]);

const requests: string[] = [];
function serve(stored: Repository, head?: string): void {
  requests.length = 0;
  lying.answer = (request, response) => {
    requests.push(`${request.method} ${request.url}`);
    request.resume();
    response.end(request.method === 'POST' ? upload(stored) : advertise(stored, head));
  };
}
/** Writes the part again and again until the client leaves. */
function sendWithoutEnd(response: ServerResponse, part: Buffer): void {
  const send = () => void (response.writable && response.write(part, send));
  send();
}

test('an honest repository is listed, and only its branches and its pack are asked for', async () => {
  serve(repository([['100644', 'good.md', good]]));
  const [entry] = await list();
  expect(entry).toMatchObject({ name: 'good.md', size: good.length });
  expect((await sources.read('git', entry?.path ?? '', getConfig(), signal)).toString()).toBe('good text');
  expect(requests).toEqual([
    'GET /repository.git/info/refs?service=git-upload-pack',
    'POST /repository.git/git-upload-pack',
  ]);
});

test('a message about progress of 60 kB takes no time, and that of a failure ends the fetch', async () => {
  const stored = repository([['100644', 'good.md', good]]);
  let message = Buffer.concat([Buffer.from([2]), Buffer.alloc(60_000, 'a')]);
  lying.answer = (request, response) => {
    request.resume();
    const answer = request.method === 'POST' ? Buffer.concat([line(message), upload(stored)]) : advertise(stored);
    response.end(answer);
  };
  expect((await list()).map(({ name }) => name)).toEqual(['good.md']);
  message = Buffer.from('\u0003the disk is full');
  await expect(list()).rejects.toMatchObject({ code: 'EXTERNAL_SERVICE_ERROR' });
});

test.each(['ext::sh -c touch% /tmp/x', 'file:///etc', 'ssh://127.0.0.1/x', '/etc', '-u./x', 'git://127.0.0.1/x'])(
  "'%s' is no address of a repository",
  async (url) => {
    await expect(list(getConfig(url))).rejects.toMatchObject({ code: 'OPERATOR_CONFIGURATION_INVALID' });
  },
);

test('links, submodules and files for git itself are not followed', async () => {
  const target = Buffer.from('/etc/passwd');
  serve(
    repository([
      ['100644', 'alternates', Buffer.from('/etc\n')],
      ['100644', 'config', Buffer.from('[core]\n\tsshCommand = touch /tmp/x\n')],
      ['100644', 'good.md', good],
      ['120000', 'link.md', target],
      ['160000', 'module', good],
    ]),
  );
  const found = await list();
  const documents = found.filter(({ failure, skip }) => !failure && !skip);
  expect(documents.map(({ name }) => name)).toEqual(['alternates', 'config', 'good.md']);
  const at = (found[0]?.path ?? '').replace(/alternates$/, '');
  for (const name of ['link.md', 'module', 'module/x', '../config', 'good.md/../../HEAD'])
    await expect(sources.read('git', `${at}${name}`, getConfig(), signal)).rejects.toMatchObject({
      code: expect.stringMatching(/^SOURCE_(?:GONE|UNREADABLE)$/),
    });
});

test.each(['../evil.md', '..', '.', '.git', 'a/b.md', '/etc/passwd', ''])(
  "an entry of a tree with the name '%s' is no document",
  async (name) => {
    serve(repository([['100644', name, Buffer.from('evil')]]));
    const found = await list().catch(() => []);
    expect(found.filter(({ failure, incomplete }) => !failure && !incomplete)).toEqual([]);
  },
);

test('a branch whose name leads out of the folder of the clone is written nowhere', async () => {
  const file = `docloom-escape-${process.pid}`;
  serve(repository([['100644', 'good.md', good]]), `refs/heads/../../../../${file}`);
  await expect(list()).rejects.toMatchObject({ code: 'EXTERNAL_SERVICE_ERROR' });
  for (const folder of [os.tmpdir(), path.dirname(os.tmpdir()), process.cwd()])
    expect(existsSync(path.join(folder, file))).toBe(false);
});

test('a redirect to another server gets no request', async () => {
  lying.answer = (_request, response) => response.writeHead(302, { location: `${lying.otherOrigin}/x` }).end();
  await expect(list()).rejects.toMatchObject({ code: 'SOURCE_UNREADABLE' });
  expect(lying.stolen).toEqual([]);
});

test('branches without end are refused, and so is a small answer that becomes a large one', async () => {
  const branches = Buffer.concat(
    Array.from({ length: 1_000 }, (_, index) => line(`${'a'.repeat(40)} refs/heads/${index}${'x'.repeat(900)}\n`)),
  );
  lying.answer = (_request, response) => sendWithoutEnd(response, branches);
  await expect(list()).rejects.toMatchObject(tooLarge);
  const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024, '0'));
  lying.answer = (_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
  await expect(list()).rejects.toMatchObject(tooLarge);
});

test('millions of empty lines are refused', async () => {
  const lines = Buffer.from('0000'.repeat(2_000_000));
  lying.answer = (_request, response) => response.end(lines);
  await expect(list()).rejects.toMatchObject(invalid);
});

test.each([
  ['of itself, by its distance', (_base: Buffer) => Buffer.concat([encodeHead(6, 4), Buffer.from([0])])],
  [
    'that makes its base again, by its name',
    (base: Buffer) => Buffer.concat([encodeHead(7, 4), getName(blobType, base)]),
  ],
])('a delta %s does not hold the worker', async (_name, encode) => {
  const same = deflateSync(Buffer.from([good.length, good.length, 0x90, good.length]));
  serve(repository([['100644', 'good.md', good]], [Buffer.concat([encode(good), same])]));
  await expect(list()).rejects.toMatchObject(invalid);
});

test('a file that is larger than its pack says is refused', async () => {
  const stored = repository([['100644', 'good.md', good]]);
  const lie = Buffer.concat([encodeHead(blobType, 4), deflateSync(Buffer.alloc(64 * 1024 * 1024))]);
  serve({ ...stored, pack: pack([lie]) });
  await expect(list()).rejects.toMatchObject(tooLarge);
});

/** The distance from a delta back to its base, as packs write it. */
function encodeDistance(distance: number): Buffer {
  const bytes = [distance & 0x7f];
  for (let rest = distance >> 7; rest > 0; rest >>= 7) bytes.unshift(0x80 | ((rest -= 1) & 0x7f));
  return Buffer.from(bytes);
}

test('a run that is cancelled does not wait until thousands of deltas of a large object are resolved', async () => {
  // The library does not keep objects of this size, and unpacks this one again for each delta.
  const large = Buffer.alloc(9 * 1024 * 1024, 'x');
  const objects = [Buffer.concat([encodeHead(blobType, large.length), deflateSync(large)])];
  let distance = objects[0]?.length ?? 0;
  for (let index = 0; index < 2_000; index += 1) {
    const changes = Buffer.from([0x80, 0x80, 0xc0, 4, 3, 0x90, 1, 2, index & 255, index >> 8]);
    const delta = Buffer.concat([encodeHead(6, changes.length), encodeDistance(distance), deflateSync(changes)]);
    objects.push(delta);
    distance += delta.length;
  }
  serve(repository([['100644', 'good.md', good]], objects));
  const cancelling = new AbortController();
  const work = (async () => {
    for await (const _entry of sources.list('git', getConfig(), cancelling.signal));
  })();
  const cancelled = new Error('cancelled');
  setTimeout(() => cancelling.abort(cancelled), 3_000);
  const { user: before } = process.cpuUsage();
  await expect(work).rejects.toBe(cancelled);
  const processorSeconds = (process.cpuUsage().user - before) / 1e6;
  expect(processorSeconds).toBeLessThan(10);
});
