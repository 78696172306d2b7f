import { type Static, Type } from '@sinclair/typebox';
import { closedObject } from '../closed-object';
import { literals } from '../literals';
import { pageSchema } from '../wire-parts';
import { connectionTypes } from './connection';

const name = Type.String({
  pattern: '^[a-z0-9][a-z0-9_-]{0,62}$',
  description:
    'Flows refer to it as `${connection:NAME}`. Unique among your own connections, and among the shared ones.',
});
const type = literals(connectionTypes, {
  description:
    'The kind of server that receives the secret: `model` (language, embedding and vision models), `conversion` (remote conversion services), `web` (web, WebDAV and git sources), `s3` (buckets of sources and exports), `sftp` (SSH servers of sources), `imap` (mail servers of sources), `smb` (file servers of sources), `azure` and `gcs` (Azure Blob Storage and Google Cloud Storage, of sources and exports), `sharepoint`, `google_drive` and `confluence` (online sources), `opensearch`, `elasticsearch` (exports), `milvus`, `postgresql`, `custom` (custom operators). Cannot be changed.',
});
const hosts = Type.Array(
  Type.String({
    pattern: '^(operator:[a-z0-9_]+|(\\*\\.)?([A-Za-z0-9.-]+|\\[[0-9A-Fa-f:.]+\\])(:[0-9]{1,5})?)$',
    maxLength: 260,
    description: 'host, host:port, *.domain or operator:NAME',
  }),
  {
    minItems: 1,
    maxItems: 20,
    description:
      'Where the secret may go: `host`, `host:port` or `*.domain`; `operator:NAME` for custom operators. An entry without a port allows every port.',
  },
);
const value = Type.String({ minLength: 1, maxLength: 16_000 });
const secret = Type.Union(
  [value, Type.Record(Type.String({ pattern: '^[a-z0-9_]{1,64}$' }), value, { maxProperties: 20 })],
  {
    writeOnly: true,
    description:
      'Never returned. A single text, or several named members, which flows reference as `${connection:NAME.MEMBER}`.',
  },
);
const definePrincipals = (description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 256 }), { maxItems: 1_000, description });
const users = definePrincipals('Login names of users who may use it; `*` for every user. For shared connections.');
const groups = definePrincipals('Groups whose members may use it. For shared connections.');

/** A new connection. */
export const ConnectionCreate = closedObject('ConnectionCreate', {
  name,
  type,
  hosts,
  secret,
  shared: Type.Optional(
    Type.Boolean({
      description: 'For administrators: a connection for `users` and `groups` instead of its owner alone.',
    }),
  ),
  users: Type.Optional(users),
  groups: Type.Optional(groups),
});
export type ConnectionCreate = Static<typeof ConnectionCreate>;

/** Only the members that are sent are changed. */
export const ConnectionPatch = Type.Object(
  {
    name: Type.Optional(name),
    hosts: Type.Optional(hosts),
    secret: Type.Optional(secret),
    users: Type.Optional(users),
    groups: Type.Optional(groups),
  },
  { $id: 'ConnectionPatch', additionalProperties: false, minProperties: 1 },
);
export type ConnectionPatch = Static<typeof ConnectionPatch>;

/** A connection, without its secret. */
export const ConnectionReply = closedObject('Connection', {
  connection_id: Type.String(),
  name: Type.String(),
  type,
  hosts: Type.Array(Type.String()),
  owner: Type.String(),
  shared: Type.Boolean(),
  users: Type.Array(Type.String(), { description: 'Empty unless you may change the connection.' }),
  groups: Type.Array(Type.String(), { description: 'Empty unless you may change the connection.' }),
  has_secret: Type.Boolean({ description: 'False after the hosts were changed without giving the secret again.' }),
  created_at: Type.String({ format: 'date-time' }),
  updated_at: Type.String({ format: 'date-time' }),
});
export type ConnectionReply = Static<typeof ConnectionReply>;

/** One page of connections. */
export const ConnectionPage = pageSchema(ConnectionReply, 'ConnectionPage');
export type ConnectionPage = Static<typeof ConnectionPage>;
