import type { Person } from '../run/acting';

/** Kinds of servers that a secret can be for; each kind of operator takes secrets of its own kind only. */
export const connectionTypes = ['model', 'conversion', 'web', 's3', 'opensearch', 'milvus', 'custom'] as const;
export type ConnectionType = (typeof connectionTypes)[number];

/** Who may use a connection. */
export interface ConnectionRights {
  /** Its owner manages it; one that is not shared is for its owner alone. */
  owner: string;
  shared: boolean;
  /** Login names; `*` stands for every user. */
  users: readonly string[];
  groups: readonly string[];
}

/** A connection that was opened for its use. Never stored, logged or sent. */
export interface OpenConnection extends ConnectionRights {
  name: string;
  type: ConnectionType;
  hosts: readonly string[];
  /** One text, or several by name; undefined after a change of the hosts dropped it. */
  secret: string | Record<string, string> | undefined;
}

/** `${connection:NAME}` or `${connection:NAME.MEMBER}`, anywhere in a text. */
export const connectionReference = /\$\{connection:([a-z0-9][a-z0-9_-]*)(?:\.([a-z0-9_]+))?\}/g;

/** True when this person may use the connection in a flow. */
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

/** The one of that name that all of these people may use: somebody's own rather than a shared one. */
export function usableConnection<T extends ConnectionRights & { name: string }>(
  connections: readonly T[],
  name: string,
  people: readonly Person[],
): T | undefined {
  const usable = connections.filter(
    (one) => one.name === name && people.every((person) => mayUseConnection(person, one)),
  );
  return usable.find(({ shared }) => !shared) ?? usable[0];
}

/** The names of all connections that a value refers to. */
export function connectionNames(value: unknown): string[] {
  const text = JSON.stringify(value) ?? '';
  return [...new Set([...text.matchAll(connectionReference)].map(([, name = '']) => name))];
}
