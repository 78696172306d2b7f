import { type Static, Type } from '@sinclair/typebox';
import { closedObject } from '../closed-object';
import { literals } from '../literals';
import { pageSchema } from '../wire-parts';

/** The scopes of an API key. None includes another. */
export const keyScopes = ['read', 'run', 'write', 'admin'] as const;
export type KeyScope = (typeof keyScopes)[number];

/** Prefix of the names of service accounts; no login has such a name. */
export const serviceAccountPrefix = 'service:';

const time = Type.String({ format: 'date-time' });
const scopes = Type.Array(literals(keyScopes), {
  minItems: 1,
  maxItems: keyScopes.length,
  uniqueItems: true,
  description:
    '`read`: read and search. `run`: start, cancel and repeat runs, retry documents, convert files. `write`: create, change and delete. `admin`: with the other scopes, as an administrator; without it a key of an administrator has the rights of an ordinary user.',
});
const name = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'A label for the key, such as the program that uses it.',
});
const accountPattern = '^service:[a-z0-9][a-z0-9_-]{0,62}$';
const accountName = Type.String({
  pattern: accountPattern,
  description: 'The user name of the account; access lists and lists of readers and members may contain it.',
});

/** A new API key. */
export const ApiKeyCreate = closedObject('ApiKeyCreate', {
  name,
  scopes,
  expires_in_days: Type.Optional(Type.Integer({ minimum: 1, maximum: 366, default: 90 })),
  service_account: Type.Optional(
    Type.String({
      pattern: accountPattern,
      description: 'For administrators: makes a key of this service account.',
    }),
  ),
});
export type ApiKeyCreate = Static<typeof ApiKeyCreate>;

const keyFacts = {
  key_id: Type.String(),
  name: Type.String(),
  owner: Type.String(),
  scopes,
  created_at: time,
  created_by: Type.String(),
  expires_at: time,
  last_used_at: Type.Union([time, Type.Null()], { description: 'To the minute.' }),
};

/** An API key, without the key itself. */
export const ApiKeyReply = Type.Object(keyFacts, { $id: 'ApiKey', additionalProperties: false });
export type ApiKeyReply = Static<typeof ApiKeyReply>;

/** A new API key, with the key itself. */
export const ApiKeyCreated = closedObject('ApiKeyCreated', {
  ...keyFacts,
  key: Type.String({
    description: 'Shown only here. Send it as `Authorization: Bearer KEY`; the server stores a hash of it.',
  }),
});
export type ApiKeyCreated = Static<typeof ApiKeyCreated>;

/** One page of API keys. */
export const ApiKeyPage = pageSchema(ApiKeyReply, 'ApiKeyPage');
export type ApiKeyPage = Static<typeof ApiKeyPage>;

const groups = Type.Array(Type.String({ minLength: 1, maxLength: 256 }), {
  maxItems: 100,
  description: 'Groups of the account, as logins have them from the directory.',
});
const description = Type.String({ maxLength: 1_000 });

/** A new service account. */
export const ServiceAccountCreate = closedObject('ServiceAccountCreate', {
  account_name: accountName,
  description: Type.Optional(description),
  groups: Type.Optional(groups),
});
export type ServiceAccountCreate = Static<typeof ServiceAccountCreate>;

/** A user without a login, who acts through API keys. */
export const ServiceAccountReply = closedObject('ServiceAccount', {
  account_name: Type.String(),
  description,
  groups,
  created_at: time,
  created_by: Type.String(),
});
export type ServiceAccountReply = Static<typeof ServiceAccountReply>;

/** One page of service accounts. */
export const ServiceAccountPage = pageSchema(ServiceAccountReply, 'ServiceAccountPage');
export type ServiceAccountPage = Static<typeof ServiceAccountPage>;
