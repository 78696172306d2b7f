import type { Config } from '../../model/config';
import { AppError } from '../../model/errors';
import { createConversionEngine } from './engine';
import type { ConversionTasks, ResultFiles } from './ports';
import { createConversionStore } from './store';
import { createConversionTasks } from './tasks';
import { type FilesStore, createFiles } from '../storage/files';
import type { Mongo } from '../storage/mongo';
import type { ObjectStore } from '../storage/object-store-port';
import { archiveOf } from './result-archive';
import type { ArtifactStorage } from './result-targets';
import { temporalOptions } from '../temporal/client';

/** What the conversion service's api needs. */
export interface Conversion {
  tasks: ConversionTasks;
  results: ResultFiles;
  /** Where uploads are put. */
  files: FilesStore;
}

/** Tasks and results over the database, the object store and Temporal. Nothing is contacted yet. */
export function createConversion({
  config,
  mongo,
  store,
}: {
  config: Config;
  mongo: Mongo;
  store: ObjectStore;
}): Conversion {
  const files = createFiles({ store });
  return {
    files,
    tasks: createConversionTasks({
      store: createConversionStore(mongo),
      engine: createConversionEngine(temporalOptions(config, mongo)),
      files,
      keepsArtifacts: artifactStorage(config) !== undefined,
    }),
    results: createResultFiles(store),
  };
}

/** The operator's bucket for results, when it is configured. INVALID_CONFIGURATION when a part is missing. */
export function artifactStorage(config: Config): ArtifactStorage | undefined {
  if (!config.CONVERT_SERVE_ARTIFACT_STORAGE_ENABLED) return undefined;
  const part = (name: 'ENDPOINT' | 'BUCKET' | 'ACCESS_KEY' | 'SECRET_KEY') => {
    const value = config[`CONVERT_SERVE_ARTIFACT_STORAGE_${name}`];
    if (value !== undefined) return value;
    throw new AppError(
      'INVALID_CONFIGURATION',
      `CONVERT_SERVE_ARTIFACT_STORAGE_ENABLED is set, and CONVERT_SERVE_ARTIFACT_STORAGE_${name} is not.`,
    );
  };
  return {
    location: {
      endpoint: part('ENDPOINT'),
      verify_ssl: config.CONVERT_SERVE_ARTIFACT_STORAGE_VERIFY_SSL,
      bucket: part('BUCKET'),
      access_key: part('ACCESS_KEY'),
      secret_key: part('SECRET_KEY'),
      region: null,
    },
    prefix: config.CONVERT_SERVE_ARTIFACT_STORAGE_KEY_PREFIX,
    seconds: Math.min(config.CONVERT_SERVE_ARTIFACT_STORAGE_PRESIGN_TTL_SECONDS, longestPresign),
  };
}

/** Seconds; S3 takes no more. */
const longestPresign = 604_800;

/** The contents of results in the object store. */
export function createResultFiles(store: Pick<ObjectStore, 'open' | 'get'>): ResultFiles {
  return {
    open: (key) => store.open(key),
    get: (key) => store.get(key),
    archive: (result, form) => archiveOf(result, (key) => store.open(key), form),
  };
}
