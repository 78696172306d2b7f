import { type Static, Type } from '@sinclair/typebox';
import { closedObject } from '../closed-object';
import { literals } from '../literals';
import { pageSchema } from '../wire-parts';
import { LdapDirectory, ServiceDirectory } from './directory';

/** Names of identity maps. `login` is reserved: its groups are those of the login. */
export const identityMapName = '^(?!login$)[a-z0-9][a-z0-9._-]{0,62}$';

const time = Type.String({ format: 'date-time' });
/** Excludes `*`, which stands for every account, and invisible characters that could imitate another account. */
const accountId = Type.String({
  minLength: 1,
  maxLength: 256,
  pattern: '^[^\\s*\\x00-\\x1f\\x7f](?:[^\\x00-\\x1f\\x7f]*[^\\s\\x00-\\x1f\\x7f])?$',
});
const text = Type.String({ minLength: 1, maxLength: 256 });

/** An account of a source. */
export const SourceAccount = closedObject('SourceAccount', {
  id: accountId,
  name: Type.Optional(text),
  mail: Type.Optional(text),
});
export type SourceAccount = Static<typeof SourceAccount>;

/** A group of a source. */
export const SourceGroup = closedObject('SourceGroup', {
  id: accountId,
  name: Type.Optional(text),
  members: Type.Optional(Type.Array(accountId, { maxItems: 20_000, description: 'Ids of accounts.' })),
  groups: Type.Optional(
    Type.Array(accountId, {
      maxItems: 1_000,
      description: 'Ids of groups whose members are members of this one, too.',
    }),
  ),
});
export type SourceGroup = Static<typeof SourceGroup>;

/** The rule that finds the login of an account. */
export const MatchRule = Type.Union(
  [
    closedObject('NameRule', {
      by: Type.Literal('name', { description: 'The login has the name of the account.' }),
      prefix: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 100,
          description: 'Precedes the login in the name, such as `ACME\\\\`. Accounts without it do not match.',
        }),
      ),
      suffix: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 100,
          description: 'Follows the login in the name, such as `@acme.example`. Accounts without it do not match.',
        }),
      ),
      lower_case: Type.Optional(Type.Boolean({ description: 'The login is the name in lower case.' })),
    }),
    closedObject('MailRule', {
      by: Type.Literal('mail', {
        description:
          'The login has the mail address of the account. Addresses of logins count if the directory has them or the provider has verified them.',
      }),
    }),
  ],
  { $id: 'MatchRule' },
);
export type MatchRule = Static<typeof MatchRule>;

const mapMembers = {
  places: Type.Array(
    Type.String({
      maxLength: 1_000,
      pattern:
        '^(?:file:/|(?:smb|sharepoint)://[^/\\x00]+/[^/\\x00]|(?:google-drive|confluence|imap)://[^/\\x00])[^\\x00]*$',
      examples: ['file:/srv/share', 'smb://files.acme.example/docs', 'confluence://acme.atlassian.net'],
    }),
    {
      maxItems: 100,
      uniqueItems: true,
      description:
        'Where the rights of the source decide, for every flow: folders of the worker, such as `file:/srv/share`; folders of Windows shares, such as `smb://files.acme.example/docs` with the host as flows name it; `sharepoint://graph.microsoft.com/TENANT_ID`, `google-drive://www.googleapis.com` and `confluence://acme.atlassian.net`, each also with a drive or space; mail servers, such as `imap://mail.acme.example`, also with a folder. The innermost place counts.',
    },
  ),
  directory: Type.Optional(
    Type.Union([Type.Literal('given'), Type.Literal('system'), Type.Literal('source'), Type.Literal('ldap')], {
      default: 'given',
      description:
        '`given`: the accounts and groups of this map. `system`: those of the machine of the worker (`getent`). `source`: those of the service that `source` names. `ldap`: those of the LDAP directory of the logins. Accounts and groups of the map add to the last two.',
    }),
  ),
  source: Type.Optional(ServiceDirectory),
  ldap: Type.Optional(LdapDirectory),
  match: Type.Optional(
    Type.Array(MatchRule, {
      maxItems: 10,
      description: 'The first rule that gives a login decides. Pairs take precedence.',
    }),
  ),
  pairs: Type.Optional(
    Type.Array(
      Type.Object(
        {
          account: accountId,
          login: Type.Union([text, Type.Null()], { description: 'null: nobody, whatever the rules say.' }),
        },
        { additionalProperties: false },
      ),
      { maxItems: 20_000, description: 'Exceptions: the login of single accounts.' },
    ),
  ),
  acl: Type.Optional(
    Type.Union([Type.Literal('getfacl'), Type.Literal('none')], {
      default: 'getfacl',
      description:
        'How access control lists of files are read: with the program `getfacl` of the worker, or `none` if the places have no such lists.',
    }),
  ),
  sync_minutes: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_440,
      default: 5,
      description: 'How old accounts and groups may be: they are read again after this time.',
    }),
  ),
  max_staleness_minutes: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 43_200,
      default: 60,
      description: 'After this time without a successful sync, `when_stale` applies.',
    }),
  ),
  when_stale: Type.Optional(
    Type.Union([Type.Literal('deny'), Type.Literal('serve')], {
      default: 'deny',
      description:
        '`deny`: nobody has an account of this map until a sync succeeds. `serve`: the last known accounts count.',
    }),
  ),
};

/** An identity map as administrators write it. */
export const IdentityMapInput = closedObject('IdentityMapInput', {
  ...mapMembers,
  accounts: Type.Optional(Type.Array(SourceAccount, { maxItems: 20_000 })),
  groups: Type.Optional(Type.Array(SourceGroup, { maxItems: 20_000 })),
});
export type IdentityMapInput = Static<typeof IdentityMapInput>;

/** The last sync of a map. */
export const IdentitySync = Type.Object(
  {
    synced_at: Type.Union([time, Type.Null()], { description: 'When accounts and groups were last read.' }),
    age_seconds: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]),
    is_fresh: Type.Boolean({ description: 'False if they are older than `sync_minutes` and a minute.' }),
    is_closed: Type.Boolean({ description: 'True while nobody has an account, because the last sync is too old.' }),
    error: Type.Union([Type.Object({ at: time, code: Type.String(), message: Type.String() }), Type.Null()], {
      description: 'Why the last sync failed.',
    }),
    mapped: Type.Integer({ minimum: 0 }),
    unmapped: Type.Integer({ minimum: 0, description: 'Accounts without a login; they give access to nobody.' }),
    ambiguous: Type.Integer({
      minimum: 0,
      description: 'Accounts that share a login or a mail address by rule; they give access to nobody. A pair decides.',
    }),
    groups: Type.Integer({ minimum: 0 }),
  },
  { additionalProperties: false },
);
export type IdentitySync = Static<typeof IdentitySync>;

/** An identity map with its state, without its accounts. */
export const IdentityMapReply = closedObject('IdentityMap', {
  map_id: Type.String(),
  ...mapMembers,
  updated_at: time,
  updated_by: Type.String(),
  sync: IdentitySync,
});
export type IdentityMapReply = Static<typeof IdentityMapReply>;

/** All identity maps, by name. */
export const IdentityMapPage = pageSchema(IdentityMapReply, 'IdentityMapPage');

/** Whether an account grants access to a login. */
export const identityStates = ['mapped', 'unmapped', 'ambiguous'] as const;
export type IdentityState = (typeof identityStates)[number];
export const IdentityStateSchema = literals(identityStates);

/** An account of a source with its login. */
export const IdentityReply = closedObject('Identity', {
  account: Type.String(),
  name: Type.Union([Type.String(), Type.Null()]),
  mail: Type.Union([Type.String(), Type.Null()]),
  state: IdentityStateSchema,
  login: Type.Union([Type.String(), Type.Null()]),
  by: Type.Union([Type.Literal('pair'), Type.Literal('name'), Type.Literal('mail'), Type.Null()]),
  groups: Type.Array(Type.String(), { description: 'Ids of its groups, with those that contain them.' }),
});
export type IdentityReply = Static<typeof IdentityReply>;

/** One page of the accounts of a map, by id. */
export const IdentityPage = pageSchema(IdentityReply, 'IdentityPage');
