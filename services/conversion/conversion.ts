import type { Config } from '../../model/config';
import { AppError } from '../../model/errors';
import { type FilesStore, createFiles } from '../storage/files';
import type { Mongo } from '../storage/mongo';
import type { ObjectStore } from '../storage/object-store-port';
import { readTemporalOptions } from '../temporal/client';
import { createConversionEngine } from './engine';
import type { ConversionTasks, ResultFiles } from './ports';
import { createArchive } from './result-archive';
import type { ArtifactStorage } from './result-targets';
import { createConversionStore } from './store';
import { createConversionTasks } from './tasks';

/** The services that the conversion API depends on. */
export interface Conversion {
  tasks: ConversionTasks;
  results: ResultFiles;
  /** Stores uploads. */
  files: FilesStore;
}

/** Creates tasks and results on top of the database, the object store and Temporal. Does not connect to any of them yet. */
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
      engine: createConversionEngine(readTemporalOptions(config, mongo)),
      files,
      keepsArtifacts: findArtifactStorage(config) !== undefined,
    }),
    results: createResultFiles(store),
  };
}

/** The longest lifetime that S3 allows for a presigned URL: seven days. */
const maxPresignSeconds = 604_800;

/**
 * The configured bucket for results, or undefined when it is disabled. Throws INVALID_CONFIGURATION when a setting is missing.
 */
export function findArtifactStorage(config: Config): ArtifactStorage | undefined {
  if (!config.CONVERT_SERVE_ARTIFACT_STORAGE_ENABLED) return undefined;
  const readSetting = (name: 'ENDPOINT' | 'BUCKET' | 'ACCESS_KEY' | 'SECRET_KEY') => {
    const value = config[`CONVERT_SERVE_ARTIFACT_STORAGE_${name}`];
    if (value !== undefined) return value;
    throw new AppError(
      'INVALID_CONFIGURATION',
      `CONVERT_SERVE_ARTIFACT_STORAGE_ENABLED is set, but CONVERT_SERVE_ARTIFACT_STORAGE_${name} is missing.`,
    );
  };
  return {
    location: {
      endpoint: readSetting('ENDPOINT'),
      verify_ssl: config.CONVERT_SERVE_ARTIFACT_STORAGE_VERIFY_SSL,
      bucket: readSetting('BUCKET'),
      access_key: readSetting('ACCESS_KEY'),
      secret_key: readSetting('SECRET_KEY'),
      region: null,
    },
    prefix: config.CONVERT_SERVE_ARTIFACT_STORAGE_KEY_PREFIX,
    seconds: Math.min(config.CONVERT_SERVE_ARTIFACT_STORAGE_PRESIGN_TTL_SECONDS, maxPresignSeconds),
  };
}

/** Reads the contents of results from the object store. */
export function createResultFiles(store: Pick<ObjectStore, 'open' | 'get'>): ResultFiles {
  return {
    open: (key) => store.open(key),
    get: (key) => store.get(key),
    streamArchive: (result, form) => createArchive(result, (key) => store.open(key), form),
  };
}
