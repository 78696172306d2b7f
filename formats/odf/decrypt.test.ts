import { createCipheriv, createHash, pbkdf2Sync } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { argon2id } from '@noble/hashes/argon2';
import { unzipSync, zipSync } from 'fflate';
import { convertBytes } from '../convert';
import { odfFile, odfXml } from './test-support';

const digest = (algorithm: string, data: string | Uint8Array) => createHash(algorithm).update(data).digest();

/** Encrypts the content of an OpenDocument file as LibreOffice does, with fewer rounds. */
function encrypted(password: string, { iterations = 1000, algorithm = 'aes256-cbc', size = 0 } = {}): Uint8Array {
  const parts = unzipSync(odfFile('text', '<text:p>Grüße</text:p>'));
  const packed = deflateRawSync(parts['content.xml']!);
  const [salt, iv] = [Buffer.alloc(16, 1), Buffer.alloc(16, 2)];
  const key = pbkdf2Sync(digest('sha256', password), salt, 1000, 32, 'sha1');
  const cipher = createCipheriv('aes-256-cbc', key, iv);
  const stored = Buffer.concat([cipher.update(packed), cipher.final()]);
  const checksum = digest('sha256', packed.subarray(0, 1024)).toString('base64');
  const manifest = odfXml(
    'manifest:manifest',
    `<manifest:file-entry manifest:full-path="content.xml" manifest:size="${size || parts['content.xml']!.length}">` +
      `<manifest:encryption-data manifest:checksum-type="urn#sha256-1k" manifest:checksum="${checksum}">` +
      `<manifest:algorithm manifest:algorithm-name="http://www.w3.org/2001/04/xmlenc#${algorithm}" manifest:initialisation-vector="${iv.toString('base64')}"/>` +
      `<manifest:key-derivation manifest:key-derivation-name="PBKDF2" manifest:iteration-count="${iterations}" manifest:salt="${salt.toString('base64')}"/>` +
      '<manifest:start-key-generation manifest:start-key-generation-name="http://www.w3.org/2000/09/xmldsig#sha256"/>' +
      '</manifest:encryption-data></manifest:file-entry>',
  );
  return zipSync({
    ...parts,
    'content.xml': [stored, { level: 0 }],
    'META-INF/manifest.xml': Buffer.from(manifest),
  });
}
/** Encrypts an OpenDocument file as a whole, as LibreOffice 24.8 does, with less memory. */
function encryptedWhole(
  password: string,
  { memory = 64, iterations = 2, lanes = 2, size = 0, inner = odfFile('text', '<text:p>Grüße</text:p>') } = {},
): Uint8Array {
  const [salt, iv] = [Buffer.alloc(16, 3), Buffer.alloc(12, 4)];
  const key =
    memory > 1024
      ? Buffer.alloc(32)
      : argon2id(digest('sha256', password), salt, { t: iterations, m: memory, p: lanes, dkLen: 32 });
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  const stored = Buffer.concat([iv, cipher.update(deflateRawSync(inner)), cipher.final(), cipher.getAuthTag()]);
  const manifest = odfXml(
    'manifest:manifest',
    `<manifest:file-entry manifest:full-path="encrypted-package" manifest:size="${size || inner.length}">` +
      '<manifest:encryption-data>' +
      `<manifest:algorithm manifest:algorithm-name="http://www.w3.org/2009/xmlenc11#aes256-gcm" manifest:initialisation-vector="${iv.toString('base64')}"/>` +
      '<manifest:start-key-generation manifest:start-key-generation-name="http://www.w3.org/2001/04/xmlenc#sha256" manifest:key-size="32"/>' +
      `<manifest:key-derivation manifest:key-derivation-name="urn:org:documentfoundation:names:experimental:office:manifest:argon2id" loext:argon2-iterations="${iterations}" loext:argon2-memory="${memory}" loext:argon2-lanes="${lanes}" manifest:salt="${salt.toString('base64')}" manifest:key-size="32"/>` +
      '</manifest:encryption-data></manifest:file-entry>',
  );
  return zipSync({
    mimetype: [Buffer.from('application/vnd.oasis.opendocument.text'), { level: 0 }],
    'encrypted-package': [stored, { level: 0 }],
    'META-INF/manifest.xml': Buffer.from(manifest),
  });
}
const convert = (bytes: Uint8Array, password?: string) =>
  convertBytes({ bytes, name: 'secret.odt', paged: password === undefined ? {} : { password } });

test('a file opens only with its password', async () => {
  const bytes = encrypted('pässword');
  expect((await convert(bytes, 'pässword')).document.texts.map(({ text }) => text)).toEqual(['Grüße']);
  await expect(convert(bytes, 'other')).rejects.toMatchObject({
    code: 'DOCUMENT_ENCRYPTED',
    message: expect.stringContaining('other than the one given'),
  });
  await expect(convert(bytes)).rejects.toMatchObject({
    code: 'DOCUMENT_ENCRYPTED',
    message: expect.stringContaining('give it as the option `password` (`--password` of the command line)'),
  });
});

test('unknown ciphers, excessive rounds and excessive sizes are rejected', async () => {
  await expect(convert(encrypted('a', { algorithm: 'camellia256-cbc' }), 'a')).rejects.toMatchObject({
    code: 'DOCUMENT_ENCRYPTED',
    message: expect.stringContaining('camellia256-cbc'),
  });
  await expect(convert(encrypted('a', { iterations: 2_000_000_000 }), 'a')).rejects.toMatchObject({
    code: 'DOCUMENT_ENCRYPTED',
  });
  await expect(convert(encrypted('a', { size: 2 ** 40 }), 'a')).rejects.toMatchObject({ code: 'DOCUMENT_TOO_LARGE' });
});

test('a package that is encrypted as a whole opens only with its password', async () => {
  const bytes = encryptedWhole('pässword');
  expect((await convert(bytes, 'pässword')).document.texts.map(({ text }) => text)).toEqual(['Grüße']);
  await expect(convert(bytes, 'other')).rejects.toMatchObject({
    code: 'DOCUMENT_ENCRYPTED',
    message: expect.stringContaining('other than the one given'),
  });
  await expect(convert(bytes)).rejects.toMatchObject({ code: 'DOCUMENT_ENCRYPTED' });
});

test('keys that would take too much memory or time are refused before they are derived', async () => {
  const unsupported = { code: 'DOCUMENT_ENCRYPTED', message: expect.stringContaining('argon2id') };
  const hostile = [{ memory: 2 ** 30 }, { memory: 65_536, iterations: 13 }, { memory: 262_144, iterations: 4 }];
  for (const options of [...hostile, { memory: 65_536, lanes: 17 }])
    await expect(convert(encryptedWhole('a', options), 'a')).rejects.toMatchObject(unsupported);
});

test('a package within a package is read once, and its declared size counts', async () => {
  const twice = encryptedWhole('a', { inner: encryptedWhole('a') });
  await expect(convert(twice, 'a')).rejects.toMatchObject({ code: 'DOCUMENT_CORRUPT' });
  await expect(convert(encryptedWhole('a', { size: 2 ** 40 }), 'a')).rejects.toMatchObject({
    code: 'DOCUMENT_TOO_LARGE',
  });
});
