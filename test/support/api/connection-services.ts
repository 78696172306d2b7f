import type { ApiServices } from '../../../api/services';
import type { AuditEntry } from '../../../model/audit/entry';
import { mayUseConnection } from '../../../model/connection/connection';
import { AppError } from '../../../model/errors';
import type { ConnectionAsker, ConnectionRecord } from '../../../services/connection/store';

/** Connections in memory; secrets are forgotten. */
export function memoryConnections(): ApiServices['connections'] {
  const connections = new Map<string, ConnectionRecord>();
  const visible =
    ({ user, everyone }: ConnectionAsker) =>
    (connectionRecord: ConnectionRecord) =>
      everyone || mayUseConnection(user, connectionRecord);
  return {
    create: async (connection) => {
      const isSame = (connectionRecord: ConnectionRecord) =>
        connectionRecord.name === connection.name &&
        connectionRecord.shared === connection.shared &&
        connectionRecord.owner === connection.owner;
      if ([...connections.values()].some(isSame))
        throw new AppError('CONNECTION_ALREADY_EXISTS', `'${connection.name}' exists already.`);
      connections.set(connection.connection_id, connection);
      return connection;
    },
    get: async (asker, id) =>
      [...connections.values()].filter(visible(asker)).find((connection) => connection.connection_id === id),
    list: async (asker, { limit, offset }) => {
      const matchingConnections = [...connections.values()].filter(visible(asker));
      return { items: matchingConnections.slice(offset, offset + limit), total: matchingConnections.length };
    },
    update: async (id, { secret, ...change }) => {
      const before = connections.get(id);
      if (!before) return undefined;
      connections.set(id, { ...before, ...change, has_secret: secret !== undefined || change.hosts === undefined });
      return connections.get(id);
    },
    remove: async (id) => void connections.delete(id),
  };
}

/** The audit log in memory. */
export function memoryAudit(): ApiServices['audit'] {
  const entries: AuditEntry[] = [];
  return {
    write: async (entry) => void entries.unshift(entry),
    note: (entry) => void entries.unshift(entry),
    list: async ({ since = '', until = '~', ...exact }, { limit, offset }) => {
      const matchingEntries = entries.filter(
        (entry) =>
          entry.at >= since &&
          entry.at < until &&
          Object.entries(exact).every(([name, value]) => entry[name as 'user' | 'action' | 'outcome'] === value),
      );
      return { items: matchingEntries.slice(offset, offset + limit), total: matchingEntries.length };
    },
  };
}
