import { type Static, Type } from '@sinclair/typebox';

/** Login credentials. An empty password passes validation and is rejected with 401. */
export const LoginRequest = Type.Object(
  { username: Type.String({ minLength: 1, maxLength: 256 }), password: Type.String({ maxLength: 1024 }) },
  { $id: 'LoginRequest' },
);
export type LoginRequest = Static<typeof LoginRequest>;

/** A token for the header `Authorization: Bearer`. */
export const TokenReply = Type.Object(
  { access_token: Type.String(), token_type: Type.Literal('bearer') },
  { $id: 'TokenReply' },
);
export type TokenReply = Static<typeof TokenReply>;

/** The kinds of providers; microsoft is an alias of azure. */
export const ProviderName = Type.Unsafe<'google' | 'azure' | 'microsoft' | 'generic'>({
  type: 'string',
  enum: ['google', 'azure', 'microsoft', 'generic'],
  description: 'The login provider. Default: the configured provider.',
});

/** The code from a provider login in the browser; valid once, for one minute. */
export const CodeExchange = Type.Object(
  { code: Type.String({ minLength: 1, maxLength: 512 }) },
  { $id: 'CodeExchange' },
);
export type CodeExchange = Static<typeof CodeExchange>;

/** The login providers, each with the path that starts its login. */
export const ProviderList = Type.Object(
  {
    providers: Type.Array(
      Type.Object({ name: Type.String(), display_name: Type.String(), authorize_url: Type.String() }),
    ),
  },
  { $id: 'ProviderList' },
);
export type ProviderList = Static<typeof ProviderList>;

/** The metadata of an OpenID Connect provider. Members other than the issuer are passed through. */
export const DiscoveryDocument = Type.Object(
  { issuer: Type.Optional(Type.String()) },
  { $id: 'DiscoveryDocument', additionalProperties: true },
);
export type DiscoveryDocument = Static<typeof DiscoveryDocument>;

/** The user that a token belongs to. */
export const UserInfo = Type.Object(
  {
    username: Type.String(),
    email: Type.String(),
    full_name: Type.String(),
    is_administrator: Type.Optional(Type.Boolean({ description: 'In the reply of /auth/me to administrators.' })),
  },
  { $id: 'UserInfo' },
);
export type UserInfo = Static<typeof UserInfo>;
