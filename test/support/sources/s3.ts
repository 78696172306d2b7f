import { randomUUID } from 'node:crypto';
import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { createAddressGuard } from '../../../services/net/address-guard';
import { createSources } from '../../../services/source/sources';
import type { SourceFixture } from './fixture';

/** A bucket on the S3 server of the tests. */
export async function s3Fixture(): Promise<SourceFixture> {
  const endpoint = process.env['DOCLOOM_S3_ENDPOINT'] ?? 'http://127.0.0.1:9000';
  const accessKeyId = process.env['DOCLOOM_S3_ACCESS_KEY'] ?? '';
  const secretAccessKey = process.env['DOCLOOM_S3_SECRET_KEY'] ?? '';
  const client = new S3Client({
    endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey },
  });
  const bucket = `source-${randomUUID()}`;
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  const put = async (Key: string, Body: string) =>
    void (await client.send(new PutObjectCommand({ Bucket: bucket, Key, Body })));
  const remove = async (Key: string) => void (await client.send(new DeleteObjectCommand({ Bucket: bucket, Key })));
  const credentials = { access_key: accessKeyId, secret_key: secretAccessKey };
  const config = { provider: 's3', connection_params: { bucket, endpoint_url: endpoint }, credentials };
  return {
    provider: 's3',
    sources: createSources({ roots: [], guard: createAddressGuard(['localhost', '127.0.0.1']) }),
    strict: createSources({ roots: [] }),
    config,
    put,
    remove,
    keyOf: ({ relativePath }) => relativePath,
    putAccess: (folder, list) =>
      put([folder, '.acl.json'].filter(Boolean).join('/'), typeof list === 'string' ? list : JSON.stringify(list)),
    missing: { ...config, connection_params: { bucket: `none-${randomUUID()}`, endpoint_url: endpoint } },
    wrongSignIn: { ...config, credentials: { ...credentials, secret_key: 'wrong-password' } },
    async close() {
      const { Contents: left = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket }));
      for (const { Key = '' } of left) await remove(Key);
      await client.send(new DeleteBucketCommand({ Bucket: bucket }));
      client.destroy();
    },
  };
}
