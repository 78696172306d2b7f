import { Client, Connection } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import type { Config } from '../../model/config';
import { createPayloadCodec } from './payload-codec';

/** Where workflows run. `dataConverter` is set when payloads are encrypted; workers need the same. */
export interface TemporalOptions {
  address: string;
  namespace: string;
  /** Prefix of the task queues. */
  taskQueue: string;
  dataConverter?: DataConverter;
}

/** The options that the configuration names. INVALID_CONFIGURATION for a key that is none. */
export function temporalOptions(config: Config): TemporalOptions {
  const keys = config.DOCLOOM_PAYLOAD_KEYS;
  return {
    address: config.TEMPORAL_ADDRESS,
    namespace: config.TEMPORAL_NAMESPACE,
    taskQueue: config.DOCLOOM_TASK_QUEUE,
    ...(keys.length > 0 ? { dataConverter: { payloadCodecs: [createPayloadCodec(keys)] } } : {}),
  };
}

/** Connects at the first call. Whoever opens the connection closes it. */
export function openTemporal({ address, namespace, dataConverter }: Omit<TemporalOptions, 'taskQueue'>): {
  connection: Connection;
  client: Client;
} {
  const connection = Connection.lazy({ address, connectTimeout: '4s' });
  return { connection, client: new Client({ connection, namespace, ...(dataConverter ? { dataConverter } : {}) }) };
}
