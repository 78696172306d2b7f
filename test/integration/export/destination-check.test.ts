import { randomUUID } from 'node:crypto';
import { CreateBucketCommand, DeleteBucketCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { openAzureContainer } from '../../../services/cloud/azure-container';
import { openGoogleBucket } from '../../../services/cloud/google-bucket';
import { readGoogleKey } from '../../../services/cloud/google-key';
import { createGoogleTokens } from '../../../services/cloud/google-token';
import { createDestinationChecks } from '../../../services/export/check';
import type { FileTarget } from '../../../services/export/place';
import { createAddressGuard } from '../../../services/net/address-guard';
import { azuriteAccount, startAzurite } from '../../support/servers/azurite';
import { startGoogleStorage } from '../../support/servers/google-storage';
import { createContainer } from '../../support/sources/azure';
import { createGoogleBucket } from '../../support/sources/gcs';

/** Checks of destinations on real servers. What a lying server may do is in test/security/export/destination-checks.test.ts. */
const endpoint = process.env['DOCLOOM_S3_ENDPOINT'] ?? 'http://127.0.0.1:9000';
const accessKey = process.env['DOCLOOM_S3_ACCESS_KEY'] ?? '';
const secretKey = process.env['DOCLOOM_S3_SECRET_KEY'] ?? '';
const guard = createAddressGuard(['127.0.0.1', 'localhost']);
const checks = createDestinationChecks({ guard, limits: { roots: [], closed: [] } });
const { signal } = new AbortController();

async function check(target: FileTarget): Promise<string[]> {
  const rights = await checks.check(target);
  expect(JSON.stringify(rights)).not.toContain(secretKey);
  return rights.map(({ right, outcome }) => `${right} ${outcome}`);
}
async function listAll<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
const granted = ['reach granted', 'sign_in granted', 'write granted', 'read granted', 'remove granted'];
const stoppedAt = (right: string) => {
  const at = granted.indexOf(`${right} granted`);
  return granted.map((line, index) => {
    if (index < at) return line;
    return line.replace('granted', index === at ? 'denied' : 'unknown');
  });
};

describe('a bucket of S3', () => {
  const bucket = `checked-${randomUUID()}`;
  const target = {
    kind: 's3',
    bucket,
    prefix: 'export/',
    endpoint,
    region: 'us-east-1',
    accessKey,
    secretKey,
  } as const;
  const client = new S3Client({
    endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId: accessKey, secretAccessKey: secretKey },
  });
  beforeAll(async () => void (await client.send(new CreateBucketCommand({ Bucket: bucket }))));
  afterAll(async () => {
    await client.send(new DeleteBucketCommand({ Bucket: bucket }));
    client.destroy();
  });

  test('grants every right, and is as empty as before', async () => {
    expect(await check(target)).toEqual(granted);
    const { Contents: left } = await client.send(new ListObjectsV2Command({ Bucket: bucket }));
    expect(left ?? []).toEqual([]);
  });

  test('denies the sign-in with wrong keys, and is not reached when it is missing', async () => {
    expect(await check({ ...target, secretKey: 'another-wrong-key' })).toEqual(stoppedAt('sign_in'));
    expect(await check({ ...target, bucket: `none-${randomUUID()}` })).toEqual(stoppedAt('reach'));
    expect(await check({ ...target, endpoint: 'http://127.0.0.1:9' })).toEqual(stoppedAt('reach'));
  });
});

describe('clouds', () => {
  let azurite: Awaited<ReturnType<typeof startAzurite>>;
  let google: Awaited<ReturnType<typeof startGoogleStorage>>;
  beforeAll(async () => {
    azurite = await startAzurite();
    google = await startGoogleStorage();
  });
  afterAll(async () => {
    await azurite.stop();
    await google.stop();
  });

  test('a container of Azure grants every right, and is as empty as before', async () => {
    const container = { containerUrl: await createContainer(azurite.url), accountKey: azuriteAccount.key };
    expect(await check({ kind: 'azure', container, prefix: 'a/' })).toEqual(granted);
    const store = openAzureContainer(container, guard);
    expect(await listAll(store.list({ prefix: '', recursive: true }, signal))).toEqual([]);
    store.close();
    const accountKey = Buffer.from('another key').toString('base64');
    expect(await check({ kind: 'azure', container: { ...container, accountKey }, prefix: '' })).toEqual(
      stoppedAt('sign_in'),
    );
    const containerUrl = `${container.containerUrl}-none`;
    expect(await check({ kind: 'azure', container: { ...container, containerUrl }, prefix: '' })).toEqual(
      stoppedAt('reach'),
    );
  });

  test('a bucket of Google grants every right, and is as empty as before', async () => {
    const bucket = await createGoogleBucket(google);
    const { endpoint: address, key } = google;
    const keyText = JSON.stringify(key);
    expect(await check({ kind: 'gcs', bucket, endpoint: address, keyText, prefix: 'a/' })).toEqual(granted);
    const location = { bucket, endpoint: address, key: readGoogleKey(keyText) };
    const store = openGoogleBucket(location, 'read_write', { guard, tokens: createGoogleTokens() });
    expect(await listAll(store.list({ prefix: '', recursive: true }, signal))).toEqual([]);
    store.close();
    expect(await check({ kind: 'gcs', bucket: `${bucket}-none`, endpoint: address, keyText, prefix: '' })).toEqual(
      stoppedAt('reach'),
    );
    const noKey = await checks.check({ kind: 'gcs', bucket, endpoint: address, keyText: 'no key', prefix: '' });
    expect(noKey[0]).toMatchObject({ outcome: 'denied', code: 'OPERATOR_CONFIGURATION_INVALID' });
  });
});
