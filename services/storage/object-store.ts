import path from 'node:path';
import type { Config } from '../../model/config';
import { createFolderStore } from './object-store-folder';
import type { ObjectStore } from './object-store-port';
import { createS3Store } from './object-store-s3';

/** The configured store: a folder under DOCLOOM_DATA, or a bucket. Opens nothing yet. */
export function createObjectStore(config: Config): ObjectStore {
  if (config.DOCLOOM_STORAGE === 'folder') return createFolderStore(path.resolve(config.DOCLOOM_DATA, 'store'));
  return createS3Store({
    endpoint: config.DOCLOOM_S3_ENDPOINT,
    region: config.DOCLOOM_S3_REGION,
    bucket: config.DOCLOOM_S3_BUCKET,
    prefix: config.DOCLOOM_S3_PREFIX,
    accessKey: config.DOCLOOM_S3_ACCESS_KEY,
    secretKey: config.DOCLOOM_S3_SECRET_KEY,
  });
}
