import { createHash } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { LibraryFile, Upload } from '../../model/document-set/wire-files';
import { uploadPartBytes } from '../../model/document-set/wire-files';
import { alice, bob, carol, startApi, type TestApi } from '../support/api/server';
import { type LibraryStores, manyBytes, openLibraries } from '../support/system/library-fixture';

/** Uploads over HTTP on the real database and store, by hostile clients and over bad connections. */
let stores: LibraryStores;
let api: TestApi;
let libraryId: string;
let libraryPath: string;
beforeAll(async () => {
  stores = openLibraries('folder', { libraryFiles: 1_000, userBytes: 200 * 1024 * 1024 });
  const { documentLibraries, libraryFiles, libraryUploads } = stores;
  api = await startApi({ documentLibraries, libraryFiles, libraryUploads }, { adminGroups: ['admins'] });
  const body = { name: 'Papers', readers: ['bob'] };
  const { body: made } = await api.call('POST', '/api/v1/document-libraries', { user: alice, body });
  libraryId = (made as { library_id: string }).library_id;
  libraryPath = `/api/v1/document-libraries/${libraryId}`;
});
afterAll(async () => {
  await api.close();
  await stores.close();
});

const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex');
const announce = (name: string, content: Uint8Array | string = name, user = alice) =>
  api.call('POST', `${libraryPath}/uploads`, {
    user,
    body: { name, size: Buffer.from(content).length, sha256: sha256(content) },
  });
const getCode = ({ body }: { body: unknown }) => (body as { errors: { code: string }[] }).errors[0]?.code;
async function put(name: string, content: string): Promise<LibraryFile> {
  const { upload_id } = (await announce(name, content)).body as Upload;
  const path = `${libraryPath}/uploads/${upload_id}`;
  await api.call('PUT', `${path}/parts/1`, { user: alice, body: Buffer.from(content) });
  return (await api.call('POST', `${path}/complete`, { user: alice })).body;
}

test.each([
  '../x',
  '..',
  '.acl.json',
  '/etc/passwd',
  'a/../../b',
  '..\\x',
  'con',
  'NUL.txt',
  'ＣＯＭ1.pdf',
  'a\u0000b',
  'a\r\nSet-Cookie: x=1',
  'a\u202egnp.exe',
  'a\u200bb.pdf',
  'é'.repeat(150),
  'x'.repeat(300),
  'blank.pdf ',
])('the name %j is rejected before anything is stored', async (name) => {
  const before = await stores.keysOf(libraryId);
  const reply = await announce(name, 'text');
  expect([reply.status, getCode(reply)]).toEqual([400, 'LIBRARY_FILE_INVALID_NAME']);
  expect(await stores.keysOf(libraryId)).toEqual(before);
});

test('a name with markup and quotes survives a round trip, and its download has the same name', async () => {
  const name = `it's 'quoted'; filename=x.exe & (résumé).txt`;
  const file = await put(name, 'hello');
  const { headers, body } = await api.call('GET', `${libraryPath}/files/${file.file_id}/content`, { user: alice });
  expect(body).toBe('hello');
  const disposition = headers.get('Content-Disposition') ?? '';
  expect(disposition).toMatch(/^attachment; filename\*=UTF-8''[A-Za-z0-9%.!~_-]+$/);
  expect(decodeURIComponent(disposition.split("''")[1] ?? '')).toBe(name);
  expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
  expect(headers.get('Content-Type')).toBe('application/octet-stream');
});

test('unicode twins: two encodings of a character are one name, letter case makes no second file, look-alikes do', async () => {
  const file = await put('re\u0301sume\u0301.txt', 'one');
  expect((await put('résumé.txt', 'two')).file_id).toBe(file.file_id);
  expect(getCode(await announce('RÉSUMÉ.TXT', 'three'))).toBe('LIBRARY_FILE_ALREADY_EXISTS');
  expect(getCode(await announce('ｒésumé.txt', 'three'))).toBe('LIBRARY_FILE_ALREADY_EXISTS');
  expect((await put('r\u0435sum\u0435.txt', 'four')).file_id).not.toBe(file.file_id);
});

test('a part with a wrong length, number or hash is not stored', async () => {
  const { upload_id } = (await announce('big.bin', manyBytes)).body as Upload;
  const path = `${libraryPath}/uploads/${upload_id}/parts`;
  const first = manyBytes.subarray(0, uploadPartBytes);
  const send = (part: string, body: Uint8Array) => api.call('PUT', `${path}/${part}`, { user: alice, body });
  expect(getCode(await send('1', first.subarray(1)))).toBe('UPLOAD_INVALID');
  expect(getCode(await send('3', first))).toBe('UPLOAD_INVALID');
  expect(getCode(await send('4', first))).toBe('UPLOAD_INVALID');
  expect(getCode(await send(`1?sha256=${'0'.repeat(64)}`, first))).toBe('UPLOAD_INVALID');
  expect(getCode(await send('1', Buffer.alloc(uploadPartBytes + 1)))).toBe('PAYLOAD_TOO_LARGE');
  expect(getCode(await send('0', first))).toBe('VALIDATION_ERROR');
  expect(getCode(await send('one', first))).toBe('VALIDATION_ERROR');
  const json = await api.call('PUT', `${path}/1`, { user: alice, body: { bytes: 1 } });
  expect([json.status, getCode(json)]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  const { body } = await api.call('GET', `${libraryPath}/uploads/${upload_id}`, { user: alice });
  expect((body as Upload).missing_parts).toEqual([1, 2, 3]);
  expect((await stores.keysOf(libraryId)).filter((key) => key.includes(upload_id))).toEqual([]);
});

test('a part that is sent again with other bytes replaces the earlier bytes, and so does a whole with another hash', async () => {
  const { upload_id } = (await announce('again.bin', 'first')).body as Upload;
  const path = `${libraryPath}/uploads/${upload_id}`;
  const send = (text: string) => api.call('PUT', `${path}/parts/1`, { user: alice, body: Buffer.from(text) });
  const listKeys = async () => (await stores.keysOf(libraryId)).filter((key) => key.includes(upload_id));
  for (const text of ['other', 'third', 'fifth', 'third']) expect((await send(text)).status).toBe(200);
  expect(await listKeys()).toEqual([expect.stringContaining(sha256('third'))]);
  const failed = await api.call('POST', `${path}/complete`, { user: alice });
  expect([failed.status, getCode(failed)]).toEqual([400, 'UPLOAD_INVALID']);
  expect(await listKeys()).toEqual([]);
  await send('first');
  const [one, two, late] = await Promise.all([
    api.call('POST', `${path}/complete`, { user: alice }),
    api.call('POST', `${path}/complete`, { user: alice }),
    send('later'),
  ]);
  // Whichever comes first: a part is refused or makes the whole invalid, and no bytes are left that no file has.
  expect([200, 400, 404]).toContain(late.status);
  expect(new Set([one.status, two.status]).size).toBe(1);
  const kept = one.status === 200 ? 'first' : 'later';
  for (const key of await listKeys()) expect(key).toContain(sha256(kept));
});

test('parts that are sent in parallel with changing bytes leave one part, and its bytes are in the store', async () => {
  const { upload_id } = (await announce('parallel.bin', 'first')).body as Upload;
  const path = `${libraryPath}/uploads/${upload_id}`;
  const send = (text: string) => api.call('PUT', `${path}/parts/1`, { user: alice, body: Buffer.from(text) });
  const listKeys = async () => (await stores.keysOf(libraryId)).filter((key) => key.includes(upload_id));
  for (let round = 0; round < 10; round += 1) {
    await Promise.all(['first', 'other', 'first', 'other', 'first'].map(send));
    expect(await listKeys()).toHaveLength(1);
  }
  await send('other');
  await send('first');
  const { body } = await api.call('POST', `${path}/complete`, { user: alice });
  const { file_id } = body as LibraryFile;
  expect((await api.call('GET', `${libraryPath}/files/${file_id}/content`, { user: alice })).body).toBe('first');
});

test('a completion that is interrupted does not reopen an upload that another request is completing', async () => {
  const { upload_id } = (await announce('twice.bin', 'twice')).body as Upload;
  const path = `${libraryPath}/uploads/${upload_id}`;
  await api.call('PUT', `${path}/parts/1`, { user: alice, body: Buffer.from('twice') });
  const upload = await stores.libraryUploads.get(libraryId, upload_id);
  if (!upload) throw new Error('The upload is missing.');
  const [interrupted, completed, cancelled] = await Promise.allSettled([
    stores.libraryUploads.complete(upload, AbortSignal.abort()),
    stores.libraryUploads.complete(upload, new AbortController().signal),
    stores.libraryUploads.cancel(libraryId, upload_id),
  ]);
  expect(cancelled.status).toBe('fulfilled');
  expect(interrupted.status).toBe('rejected');
  // Either request may win: the upload is cancelled, or the file is complete.
  const content =
    completed.status === 'rejected'
      ? 'twice'
      : (await api.call('GET', `${libraryPath}/files/${completed.value.file_id}/content`, { user: alice })).body;
  expect(content).toBe('twice');
});

describe('a completion that is slower than another one of the same upload', () => {
  /** Starts a completion that has read the old content and stops before it publishes. */
  async function startLate(name: string) {
    const { upload_id } = (await announce(name, 'old')).body as Upload;
    await api.call('PUT', `${libraryPath}/uploads/${upload_id}/parts/1`, { user: alice, body: Buffer.from('old') });
    const upload = await stores.libraryUploads.get(libraryId, upload_id);
    if (!upload) throw new Error('The upload is missing.');
    const gate = new EventEmitter();
    const [hasRead, mayGoOn] = [once(gate, 'read'), once(gate, 'go on')];
    const slow = stores.openUploads((files) => ({
      ...files,
      open: (file) =>
        Readable.from(
          (async function* readSlowly() {
            yield* files.open(file);
            gate.emit('read');
            await mayGoOn;
          })(),
          { objectMode: false },
        ),
    }));
    const late = slow.complete(upload, new AbortController().signal).then(
      () => 'completed',
      ({ code }: { code: string }) => code,
    );
    await hasRead;
    return { complete: `${libraryPath}/uploads/${upload_id}/complete`, goOn: () => (gate.emit('go on'), late) };
  }
  const read = async (name: string) => {
    const { items } = (await api.call('GET', `${libraryPath}/files?name=${name}`, { user: alice })).body as {
      items: LibraryFile[];
    };
    const [file] = items;
    if (!file) return undefined;
    return (await api.call('GET', `${libraryPath}/files/${file.file_id}/content`, { user: alice })).body as string;
  };

  test.each<[string, (name: string) => Promise<unknown>, string | undefined]>([
    ['replaced by a third upload', (name) => put(name, 'new'), 'new'],
    ['replaced twice', async (name) => (await put(name, 'newer'), await put(name, 'new')), 'new'],
    [
      'deleted',
      async (name) => {
        const { file_id } = await put(name, 'new');
        await api.call('DELETE', `${libraryPath}/files/${file_id}`, { user: alice });
      },
      undefined,
    ],
    ['left alone', async () => undefined, 'old'],
  ])('does not bring back a content that was meanwhile %s', async (how, change, expected) => {
    const name = `late-${how.replaceAll(' ', '-')}.txt`;
    const { complete, goOn } = await startLate(name);
    expect((await api.call('POST', complete, { user: alice })).status).toBe(200);
    await change(name);
    expect(await goOn()).toBe(expected === 'old' ? 'completed' : 'UPLOAD_NOT_FOUND');
    expect(await read(name)).toBe(expected);
  });
});

/** Sends a part with chunked encoding; `cut` ends the connection in the middle. */
async function sendRaw(path: string, bytes: Uint8Array, cut: boolean): Promise<{ status?: number; body: string }> {
  const headers = { Authorization: `Bearer ${api.tokenOf(alice)}`, 'Content-Type': 'application/octet-stream' };
  return new Promise((resolve) => {
    const sent = request(`${api.url}${path}`, { method: 'PUT', headers }, (reply) => {
      void text(reply).then((body) => resolve({ status: reply.statusCode, body }));
    });
    sent.on('error', () => resolve({ body: 'cut' }));
    sent.write(bytes.subarray(0, bytes.length / 2), () => {
      if (cut) sent.destroy(new Error('cut'));
      else sent.end(bytes.subarray(bytes.length / 2));
    });
  });
}

test('a connection that is cut in the middle of a part leaves nothing, and the upload continues', async () => {
  const { upload_id } = (await announce('cut.bin', manyBytes)).body as Upload;
  const path = `${libraryPath}/uploads/${upload_id}`;
  const part = (number: number) => manyBytes.subarray((number - 1) * uploadPartBytes, number * uploadPartBytes);
  await api.call('PUT', `${path}/parts/2`, { user: alice, body: Buffer.from(part(2)) });
  expect(await sendRaw(`${path}/parts/1`, part(1), true)).toEqual({ body: 'cut' });
  const again = (await announce('cut.bin', manyBytes)).body as Upload;
  expect(again).toMatchObject({ upload_id, missing_parts: [1, 3] });
  expect((await stores.keysOf(libraryId)).filter((key) => key.includes(upload_id))).toHaveLength(1);
  const listed = await api.call('GET', `${libraryPath}/files?name=cut`, { user: bob });
  expect(listed.body).toMatchObject({ total: 0 });
  for (const number of again.missing_parts)
    expect((await sendRaw(`${path}/parts/${number}`, part(number), false)).status).toBe(200);
  const { body } = await api.call('POST', `${path}/complete`, { user: alice });
  expect(body).toMatchObject({ sha256: sha256(manyBytes), size: manyBytes.length });
});

test('a chunked body without a declared length is counted and rejected', async () => {
  const { upload_id } = (await announce('endless.bin', manyBytes)).body as Upload;
  const reply = await sendRaw(`${libraryPath}/uploads/${upload_id}/parts/1`, manyBytes, false);
  expect([reply.status, JSON.parse(reply.body).errors[0].code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
});

test('readers can read but not write; administrators can do neither; for others nothing exists', async () => {
  const file = await put('shared.txt', 'shared');
  const statuses = async (user: typeof alice) => [
    (await api.call('GET', `${libraryPath}/files/${file.file_id}/content`, { user })).status,
    (await announce('mine.txt', 'mine', user)).status,
    (await api.call('DELETE', `${libraryPath}/files/${file.file_id}`, { user })).status,
  ];
  expect(await statuses(bob)).toEqual([200, 403, 403]);
  expect(await statuses(carol)).toEqual([403, 403, 403]);
  expect(await statuses({ ...bob, username: 'mallory' })).toEqual([404, 404, 404]);
});

test('a file or an upload cannot be reached through another library', async () => {
  const file = await put('inside.txt', 'inside');
  const { upload_id } = (await announce('open.txt')).body as Upload;
  const body = { name: 'Mine' };
  const { body: made } = await api.call('POST', '/api/v1/document-libraries', { user: bob, body });
  const own = `/api/v1/document-libraries/${(made as { library_id: string }).library_id}`;
  for (const [method, path] of [
    ['GET', `/files/${file.file_id}`],
    ['GET', `/files/${file.file_id}/content`],
    ['DELETE', `/files/${file.file_id}`],
    ['GET', `/uploads/${upload_id}`],
    ['POST', `/uploads/${upload_id}/complete`],
    ['POST', `/uploads/${file.file_id}/complete`],
    ['DELETE', `/uploads/${upload_id}`],
  ] as const)
    expect((await api.call(method, `${own}${path}`, { user: bob })).status).toBe(404);
});

test('a deleted library removes its files', async () => {
  const body = { name: 'Short-lived' };
  const { body: made } = await api.call('POST', '/api/v1/document-libraries', { user: alice, body });
  const { library_id } = made as { library_id: string };
  const path = `/api/v1/document-libraries/${library_id}`;
  const announced = { name: 'a.txt', size: 1, sha256: sha256('a') };
  const { upload_id } = (await api.call('POST', `${path}/uploads`, { user: alice, body: announced })).body as Upload;
  await api.call('PUT', `${path}/uploads/${upload_id}/parts/1`, { user: alice, body: Buffer.from('a') });
  expect(await stores.keysOf(library_id)).toHaveLength(1);
  await api.call('DELETE', path, { user: alice });
  expect(await stores.keysOf(library_id)).toEqual([]);
  expect((await api.call('POST', `${path}/uploads/${upload_id}/complete`, { user: alice })).status).toBe(404);
});
