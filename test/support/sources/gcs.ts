import { randomUUID } from 'node:crypto';
import { openGoogleBucket } from '../../../services/cloud/google-bucket';
import { readGoogleKey } from '../../../services/cloud/google-key';
import { createGoogleTokens } from '../../../services/cloud/google-token';
import { createAddressGuard } from '../../../services/net/address-guard';
import { createSources } from '../../../services/source/sources';
import { type GoogleStorage, startGoogleStorage } from '../servers/google-storage';
import { type SourceFixture, withParams } from './fixture';

const { signal } = new AbortController();

/** Creates a bucket and returns its name. */
export async function createGoogleBucket({ behind }: Pick<GoogleStorage, 'behind'>): Promise<string> {
  const name = `source-${randomUUID()}`;
  const response = await fetch(`${behind}/storage/v1/b?project=docloom`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name }),
  });
  if (!response.ok) throw new Error(`The bucket was not created: ${response.status} ${await response.text()}`);
  return name;
}

/** A bucket on fake-gcs-server. */
export async function gcsFixture(): Promise<SourceFixture> {
  const server = await startGoogleStorage();
  const { endpoint } = server;
  const bucket = await createGoogleBucket(server);
  const guard = createAddressGuard(['127.0.0.1']);
  const keyText = JSON.stringify(server.key);
  const location = { bucket, endpoint, key: readGoogleKey(keyText) };
  const store = openGoogleBucket(location, 'read_write', { guard, tokens: createGoogleTokens() });
  const put = async (key: string, text: string) =>
    void (await store.put(key, Buffer.from(text), { mediaType: 'application/octet-stream' }, signal));
  const config = {
    provider: 'gcs',
    connection_params: { bucket, endpoint_url: endpoint },
    credentials: { service_account_key: keyText },
  };
  return {
    provider: 'gcs',
    sources: createSources({ roots: [], guard }),
    strict: createSources({ roots: [] }),
    config,
    put,
    remove: (key) => store.remove(key, signal),
    keyOf: ({ relativePath }) => relativePath,
    putAccess: (folder, list) =>
      put([folder, '.acl.json'].filter(Boolean).join('/'), typeof list === 'string' ? list : JSON.stringify(list)),
    missing: withParams(config, { bucket: `none-${randomUUID()}` }),
    wrongSignIn: { ...config, credentials: { service_account_key: JSON.stringify(server.wrongKey) } },
    async close() {
      store.close();
      await server.stop();
    },
  };
}
