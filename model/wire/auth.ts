import { type Static, Type } from '@sinclair/typebox';

/** What a login needs. An empty password is well-formed and refused with 401. */
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

/** Who a token belongs to. */
export const UserInfo = Type.Object(
  { username: Type.String(), email: Type.String(), full_name: Type.String() },
  { $id: 'UserInfo' },
);
export type UserInfo = Static<typeof UserInfo>;
