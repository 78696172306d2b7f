import { Type } from '@sinclair/typebox';
import { isAdmin, type User } from '../../model/access';
import { AppError } from '../../model/errors';
import { LoginRequest, TokenReply, UserInfo } from '../../model/login/wire';
import { serviceAccountPrefix } from '../../model/login/wire-keys';
import type { LoginKind } from '../../services/login/accounts';
import { reply, type Reply, route } from '../http/route';
import type { ApiServices } from '../services';
import { findSession } from './authenticate';
import { createEndedSessionCookies, createSessionCookies, findSessionToken } from './session-cookie';

type LoginServices = Pick<ApiServices, 'tokens' | 'accounts' | 'clock'>;
type SessionServices = Pick<ApiServices, 'tokens' | 'revocations' | 'sessions'>;

const Greeting = Type.Object({ message: Type.String(), user: UserInfo }, { $id: 'Greeting' });

export const login = route({
  method: 'POST',
  path: '/auth/login',
  summary: 'Exchanges a user name and password of the directory for a token.',
  description:
    'Limited to ten attempts per minute for each user name and client address, and to thirty that fail for each client address. A browser also gets the token as a cookie (HttpOnly, SameSite=Strict); a write with the cookie instead of the header needs `X-CSRF-Token` with the value of the cookie docloom_csrf.',
  auth: 'none',
  body: LoginRequest,
  replies: { 200: TokenReply },
  errors: ['UNAUTHORIZED', 'TOO_MANY_REQUESTS', 'SERVICE_UNAVAILABLE', 'DATABASE_UNAVAILABLE'],
  handler: async ({ body, services, options, header, clientAddress, baseUrl, actsAs }) => {
    actsAs(body.username);
    const forgetAttempt = services.loginLimit(clientAddress, body.username);
    services.tokens.requireSecret();
    const user = await services.directory.login(body.username, body.password);
    forgetAttempt();
    await endFormerSession(header('Cookie'), services, options.publicUrl);
    return createTokenReply(user, { services, baseUrl, via: 'directory' });
  },
});

export const logout = route({
  method: 'POST',
  path: '/auth/logout',
  scope: 'login',
  summary: 'Revokes the token. Later requests with it are rejected.',
  replies: { 204: Type.Void() },
  errors: ['DATABASE_UNAVAILABLE'],
  handler: async ({ services: { tokens, revocations, sessions }, options, header, baseUrl }) => {
    const { tokenId, expiresAt } = findSession(header, tokens, options.publicUrl);
    await revocations.revoke(tokenId, expiresAt);
    await sessions.end(tokenId);
    return reply(204, undefined, { 'Set-Cookie': createEndedSessionCookies(baseUrl) });
  },
});

export const me = route({
  method: 'GET',
  path: '/auth/me',
  operationId: 'getCurrentUser',
  summary: 'The user that the token belongs to.',
  replies: { 200: UserInfo },
  handler: ({ user, options }) => ({
    ...toUserInfo(user),
    ...(isAdmin(user, options.adminGroups) ? { is_administrator: true } : {}),
  }),
});

export const protectedExample = route({
  method: 'GET',
  path: '/protected',
  summary: 'An example of a protected endpoint.',
  replies: { 200: Greeting },
  handler: ({ user }) => ({ message: `Hello ${user.username}`, user: toUserInfo(user) }),
});

/** Revokes the session in the browser's cookie, whichever user it belongs to, because a login replaces it. */
export async function endFormerSession(
  cookies: string | undefined,
  { tokens, revocations, sessions }: SessionServices,
  publicUrl: string | undefined,
): Promise<void> {
  const token = findSessionToken(cookies, publicUrl);
  if (token === undefined) return;
  try {
    const { tokenId, expiresAt } = tokens.verify(token);
    await revocations.revoke(tokenId, expiresAt);
    await sessions.end(tokenId);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'UNAUTHORIZED') throw error;
  }
}

/** A new token of the user, in the body for programs and as cookies for browsers. */
export async function createTokenReply(
  user: User,
  { services, baseUrl, via }: { services: LoginServices; baseUrl: string; via: LoginKind },
): Promise<Reply<TokenReply>> {
  const { tokens } = services;
  await recordLogin(user, services, via);
  const access_token = tokens.issue(user, { isRecorded: true });
  const { expiresAt } = tokens.verify(access_token);
  const cookies = createSessionCookies(access_token, { baseUrl, expiresAt });
  return reply(200, { access_token, token_type: 'bearer' }, { 'Set-Cookie': cookies });
}

/** Records who logged in. UNAUTHORIZED for names of service accounts, which a directory or provider may not claim. */
export async function recordLogin(user: User, { accounts, clock }: LoginServices, via: LoginKind): Promise<void> {
  if (user.username.startsWith(serviceAccountPrefix))
    throw new AppError('UNAUTHORIZED', `'${user.username}' is the name of a service account, which has no login.`);
  // A provider may show any address that its user claims.
  const mail = via === 'directory' ? user.email : user.verified_email;
  await accounts.noteLogin(user, { via, at: clock(), mail });
}

function toUserInfo({ username, email, full_name }: User): UserInfo {
  return { username, email, full_name };
}
