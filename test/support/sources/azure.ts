import { randomUUID } from 'node:crypto';
import { openAzureContainer } from '../../../services/cloud/azure-container';
import { signSharedKey } from '../../../services/cloud/azure-sign';
import { createAddressGuard } from '../../../services/net/address-guard';
import { createSources } from '../../../services/source/sources';
import { azuriteAccount, startAzurite } from '../servers/azurite';
import type { SourceFixture } from './fixture';

const { signal } = new AbortController();

/** Creates a container and returns its address. */
export async function createContainer(account: string): Promise<string> {
  const containerUrl = `${account}/source-${randomUUID()}`;
  const url = new URL(`${containerUrl}?restype=container`);
  const headers = { 'x-ms-version': '2021-12-02', 'x-ms-date': new Date().toUTCString() };
  const { name, key } = azuriteAccount;
  const authorization = signSharedKey({ method: 'PUT', url, headers, length: 0, account: name, key });
  const response = await fetch(url, { method: 'PUT', headers: { ...headers, authorization } });
  if (!response.ok) throw new Error(`The container was not created: ${response.status} ${await response.text()}`);
  return containerUrl;
}

/** A container on Azurite. */
export async function azureFixture(): Promise<SourceFixture> {
  const server = await startAzurite();
  const { url } = server;
  const containerUrl = await createContainer(url);
  const guard = createAddressGuard(['127.0.0.1']);
  const store = openAzureContainer({ containerUrl, accountKey: azuriteAccount.key }, guard);
  const put = async (key: string, text: string) =>
    void (await store.put(key, Buffer.from(text), { mediaType: 'application/octet-stream' }, signal));
  const credentials = { account_key: azuriteAccount.key };
  const config = { provider: 'azure', connection_params: { container_url: containerUrl }, credentials };
  return {
    provider: 'azure',
    sources: createSources({ roots: [], guard }),
    strict: createSources({ roots: [] }),
    config,
    put,
    remove: (key) => store.remove(key, signal),
    keyOf: ({ relativePath }) => relativePath,
    putAccess: (folder, list) =>
      put([folder, '.acl.json'].filter(Boolean).join('/'), typeof list === 'string' ? list : JSON.stringify(list)),
    missing: { ...config, connection_params: { container_url: `${url}/none-${randomUUID()}` } },
    wrongSignIn: { ...config, credentials: { account_key: Buffer.from('wrong-password').toString('base64') } },
    async close() {
      store.close();
      await server.stop();
    },
  };
}
