import type { BucketSource } from '../../../model/conversion/request/sources';
import { openAzureContainer } from '../../../services/cloud/azure-container';
import type { CloudStore } from '../../../services/cloud/cloud-store';
import { openGoogleBucket } from '../../../services/cloud/google-bucket';
import { readGoogleKey } from '../../../services/cloud/google-key';
import { createGoogleTokens } from '../../../services/cloud/google-token';
import { createAddressGuard } from '../../../services/net/address-guard';
import { azuriteAccount, startAzurite } from '../../support/servers/azurite';
import { startGoogleStorage } from '../../support/servers/google-storage';
import { createContainer } from '../../support/sources/azure';
import { createGoogleBucket } from '../../support/sources/gcs';
import { type ConversionSystem, createConversionSystem } from '../../support/system/conversion-fixture';

/** Sources and targets of `/v1` in Azure and Google Cloud, on Azurite and fake-gcs-server. */
const { signal } = new AbortController();
type Kind = 'azure_blob' | 'google_cloud_storage';
let azurite: Awaited<ReturnType<typeof startAzurite>>;
let google: Awaited<ReturnType<typeof startGoogleStorage>>;
let conversion: ConversionSystem;
let stores: Record<Kind, CloudStore>;
let place: { [K in Kind]: (prefix: string) => Extract<BucketSource, { kind: K }> };

beforeAll(async () => {
  azurite = await startAzurite();
  google = await startGoogleStorage();
  const containerUrl = await createContainer(azurite.url);
  const bucket = await createGoogleBucket(google);
  const guard = createAddressGuard(['127.0.0.1']);
  const key = readGoogleKey(JSON.stringify(google.key));
  stores = {
    azure_blob: openAzureContainer({ containerUrl, accountKey: azuriteAccount.key }, guard),
    google_cloud_storage: openGoogleBucket({ bucket, endpoint: google.endpoint, key }, 'read_write', {
      guard,
      tokens: createGoogleTokens(),
    }),
  };
  const connection = `DefaultEndpointsProtocol=http;AccountName=${azuriteAccount.name};AccountKey=${azuriteAccount.key};BlobEndpoint=${azurite.url};`;
  place = {
    azure_blob: (prefix) => ({
      kind: 'azure_blob',
      account_name: azuriteAccount.name,
      container: containerUrl.split('/').at(-1) ?? '',
      connection_string: connection,
      blob_prefix: prefix,
      max_num_elements: null,
    }),
    google_cloud_storage: (prefix) => ({
      kind: 'google_cloud_storage',
      bucket,
      key_prefix: prefix,
      max_num_elements: null,
      project: null,
      service_account_key: google.key,
    }),
  };
  conversion = createConversionSystem({ DOCLOOM_ALLOWED_HOSTS: '127.0.0.1', DOCLOOM_GCS_ENDPOINT: google.endpoint });
  await conversion.system.startWorker();
}, 15 * 60_000);
afterAll(async () => {
  await conversion.stop();
  for (const store of Object.values(stores)) store.close();
  await azurite.stop();
  await google.stop();
});

async function filesBelow(store: CloudStore, prefix: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for await (const { key } of store.list({ prefix, recursive: true }, signal)) {
    const parts: Uint8Array[] = [];
    for await (const part of (await store.get(key, signal))?.parts ?? []) parts.push(part);
    found[key.slice(prefix.length).replace(/^[0-9a-f]{12}\//, '#/')] = Buffer.concat(parts).toString();
  }
  return found;
}

describe.each(['azure_blob', 'google_cloud_storage'] as const)('%s', (kind) => {
  test('documents below a prefix are converted into a folder each, and a second task writes the same', async () => {
    const text = { mediaType: 'text/markdown' };
    await stores[kind].put('in/one.md', Buffer.from('# One'), text, signal);
    await stores[kind].put('in/deep/two ü.md', Buffer.from('# Two'), text, signal);
    await stores[kind].put('other/three.md', Buffer.from('# Three'), text, signal);
    const convert = () =>
      conversion.convert(
        {},
        { more: [place[kind]('in/')], target: place[kind]('out'), options: { to_formats: ['md', 'text'] } },
      );
    expect(await convert()).toMatchObject({ task_status: 'success', task_meta: { num_docs: 2, num_succeeded: 2 } });
    const files = await filesBelow(stores[kind], 'out/');
    expect(files).toEqual({
      '#/one.md': '# One',
      '#/one.txt': expect.stringContaining('One'),
      '#/two ü.md': '# Two',
      '#/two ü.txt': expect.stringContaining('Two'),
    });
    expect(await convert()).toMatchObject({ task_status: 'success' });
    expect(await filesBelow(stores[kind], 'out/')).toEqual(files);
  });

  test('max_num_elements limits the documents', async () => {
    for (const name of ['a', 'b', 'c'])
      await stores[kind].put(`many/${name}.md`, Buffer.from(`# ${name}`), { mediaType: 'text/markdown' }, signal);
    const task = await conversion.convert(
      {},
      { more: [{ ...place[kind]('many/'), max_num_elements: 2 }], target: place[kind]('few') },
    );
    expect(task).toMatchObject({ task_status: 'success', task_meta: { num_docs: 2 } });
  });

  test('credentials that are rejected are a failure of the source or the target, and are not repeated', async () => {
    const wrong =
      kind === 'azure_blob'
        ? {
            ...place.azure_blob('x'),
            connection_string: place.azure_blob('x').connection_string.replace('Eby8', 'AAAA'),
          }
        : { ...place.google_cloud_storage('x'), service_account_key: google.wrongKey };
    const target = await conversion.convert({ 'a.md': '# A' }, { target: wrong });
    expect(target).toMatchObject({ task_status: 'failure', failure: { category: 'target_unavailable' } });
    const source = await conversion.convert({}, { more: [wrong], target: place[kind]('y') });
    expect(source).toMatchObject({ task_status: 'failure', failure: { phase: 'source_enumeration' } });
    for (const told of [JSON.stringify(target), JSON.stringify(source)]) {
      expect(told).toContain('does not accept');
      expect(told).not.toMatch(/AAAAvdM0|PRIVATE KEY|eyJ/);
    }
  });
});
