import { type Static, Type } from '@sinclair/typebox';
import { closedObject } from '../closed-object';

export const NameKind = Type.Union([Type.Literal('user'), Type.Literal('group')]);

/** The name of a user or group, for lists of readers and members. */
export const KnownName = closedObject('KnownName', {
  kind: NameKind,
  name: Type.String(),
  full_name: Type.Optional(Type.String()),
  email: Type.Optional(Type.String()),
  from: Type.Union([Type.Literal('directory'), Type.Literal('logins'), Type.Literal('projects')], {
    description: '`logins`: a user who logged in here, or a group of such a user.',
  }),
});
export type KnownName = Static<typeof KnownName>;

/** Names that begin with a text. */
export const KnownNames = closedObject('KnownNames', {
  names: Type.Array(KnownName, { description: 'Users first, each kind sorted by name.' }),
  is_cut: Type.Boolean({ description: 'True if there are more: ask for a longer text.' }),
  directory: Type.Union(
    [
      Type.Literal('searched'),
      Type.Literal('not_configured'),
      Type.Literal('unavailable'),
      Type.Literal('for_administrators'),
    ],
    { description: 'Whether the directory was asked. `not_configured`: LDAP_BIND_DN or its password is not set.' },
  ),
});
export type KnownNames = Static<typeof KnownNames>;
