import { Client, Connection } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import type { Config } from '../../model/config';
import type { QueueKind } from '../../model/run/queue-kinds';
import { trimSlashes } from '../../model/trim-slashes';
import { createInstallationRecords } from '../installation/record';
import type { Mongo } from '../storage/mongo';
import { createPayloadCodec } from './payload-codec';
import { readTemporalTls, type TemporalTls } from './tls';
import { tracedStarts } from './traced-starts';

/** The Temporal server and its task queues. `dataConverter` is set when payloads are encrypted; workers need the same one. */
export interface TemporalOptions {
  address: string;
  /** Absent: none. */
  tls?: TemporalTls;
  namespace: string;
  /** Prefix of the task queues, without the installation's identity. */
  taskQueue: string;
  /** The installation's identity, part of the names of its task queues. Absent for the queues of earlier versions. */
  readIdentity?: () => Promise<string>;
  dataConverter?: DataConverter;
  /** Address of the api, for links in the Temporal UI. */
  publicUrl?: string;
}

/** The prefix of the installation's task queues. Differs between installations on the same server. */
export async function readQueuePrefix({
  taskQueue,
  readIdentity,
}: Pick<TemporalOptions, 'taskQueue' | 'readIdentity'>): Promise<string> {
  return readIdentity ? `${taskQueue}-${await readIdentity()}` : taskQueue;
}

/** The name of one of the installation's task queues. Throws DATABASE_UNAVAILABLE while the identity cannot be read. */
export async function getQueueName(
  options: Pick<TemporalOptions, 'taskQueue' | 'readIdentity'>,
  kind: QueueKind,
): Promise<string> {
  return `${await readQueuePrefix(options)}-${kind}`;
}

/**
 * The options in the configuration, for the installation of the database. Throws INVALID_CONFIGURATION for an invalid key, or a
 * file of authorities that cannot be read.
 */
export function readTemporalOptions(
  config: Config,
  mongo: Mongo,
): TemporalOptions & Required<Pick<TemporalOptions, 'readIdentity'>> {
  const keys = config.DOCLOOM_PAYLOAD_KEYS;
  const records = createInstallationRecords(mongo);
  let identity: string | undefined;
  return {
    address: config.TEMPORAL_ADDRESS,
    tls: readTemporalTls(config),
    namespace: config.TEMPORAL_NAMESPACE,
    taskQueue: config.DOCLOOM_TASK_QUEUE,
    readIdentity: async () => (identity ??= (await records.ensure()).identity),
    ...(config.DOCLOOM_PUBLIC_URL ? { publicUrl: trimSlashes(config.DOCLOOM_PUBLIC_URL) } : {}),
    ...(keys.length > 0 ? { dataConverter: { payloadCodecs: [createPayloadCodec(keys)] } } : {}),
  };
}

/** Connects with the first call. The caller closes the connection. */
export function openTemporal({ address, tls = false, namespace, dataConverter }: Omit<TemporalOptions, 'taskQueue'>): {
  connection: Connection;
  client: Client;
} {
  const connection = Connection.lazy({ address, tls, connectTimeout: '4s' });
  return {
    connection,
    client: new Client({
      connection,
      namespace,
      interceptors: { workflow: [tracedStarts] },
      ...(dataConverter ? { dataConverter } : {}),
    }),
  };
}
