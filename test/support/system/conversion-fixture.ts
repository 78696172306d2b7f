import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { readConfig } from '../../../model/config';
import { type ConvertOptions, buildDefaultConvertOptions } from '../../../model/conversion/request/options';
import type { TaskDescriptor } from '../../../model/conversion/task/task';
import { type Conversion, createConversion } from '../../../services/conversion/conversion';
import type { NewConversionTask, TaskResult, TaskSource } from '../../../services/conversion/ports';
import { type ConversionStore, createConversionStore } from '../../../services/conversion/store';
import { connectMongo } from '../../../services/storage/mongo';
import { createObjectStore } from '../../../services/storage/object-store';
import { createConfiguredSealer } from '../../../services/storage/sealing/sealer-keys';
import { createSystem, type System } from './system';

const root = path.join(__dirname, '..', '..', '..');
const { build } = require(path.join(root, 'scripts', 'build.js')) as { build: () => number };

/** The conversion service without HTTP: tasks as in the api, and workers as separate processes. */
export interface ConversionSystem extends Conversion {
  system: System;
  /** What the workers share with the api. */
  records: ConversionStore;
  /** Stores the files and submits a task of them. */
  submit(files: Record<string, Uint8Array | string>, change?: TaskChange): Promise<TaskDescriptor>;
  /** Submits a task and waits for its end. */
  convert(files: Record<string, Uint8Array | string>, change?: TaskChange): Promise<TaskDescriptor>;
  /** The content of an output of a result. */
  text(result: TaskResult, index: number, format: string): Promise<string>;
  /** Closes the connections of this process. */
  close(): Promise<void>;
  stop(): Promise<void>;
}

/** How a task differs from a plain conversion to Markdown. */
export type TaskChange = Partial<Omit<NewConversionTask, 'options'>> & {
  options?: Partial<ConvertOptions>;
  /** In addition to the files. */
  more?: TaskSource[];
};

/** A Word document of the samples. */
export const wordDocument = readFileSync(path.join(root, 'samples/documents/finance/supply-contract.docx'));

/** Creates the system on the servers of the environment; no worker runs yet. */
export function createConversionSystem(change: Record<string, string> = {}): ConversionSystem {
  build();
  const system = createSystem(change);
  const config = readConfig(system.env);
  const mongo = connectMongo(config.MONGODB_URL, createConfiguredSealer(config));
  const store = createObjectStore(config);
  const conversion = createConversion({ config, mongo, store });
  const { tasks, files: kept } = conversion;

  async function close() {
    await tasks.close();
    await mongo.close();
    store.close();
  }
  async function submit(files: Record<string, Uint8Array | string>, taskChange: TaskChange = {}) {
    const { options, more = [], ...rest } = taskChange;
    const id = rest.id ?? randomUUID();
    const uploads = Object.entries(files).map(async ([filename, content], index): Promise<TaskSource> => {
      const bytes = typeof content === 'string' ? Buffer.from(content) : content;
      const key = tasks.uploadKey(id, index);
      await kept.put(key, bytes);
      return { kind: 'file', key, filename, size: bytes.byteLength };
    });
    return tasks.submit({
      tenant: 'default',
      task_type: 'convert',
      target: { kind: 'inbody' },
      callbacks: [],
      ...rest,
      id,
      options: { ...buildDefaultConvertOptions(), ...options },
      sources: [...(await Promise.all(uploads)), ...more],
    });
  }
  return {
    ...conversion,
    system,
    records: createConversionStore(mongo),
    submit,
    async convert(files, taskChange = {}) {
      const { task_id } = await submit(files, taskChange);
      return tasks.wait(taskChange.tenant ?? 'default', task_id, 60_000);
    },
    async text(result, index, format) {
      const output = result.documents[index]?.outputs[format];
      return output ? Buffer.from(await conversion.results.get(output.key)).toString() : '';
    },
    close,
    async stop() {
      await close();
      await system.stop();
    },
  };
}

/** Creates this number of small Markdown files. */
export function manyFiles(count: number): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`file-${index}.md`, `# File ${index}\n\nIts text.`]),
  );
}
