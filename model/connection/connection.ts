import type { Person } from '../run/rights';

/** The kinds of servers a secret can belong to. An operator accepts only secrets of its own kind. */
export const connectionTypes = [
  'model',
  'conversion',
  'web',
  's3',
  'sftp',
  'azure',
  'gcs',
  'imap',
  'smb',
  'sharepoint',
  'google_drive',
  'confluence',
  'opensearch',
  'elasticsearch',
  'milvus',
  'postgresql',
  'custom',
] as const;
export type ConnectionType = (typeof connectionTypes)[number];

/** The rules that decide who may use a connection. */
export interface ConnectionRights {
  /** The owner manages the connection. If it is not shared, only the owner may use it. */
  owner: string;
  shared: boolean;
  /** Login names; `*` means every user. */
  users: readonly string[];
  groups: readonly string[];
}

/** A connection with its decrypted secret, ready for use. Never stored, logged or sent. */
export interface OpenConnection extends ConnectionRights {
  name: string;
  type: ConnectionType;
  hosts: readonly string[];
  /** One text, or several by name; undefined when a change of hosts has removed it. */
  secret: string | Record<string, string> | undefined;
}

/** `${connection:NAME}` or `${connection:NAME.MEMBER}`, anywhere in a text. */
export const connectionReference = /\$\{connection:([a-z0-9][a-z0-9_-]*)(?:\.([a-z0-9_]+))?\}/g;

/** True when the user may use the connection in a flow. */
export function mayUseConnection(
  { username, groups }: Person,
  { owner, shared, ...rights }: ConnectionRights,
): boolean {
  if (!shared) return owner === username;
  return (
    rights.users.includes('*') ||
    rights.users.includes(username) ||
    groups.some((group) => rights.groups.includes(group))
  );
}

/** The connection of that name that all of these users may use. An owned connection wins over a shared one. */
export function findUsableConnection<T extends ConnectionRights & { name: string }>(
  connections: readonly T[],
  name: string,
  people: readonly Person[],
): T | undefined {
  const usable = connections.filter(
    (connection) => connection.name === name && people.every((person) => mayUseConnection(person, connection)),
  );
  return usable.find(({ shared }) => !shared) ?? usable[0];
}

/** The names of all connections referenced in a value. */
export function listConnectionNames(value: unknown): string[] {
  const text = JSON.stringify(value) ?? '';
  return [...new Set([...text.matchAll(connectionReference)].map(([, name = '']) => name))];
}
