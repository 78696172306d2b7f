import { createHash, randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { uploadPartBytes } from '../../../model/document-set/wire-files';
import type { DocumentLibraryRecord } from '../../../services/document-set/document-libraries-store';
import type { UploadRecord } from '../../../services/document-set/library-uploads';
import { type LibraryStores, manyBytes, openLibraries } from '../../support/system/library-fixture';

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const signal = new AbortController().signal;

describe.each(['folder', 's3'] as const)('files of libraries on %s', (storage) => {
  let stores: LibraryStores;
  beforeAll(() => {
    stores = openLibraries(storage);
  });
  afterAll(() => stores.close());

  async function library(owner = `owner-${randomUUID()}`): Promise<DocumentLibraryRecord> {
    const now = new Date().toISOString();
    const nothing = { description: null, purpose: null, original_size: null, final_size: null, tags: [], set_ids: [] };
    const named = { library_id: randomUUID(), name: `Library ${randomUUID()}`, owner, readers: [], created_by: owner };
    return stores.documentLibraries.create({ ...nothing, ...named, created_at: now, updated_at: now });
  }
  async function begin(into: DocumentLibraryRecord, name: string, bytes: Uint8Array): Promise<UploadRecord> {
    const announced = { name, size: bytes.length, sha256: sha256(bytes), uploadedBy: into.owner };
    const begun = await stores.libraryUploads.begin(into, announced);
    if (!('upload' in begun)) throw new Error('the file exists');
    return begun.upload;
  }
  async function upload(into: DocumentLibraryRecord, name: string, bytes: Uint8Array) {
    let state = await begin(into, name, bytes);
    for (let number = 1; (number - 1) * uploadPartBytes < bytes.length; number += 1)
      state = await stores.libraryUploads.putPart(state, {
        number,
        bytes: bytes.subarray((number - 1) * uploadPartBytes, number * uploadPartBytes),
      });
    return stores.libraryUploads.complete(state, signal);
  }

  test('a file of several parts is returned byte for byte, and is visible only when it is complete', async () => {
    const into = await library();
    let state = await begin(into, 'big.bin', manyBytes);
    for (const number of [3, 1, 2]) {
      expect(await stores.libraryFiles.list(into.library_id, { limit: 9, offset: 0 })).toEqual({ items: [], total: 0 });
      await expect(stores.libraryUploads.complete(state, signal)).rejects.toMatchObject({ code: 'UPLOAD_INCOMPLETE' });
      const bytes = manyBytes.subarray((number - 1) * uploadPartBytes, number * uploadPartBytes);
      state = await stores.libraryUploads.putPart(state, { number, bytes, sha256: sha256(bytes) });
    }
    const file = await stores.libraryUploads.complete(state, signal);
    expect(sha256(await buffer(stores.libraryFiles.open(file)))).toBe(sha256(manyBytes));
    expect(await stores.libraryUploads.get(into.library_id, state.upload_id)).toBeUndefined();
    // Repeating a request whose reply got lost returns the same file.
    expect(await stores.libraryUploads.complete(state, signal)).toMatchObject({ file_id: file.file_id });
  });

  test('an interrupted upload is found again by its declaration, with the parts that have arrived', async () => {
    const into = await library();
    const state = await begin(into, 'big.bin', manyBytes);
    await stores.libraryUploads.putPart(state, {
      number: 2,
      bytes: manyBytes.subarray(uploadPartBytes, 2 * uploadPartBytes),
    });
    const again = await begin(into, 'big.bin', manyBytes);
    expect(again.upload_id).toBe(state.upload_id);
    expect(Object.keys(again.parts)).toEqual(['2']);
  });

  test('new content replaces the file under the same id, and the old bytes are removed', async () => {
    const into = await library();
    const first = await upload(into, 'note.txt', Buffer.from('one'));
    const second = await upload(into, 'note.txt', Buffer.from('two'));
    expect(second.file_id).toBe(first.file_id);
    expect((await buffer(stores.libraryFiles.open(second))).toString()).toBe('two');
    expect(await stores.keysOf(into.library_id)).toEqual(second.keys);
    expect(await stores.libraryFiles.list(into.library_id, { limit: 9, offset: 0 })).toMatchObject({ total: 1 });
  });

  test('an existing file is not sent again', async () => {
    const into = await library();
    const file = await upload(into, 'note.txt', Buffer.from('one'));
    const announced = { name: 'note.txt', size: 3, sha256: sha256(Buffer.from('one')), uploadedBy: 'alice' };
    expect(await stores.libraryUploads.begin(into, announced)).toEqual({ file });
  });

  test('concurrent uploads of one name end as one file with one of the contents', async () => {
    const into = await library();
    const texts = ['a', 'bb', 'ccc'].map((text) => Buffer.from(text));
    await Promise.all(texts.map((bytes) => upload(into, 'same.txt', bytes)));
    const { items } = await stores.libraryFiles.list(into.library_id, { limit: 9, offset: 0 });
    expect(items).toHaveLength(1);
    const kept = items[0] as (typeof items)[0];
    expect(sha256(await buffer(stores.libraryFiles.open(kept)))).toBe(kept.sha256);
    expect(await stores.keysOf(into.library_id)).toEqual(kept.keys);
  });

  test('an invalid declaration is rejected and its parts are removed', async () => {
    const into = await library();
    const begun = await stores.libraryUploads.begin(into, {
      name: 'x.txt',
      size: 3,
      sha256: '0'.repeat(64),
      uploadedBy: 'alice',
    });
    if (!('upload' in begun)) throw new Error('no upload');
    const upload = await stores.libraryUploads.putPart(begun.upload, { number: 1, bytes: Buffer.from('one') });
    await expect(stores.libraryUploads.complete(upload, signal)).rejects.toMatchObject({ code: 'UPLOAD_INVALID' });
    expect(await stores.libraryUploads.get(into.library_id, upload.upload_id)).toMatchObject({ parts: {} });
    expect(await stores.libraryFiles.list(into.library_id, { limit: 9, offset: 0 })).toMatchObject({ total: 0 });
  });

  test('a part of a cancelled upload leaves nothing, even when it arrives late', async () => {
    const into = await library();
    const state = await begin(into, 'late.txt', Buffer.from('one'));
    await stores.libraryUploads.cancel(into.library_id, state.upload_id);
    const late = stores.libraryUploads.putPart(state, { number: 1, bytes: Buffer.from('one') });
    await expect(late).rejects.toMatchObject({ code: 'UPLOAD_NOT_FOUND' });
    expect(await stores.keysOf(into.library_id)).toEqual([]);
  });

  test('the sweep removes abandoned uploads and leftovers of deleted libraries, and nothing else', async () => {
    const [kept, deleted] = [await library(), await library()];
    const file = await upload(kept, 'note.txt', Buffer.from('one'));
    await upload(deleted, 'note.txt', Buffer.from('one'));
    const open = await begin(kept, 'open.txt', Buffer.from('two'));
    await stores.libraryUploads.putPart(open, { number: 1, bytes: Buffer.from('two') });
    const exists = async (id: string) => id !== deleted.library_id;
    expect(await stores.libraryUploads.sweep(new Date(), exists)).toBe(0);
    expect(await stores.keysOf(deleted.library_id)).toEqual([]);
    expect(await stores.libraryUploads.get(kept.library_id, open.upload_id)).toBeDefined();
    const later = new Date(Date.now() + 2 * 3_600_000);
    expect(await stores.libraryUploads.sweep(later, exists)).toBeGreaterThan(0);
    expect(await stores.libraryUploads.get(kept.library_id, open.upload_id)).toBeUndefined();
    expect(await stores.keysOf(kept.library_id)).toEqual(file.keys);
  });

  test('a deleted file frees its name and its bytes', async () => {
    const into = await library();
    const file = await upload(into, 'note.txt', Buffer.from('one'));
    expect(await stores.libraryFiles.remove(into.library_id, file.file_id)).toBe(true);
    expect(await stores.libraryFiles.remove(into.library_id, file.file_id)).toBe(false);
    expect(await stores.keysOf(into.library_id)).toEqual([]);
    expect((await upload(into, 'note.txt', Buffer.from('one'))).file_id).not.toBe(file.file_id);
  });

  test('the limits of file size, total size per user and number of files also apply to concurrent uploads', async () => {
    const into = await library();
    const announce = (name: string, size: number) =>
      stores.libraryUploads
        .begin(into, { name, size, sha256: '0'.repeat(64), uploadedBy: into.owner })
        .then(() => 'taken')
        .catch(({ code }: { code: string }) => code);
    const megabyte = 1024 * 1024;
    expect(await announce('large.bin', 13 * megabyte)).toBe('LIBRARY_FULL');
    const many = await Promise.all(Array.from({ length: 8 }, (_, index) => announce(`${index}.txt`, 1)));
    expect(many.filter((outcome) => outcome === 'taken').length).toBeLessThanOrEqual(5);
    const other = await library(into.owner);
    const second = { name: 'a.bin', size: 11 * megabyte, sha256: '0'.repeat(64), uploadedBy: into.owner };
    await stores.libraryUploads.begin(other, second);
    await expect(stores.libraryUploads.begin(other, { ...second, name: 'b.bin' })).rejects.toMatchObject({
      code: 'LIBRARY_FULL',
    });
  });
});
