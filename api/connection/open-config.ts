import type { TSchema } from '@sinclair/typebox';
import { type ConnectionType, findUsableConnection, listConnectionNames } from '../../model/connection/connection';
import type { Person } from '../../model/run/rights';
import type { ConnectionsStore } from '../../services/connection/store';
import { resolveSecrets } from '../../services/run/secrets';

/** What decides which secrets a configuration may use, and where they may be sent. */
export interface ConfigSecrets {
  schema: TSchema;
  types: readonly ConnectionType[];
  fallback: readonly string[];
}

/**
 * The configuration with the secrets of connections that the person may use; without a person, no connection is opened. Throws
 * CONNECTION_NOT_FOUND, SECRET_NOT_FOUND or SECRET_NOT_ALLOWED like a run.
 */
export async function openConfig(
  config: Record<string, unknown>,
  { person, connections }: { person: Person | undefined; connections: Pick<ConnectionsStore, 'open'> | undefined },
  secrets: ConfigSecrets,
): Promise<Record<string, unknown>> {
  const names = listConnectionNames(config);
  const people = person ? [person] : [];
  const opened = names.length > 0 && person && connections ? await connections.open(names, people) : [];
  return resolveSecrets(
    config,
    {},
    { ...secrets, findConnection: (name) => findUsableConnection(opened, name, people) },
  );
}

/** True if the configuration names secrets in the environment of the worker. */
export function usesWorkerSecrets(config: Record<string, unknown>): boolean {
  return JSON.stringify(config).includes('${DOCLOOM_SECRET_');
}
