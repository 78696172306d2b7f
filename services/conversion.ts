import type { Config } from '../model/config';
import { createConversionEngine } from './conversion-engine';
import { createTaskEvents, type TaskEvents } from './conversion-events';
import type { ConversionTasks, ResultFiles } from './conversion-ports';
import { createConversionStore, type ConversionStore } from './conversion-store';
import { createConversionTasks } from './conversion-tasks';
import { createFiles } from './files';
import type { Mongo } from './mongo';
import type { ObjectStore } from './object-store';
import type { FilesStore } from './ports';
import { archiveOf } from './result-archive';

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
      ...createTaskRecords(mongo),
      engine: createConversionEngine({
        address: config.TEMPORAL_ADDRESS,
        namespace: config.TEMPORAL_NAMESPACE,
        taskQueue: config.DOCLOOM_TASK_QUEUE,
      }),
      files,
      keepsArtifacts: config.CONVERT_SERVE_ARTIFACT_STORAGE_ENABLED,
    }),
    results: createResultFiles(store),
  };
}

/** Records and events of tasks, as api and worker share them. */
export function createTaskRecords(mongo: Mongo): { store: ConversionStore; events: TaskEvents } {
  return { store: createConversionStore(mongo), events: createTaskEvents(mongo) };
}

/** The contents of results in the object store. */
export function createResultFiles(store: Pick<ObjectStore, 'open' | 'get'>): ResultFiles {
  return {
    open: (key) => store.open(key),
    get: (key) => store.get(key),
    archive: (result) => archiveOf(result, (key) => store.open(key)),
  };
}
