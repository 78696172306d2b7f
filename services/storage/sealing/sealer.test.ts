import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createSealer, openJson } from './sealer';
import { createConfiguredSealer } from './sealer-keys';

const newKey = () => randomBytes(32).toString('base64');
const getSealer = (...keys: string[]) => createSealer(() => keys);
const flow = {
  flow: [{ config: { api_key: 'canary', port: 1, headers: { Cookie: 'canary' }, pin: { password: 7 }, list: ['a'] } }],
  uri: 'mongodb://anna:canary@db/x',
};

test('secrets are encrypted, everything else stays readable, and a round trip restores the whole', () => {
  const sealer = getSealer(newKey());
  const sealed = sealer.seal(flow, 'flows/1');
  expect(JSON.stringify(sealed)).not.toContain('canary');
  expect(sealed.flow[0]?.config).toMatchObject({ port: 1, list: ['a'] });
  expect(sealer.open(sealed, 'flows/1')).toEqual(flow);
  expect(sealer.open(flow, 'flows/1')).toEqual(flow);
});

test('JSON text with secrets is read and decrypted, text without any is read', () => {
  const sealer = getSealer(newKey());
  expect(openJson(sealer, JSON.stringify(sealer.seal(flow, 'flows/1')), 'flows/1')).toEqual(flow);
  expect(openJson(sealer, '{"a":[1]}', 'flows/1')).toEqual({ a: [1] });
});

test('without a secret no key is needed', () => {
  const sealer = createSealer(() => {
    throw new Error('asked');
  });
  expect(sealer.seal({ a: 1, api_key: '${DOCLOOM_SECRET_X}' }, 'p')).toEqual({ a: 1, api_key: '${DOCLOOM_SECRET_X}' });
});

test('an encrypted text is of no use in another record, altered, or without its key', () => {
  const key = newKey();
  const sealed = getSealer(key).seal({ token: 'canary' }, 'flows/1');
  for (const attempt of [
    () => getSealer(key).open(sealed, 'flows/2'),
    () => getSealer(key).open({ token: `${sealed.token.slice(0, -8)}AAAAAAA=` }, 'flows/1'),
    () => getSealer(newKey()).open(sealed, 'flows/1'),
  ])
    expect(attempt).toThrow(expect.objectContaining({ code: 'INVALID_CONFIGURATION' }));
  expect(getSealer(newKey(), key).open(sealed, 'flows/1')).toEqual({ token: 'canary' });
});

test('a text from a user that looks encrypted survives a round trip', () => {
  const sealer = getSealer(newKey());
  const stolen = sealer.seal({ token: 'canary' }, 'flows/1').token;
  const sealed = sealer.seal({ note: stolen }, 'flows/2');
  expect(sealed.note).not.toBe(stolen);
  expect(sealer.open(sealed, 'flows/2')).toEqual({ note: stolen });
});

test('the key of a data folder is created once, readable by its owner only', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'docloom-keys-'));
  const settings = { DOCLOOM_DATA: folder, DOCLOOM_CONNECTION_KEYS: [] };
  const sealed = createConfiguredSealer(settings).seal({ token: 'canary' }, 'p');
  const file = path.join(folder, 'connection-keys');
  const text = readFileSync(file, 'utf8');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(createConfiguredSealer(settings).open(sealed, 'p')).toEqual({ token: 'canary' });
  expect(readFileSync(file, 'utf8')).toBe(text);
  rmSync(folder, { recursive: true });
});
