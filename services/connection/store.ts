import type { Collection, Filter } from 'mongodb';
import { mayUseConnection, type OpenConnection } from '../../model/connection/connection';
import type { ConnectionReply } from '../../model/connection/wire';
import { AppError } from '../../model/errors';
import type { Person } from '../../model/run/rights';
import { guard, isDuplicate, type Mongo, createWhenReady } from '../storage/mongo';
import { readPage } from '../storage/read-page';
import type { SealedCollection } from '../storage/sealing/rotation';

/**
 * A secret, the hosts to which it may be sent, and the users who may use it. The secret leaves the store only to be used.
 */
export type ConnectionRecord = ConnectionReply;

/** One text, or several by name. */
export type ConnectionSecret = string | Record<string, string>;

/** The members that may be changed. New hosts without a secret drop the stored one. */
export type ConnectionChange = Partial<Pick<ConnectionRecord, 'name' | 'hosts' | 'users' | 'groups'>> & {
  secret?: ConnectionSecret;
};

/** The requesting user; `everyone` for administrators. */
export interface ConnectionAsker {
  user: Person;
  everyone: boolean;
}

/** Connections. Names are unique per owner, and among the shared ones; a duplicate throws CONNECTION_ALREADY_EXISTS. */
export interface ConnectionsStore {
  create(connection: ConnectionRecord, secret: ConnectionSecret): Promise<ConnectionRecord>;
  get(asker: ConnectionAsker, connectionId: string): Promise<ConnectionRecord | undefined>;
  /** Sorted by name: the connections that the user may use; for administrators, all of them. */
  list(
    asker: ConnectionAsker,
    page: { limit: number; offset: number },
  ): Promise<{ items: ConnectionRecord[]; total: number }>;
  /** Undefined if it was removed. Throws CONFLICT for concurrent changes. */
  update(connectionId: string, change: ConnectionChange): Promise<ConnectionRecord | undefined>;
  remove(connectionId: string): Promise<void>;
  /** The connections with these names that at least one of the people may use, with their secrets. */
  open(names: readonly string[], people: readonly Person[]): Promise<OpenConnection[]>;
}

interface Stored extends Omit<ConnectionRecord, 'connection_id' | 'has_secret'> {
  _id: string;
  /** Names are unique within it: `*` for shared ones, else the owner. */
  scope: string;
  /** Sealed; null after a change of hosts. */
  secret: ConnectionSecret | null;
}

/** Connections in MongoDB. A secret is encrypted together with its type and hosts, and cannot be decrypted for others. */
export function createConnectionsStore(mongo: Mongo): ConnectionsStore {
  const connections = mongo.collection<Stored>('connections');
  const whenReady = createWhenReady(() => connections.createIndex({ scope: 1, name: 1 }, { unique: true }));
  const seal: Seal = (secret, bound) => mongo.sealer.seal({ secret }, formatConnectionPlace(bound)).secret;

  return {
    create: (connection, secret) =>
      whenReady(async () => {
        const { connection_id: _id, has_secret: _told, ...members } = connection;
        const scope = connection.shared ? '*' : `user:${connection.owner}`;
        const stored: Stored = { _id, ...members, scope, secret: seal(secret, { _id, ...members }) };
        await connections.insertOne(stored).catch((error: unknown) => throwNameTaken(connection.name, error));
        return readStored(stored);
      }),
    get: (asker, connectionId) =>
      guard(async () => {
        const stored = await connections.findOne({ _id: connectionId, ...getVisibleTo(asker) });
        return stored ? readStored(stored) : undefined;
      }),
    list: (asker, { limit, offset }) =>
      guard(() => readPage(connections, getVisibleTo(asker), { sort: { name: 1, _id: 1 }, limit, offset }, readStored)),
    update: (connectionId, change) => guard(() => update(connections, seal, connectionId, change)),
    remove: (connectionId) => guard(async () => void (await connections.deleteOne({ _id: connectionId }))),
    open: (names, people) =>
      guard(async () => {
        const records = await connections.find({ name: { $in: [...names] } }).toArray();
        return records
          .filter((record) => people.some((person) => mayUseConnection(person, record)))
          .map(({ secret, ...item }) => {
            const opened = secret === null ? undefined : mongo.sealer.open(secret, formatConnectionPlace(item));
            return { ...item, secret: opened };
          });
      }),
  };
}

type Seal = (secret: ConnectionSecret, bound: Pick<Stored, '_id' | 'type' | 'hosts'>) => ConnectionSecret;

async function update(
  connections: Collection<Stored>,
  seal: Seal,
  connectionId: string,
  { secret, ...change }: ConnectionChange,
): Promise<ConnectionRecord | undefined> {
  const before = await connections.findOne({ _id: connectionId });
  if (!before) return undefined;
  const hosts = change.hosts ?? before.hosts;
  const isMoved = JSON.stringify(hosts) !== JSON.stringify(before.hosts);
  const bound = { _id: connectionId, type: before.type, hosts };
  const dropped = isMoved ? { secret: null } : {};
  const secretChange = secret === undefined ? dropped : { secret: seal(secret, bound) };
  const updated_at = new Date().toISOString();
  // A concurrent change of the hosts must not leave a secret that was meant for other hosts.
  const stored = await connections
    .findOneAndUpdate(
      { _id: connectionId, hosts: before.hosts, updated_at: before.updated_at },
      { $set: { ...change, ...secretChange, updated_at } },
      { returnDocument: 'after' },
    )
    .catch((error: unknown) => throwNameTaken(change.name ?? '', error));
  if (stored) return readStored(stored);
  throw new AppError('CONFLICT', 'The connection was changed at the same moment; read it and try again.');
}

/** The members of connections that contain secrets. */
export const sealedConnections: SealedCollection = {
  collection: 'connections',
  fields: { secret: 'value' },
  formatPlace: (record) => formatConnectionPlace(record as unknown as Stored),
};

/** The place of a connection's secret, for the sealer: the encrypted text is of no use with another type or host. */
function formatConnectionPlace({ _id, type, hosts }: Pick<Stored, '_id' | 'type' | 'hosts'>): string {
  return `connections/${_id}/${JSON.stringify([type, hosts])}`;
}

function getVisibleTo({ user, everyone }: ConnectionAsker): Filter<Stored> {
  if (everyone) return {};
  const { username, groups } = user;
  return {
    $or: [
      { shared: false, owner: username },
      { shared: true, users: { $in: [username, '*'] } },
      { shared: true, groups: { $in: [...groups] } },
    ],
  };
}

function readStored({ _id, secret, scope: _scope, ...connection }: Stored): ConnectionRecord {
  return { connection_id: _id, ...connection, has_secret: secret !== null };
}

/** Throws CONNECTION_ALREADY_EXISTS for a duplicate key, and any other error unchanged. */
function throwNameTaken(name: string, error: unknown): never {
  if (!isDuplicate(error)) throw error;
  throw new AppError('CONNECTION_ALREADY_EXISTS', `A connection with the name '${name}' exists already.`, {
    target: { type: 'field', name: 'name' },
  });
}
