import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { readTemporalTls } from './tls';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'docloom-tls-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('without a file, the public authorities are trusted, or there is no TLS', () => {
  expect(readTemporalTls({ TEMPORAL_TLS: true, TEMPORAL_TLS_CA: undefined })).toBe(true);
  expect(readTemporalTls({ TEMPORAL_TLS: false, TEMPORAL_TLS_CA: undefined })).toBe(false);
});

test('the authorities of the file are the only ones', () => {
  const file = path.join(folder, 'ca.pem');
  writeFileSync(file, 'certificates');
  expect(readTemporalTls({ TEMPORAL_TLS: true, TEMPORAL_TLS_CA: file })).toEqual({
    serverRootCACertificate: Buffer.from('certificates'),
  });
});

test('a file that is missing, or that would not be used, is an error', () => {
  const invalid = (text: string) =>
    expect.objectContaining({ code: 'INVALID_CONFIGURATION', message: expect.stringContaining(text) });
  const read = (isOn: boolean) => () =>
    readTemporalTls({ TEMPORAL_TLS: isOn, TEMPORAL_TLS_CA: path.join(folder, 'no') });
  expect(read(true)).toThrow(invalid('ENOENT'));
  expect(read(false)).toThrow(invalid('without TLS'));
});
