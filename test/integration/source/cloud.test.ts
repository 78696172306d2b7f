import { createHmac } from 'node:crypto';
import { inspect } from 'node:util';
import { openAzureContainer } from '../../../services/cloud/azure-container';
import type { CloudStore } from '../../../services/cloud/cloud-store';
import { openGoogleBucket } from '../../../services/cloud/google-bucket';
import { readGoogleKey } from '../../../services/cloud/google-key';
import { createGoogleTokens } from '../../../services/cloud/google-token';
import { createAddressGuard } from '../../../services/net/address-guard';
import { createAzureSource, createGcsSource } from '../../../services/source/remote/cloud';
import type { Source, SourceEntry } from '../../../services/source/source';
import { azuriteAccount, startAzurite } from '../../support/servers/azurite';
import type { StartedServer } from '../../support/servers/cached-server';
import { type GoogleStorage, startGoogleStorage } from '../../support/servers/google-storage';
import { createContainer } from '../../support/sources/azure';
import { withParams } from '../../support/sources/fixture';
import { createGoogleBucket } from '../../support/sources/gcs';

/** Behaviour that the suite of all sources does not test, on Azurite and fake-gcs-server. */
const { signal } = new AbortController();
const guard = createAddressGuard(['127.0.0.1']);
let azurite: StartedServer & { url: string };
let google: GoogleStorage;
let stores: Record<'azure' | 'gcs', CloudStore>;
let configs: Record<'azure' | 'gcs', Record<string, unknown>>;

beforeAll(async () => {
  azurite = await startAzurite();
  google = await startGoogleStorage();
}, 15 * 60_000);
afterAll(async () => {
  await azurite.stop();
  await google.stop();
});

beforeEach(async () => {
  const containerUrl = await createContainer(azurite.url);
  const bucket = await createGoogleBucket(google);
  const keyText = JSON.stringify(google.key);
  const location = { bucket, endpoint: google.endpoint, key: readGoogleKey(keyText) };
  stores = {
    azure: openAzureContainer({ containerUrl, accountKey: azuriteAccount.key }, guard),
    gcs: openGoogleBucket(location, 'read_write', { guard, tokens: createGoogleTokens() }),
  };
  configs = {
    azure: { connection_params: { container_url: containerUrl }, credentials: { account_key: azuriteAccount.key } },
    gcs: {
      connection_params: { bucket, endpoint_url: google.endpoint },
      credentials: { service_account_key: keyText },
    },
  };
});
afterEach(() => {
  for (const store of Object.values(stores)) store.close();
});

const text = { mediaType: 'text/plain' };
const inPages: Record<'azure' | 'gcs', Source> = {
  azure: createAzureSource({ guard, pageKeys: 2 }),
  gcs: createGcsSource({ guard, pageKeys: 2 }),
};
async function list(source: Source, config: Record<string, unknown>): Promise<SourceEntry[]> {
  const entries: SourceEntry[] = [];
  for await (const entry of source.list(config, signal)) entries.push(entry);
  return entries;
}

async function getFailure(work: Promise<unknown>): Promise<Error & { code?: string }> {
  return await work.then(
    () => {
      throw new Error('it did not fail');
    },
    (error: Error) => error,
  );
}

describe.each(['azure', 'gcs'] as const)('%s', (name) => {
  test('a listing of several pages contains each object once, in the order of the keys', async () => {
    for (const key of ['c.md', 'a.md', 'e.md', 'b/d.md', 'b.md'])
      await stores[name].put(key, Buffer.from(key), text, signal);
    const entries = await list(inPages[name], configs[name]);
    expect(entries.map(({ relativePath }) => relativePath)).toEqual(['a.md', 'b.md', 'b/d.md', 'c.md', 'e.md']);
  });

  test('a prefix limits the listing and what can be read', async () => {
    for (const key of ['in/a.md', 'in/deep/b.md', 'out/c.md'])
      await stores[name].put(key, Buffer.from(key), text, signal);
    const all = await list(inPages[name], configs[name]);
    const config = withParams(configs[name], { prefix: 'in/' });
    const entries = await list(inPages[name], config);
    expect(entries.map(({ relativePath, metadata }) => [relativePath, metadata['relative_path']])).toEqual([
      ['in/a.md', 'a.md'],
      ['in/deep/b.md', 'deep/b.md'],
    ]);
    const outside = all.find(({ relativePath }) => relativePath === 'out/c.md')?.path ?? '';
    await expect(inPages[name].read(outside, config, signal)).rejects.toMatchObject({ code: 'SOURCE_UNREADABLE' });
  });

  test('an object that is written twice keeps its first content when only a new one is wanted', async () => {
    const write = (content: string, onlyNew: boolean) =>
      stores[name].put('a b/ü.md', Buffer.from(content), { ...text, onlyNew }, signal);
    expect(await write('first', true)).toBe(true);
    expect(await write('second', true)).toBe(false);
    const body = await stores[name].get('a b/ü.md', signal);
    const parts: Uint8Array[] = [];
    for await (const part of body?.parts ?? []) parts.push(part);
    expect(Buffer.concat(parts).toString()).toBe('first');
    expect(await write('third', false)).toBe(true);
    await stores[name].remove('a b/ü.md', signal);
    await stores[name].remove('a b/ü.md', signal);
    expect(await stores[name].get('a b/ü.md', signal)).toBeUndefined();
  });

  test('paths are the usual addresses of the service, and the source is the place without a protocol', async () => {
    await stores[name].put('a b/ü.md', Buffer.from('x'), text, signal);
    const [entry] = await list(inPages[name], configs[name]);
    const { container_url: url, bucket } = configs[name]['connection_params'] as Record<string, string>;
    const key = 'a%20b/%C3%BC.md';
    expect([entry?.source, entry?.path]).toEqual(
      name === 'azure'
        ? [`azure:${url?.slice('http://'.length)}`, `${url}/${key}`]
        : [`gcs:${new URL(google.endpoint).host}/${bucket}`, `gs://${bucket}/a b/ü.md`],
    );
  });

  test('an empty object can be written and read', async () => {
    await stores[name].put('empty.md', new Uint8Array(), text, signal);
    const [entry] = await list(inPages[name], configs[name]);
    expect(entry).toMatchObject({ size: 0, relativePath: 'empty.md' });
    expect(await inPages[name].read(entry?.path ?? '', configs[name], signal)).toHaveLength(0);
  });
});

describe('a shared access signature', () => {
  const configWith = (permissions: string) => ({
    ...configs.azure,
    credentials: { sas_token: `?${getSignature(containerUrl(), permissions)}` },
  });
  const containerUrl = () => (configs.azure['connection_params'] as { container_url: string }).container_url;

  test('lists and reads everything that it permits, and appears in no path, message or metadata', async () => {
    await stores.azure.put('a.md', Buffer.from('text'), text, signal);
    const config = configWith('rl');
    const entries = await list(inPages.azure, config);
    const bytes = await inPages.azure.read(entries[0]?.path ?? '', config, signal);
    expect(Buffer.from(bytes).toString()).toBe('text');
    expect(JSON.stringify(entries)).not.toMatch(/sig=|[?]s/);
  });

  test('without the permission to list, the listing is refused and the message names no signature', async () => {
    const config = configWith('r');
    const failure = await getFailure(list(inPages.azure, config));
    expect(failure).toMatchObject({ code: 'SOURCE_NOT_ALLOWED' });
    const signature = new URLSearchParams(config.credentials.sas_token).get('sig');
    expect(`${failure.stack} ${JSON.stringify(failure)}`).not.toContain(signature);
  });

  test('in the address it is refused without being repeated', async () => {
    const config = { connection_params: { container_url: `${containerUrl()}?sv=1&sig=very-secret` } };
    const failure = await getFailure(list(inPages.azure, config));
    expect(failure).toMatchObject({ code: 'OPERATOR_CONFIGURATION_INVALID' });
    expect(failure.message).not.toContain('very-secret');
  });
});

describe('tokens of a service account', () => {
  test('one token serves a listing and every document; an invalid one is replaced', async () => {
    for (const key of ['a.md', 'b.md', 'c.md']) await stores.gcs.put(key, Buffer.from(key), text, signal);
    const source = createGcsSource({ guard });
    const before = google.tokens();
    for (const { path } of await list(source, configs.gcs)) await source.read(path, configs.gcs, signal);
    expect(google.tokens() - before).toBe(1);
    google.revoke();
    expect(await list(source, configs.gcs)).toHaveLength(3);
    expect(google.tokens() - before).toBe(2);
  });

  test('a key that is not accepted, or none, is never repeated', async () => {
    const secret = 'c2VjcmV0LWtleQ';
    const pem = `-----BEGIN PRIVATE KEY-----\n${secret}\n-----END PRIVATE KEY-----`;
    const texts = [
      JSON.stringify(google.wrongKey),
      JSON.stringify({ ...google.key, private_key: pem }),
      secret,
      `{"${secret}`,
    ];
    for (const keyText of texts) {
      const config = { ...configs.gcs, credentials: { service_account_key: keyText } };
      const failure = await getFailure(list(inPages.gcs, config));
      expect(failure.code).toMatch(/^(?:SOURCE_SIGN_IN_FAILED|OPERATOR_CONFIGURATION_INVALID)$/);
      const told = `${JSON.stringify(failure)} ${inspect(failure.cause)} ${failure.stack}`;
      expect(told).not.toContain(secret);
      expect(told).not.toMatch(/PRIVATE KEY|eyJ/);
    }
  });

  test('its server must be one that flows may reach', async () => {
    const strict = createGcsSource({ guard: createAddressGuard([new URL(google.endpoint).host]) });
    const key = { ...google.key, token_uri: azurite.url };
    const config = { ...configs.gcs, credentials: { service_account_key: JSON.stringify(key) } };
    await expect(list(strict, config)).rejects.toMatchObject({ code: 'ADDRESS_NOT_ALLOWED' });
  });
});

/** Of a container, for an hour (learn.microsoft.com/rest/api/storageservices/create-service-sas). */
function getSignature(containerUrl: string, permissions: string): string {
  const [, account = '', container = ''] = new URL(containerUrl).pathname.split('/');
  const until = new Date(Date.now() + 3_600_000).toISOString().replace(/\.\d+/, '');
  const version = '2020-10-02';
  const lines = [
    permissions,
    '',
    until,
    `/blob/${account}/${container}`,
    '',
    '',
    '',
    version,
    'c',
    '',
    '',
    '',
    '',
    '',
    '',
  ];
  const signature = createHmac('sha256', Buffer.from(azuriteAccount.key, 'base64'))
    .update(lines.join('\n'))
    .digest('base64');
  return new URLSearchParams({ sv: version, se: until, sr: 'c', sp: permissions, sig: signature }).toString();
}
