import { Type } from '@sinclair/typebox';
import type { User } from '../../model/access';
import { LoginRequest, TokenReply, UserInfo } from '../../model/login/wire';
import { sessionOf } from './authenticate';
import { route } from '../http/route';

const Greeting = Type.Object({ message: Type.String(), user: UserInfo }, { $id: 'Greeting' });

export const login = route({
  method: 'POST',
  path: '/auth/login',
  summary: 'Exchanges a user name and password of the directory for a token.',
  description:
    'Limited to ten attempts per minute for each user name and client address, and to thirty that fail for each client address.',
  tags: ['Authentication'],
  auth: 'none',
  body: LoginRequest,
  replies: { 200: TokenReply },
  errors: ['UNAUTHORIZED', 'TOO_MANY_REQUESTS', 'SERVICE_UNAVAILABLE'],
  handler: async ({ body, services, clientAddress }) => {
    const attempt = services.loginLimit(clientAddress, body.username);
    services.tokens.requireSecret();
    const user = await services.directory.login(body.username, body.password);
    attempt();
    return { access_token: services.tokens.issue(user), token_type: 'bearer' as const };
  },
});

export const logout = route({
  method: 'POST',
  path: '/auth/logout',
  summary: 'Revokes the token: from now on it is refused.',
  tags: ['Authentication'],
  auth: 'user',
  replies: { 204: Type.Void() },
  errors: ['DATABASE_UNAVAILABLE'],
  handler: async ({ services: { tokens, revocations }, header }) => {
    const { tokenId, expiresAt } = sessionOf(header('Authorization'), tokens);
    await revocations.revoke(tokenId, expiresAt);
  },
});

export const me = route({
  method: 'GET',
  path: '/auth/me',
  summary: 'The user that the token belongs to.',
  tags: ['Authentication'],
  auth: 'user',
  replies: { 200: UserInfo },
  errors: [],
  handler: ({ user }) => infoOf(user),
});

export const protectedExample = route({
  method: 'GET',
  path: '/protected',
  summary: 'An example of a protected endpoint.',
  tags: ['Authentication'],
  auth: 'user',
  replies: { 200: Greeting },
  errors: [],
  handler: ({ user }) => ({ message: `Hello ${user.username}`, user: infoOf(user) }),
});

function infoOf({ username, email, full_name }: User): UserInfo {
  return { username, email, full_name };
}
