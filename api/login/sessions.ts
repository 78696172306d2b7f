import { Type } from '@sinclair/typebox';
import { isAdmin } from '../../model/access';
import { SessionId, SessionPage } from '../../model/login/wire-sessions';
import { buildPage, paging } from '../http/page';
import { read, sessionPolicy } from '../http/policies';
import { route } from '../http/route';
import { findSession } from './authenticate';

export const listSessions = route({
  method: 'GET',
  path: '/api/v1/sessions',
  scope: 'login',
  summary: 'Your sessions, most recently used first. Administrators see the sessions of all users.',
  description:
    'A session is a token that has been used and is still valid, no matter who issued it. API keys are not sessions and cannot call this route.',
  query: Type.Object({
    ...paging,
    username: Type.Optional(
      Type.String({ maxLength: 256, description: 'Only administrators see the sessions of others.' }),
    ),
  }),
  replies: { 200: SessionPage },
  handler: async ({ query: { limit = 100, offset = 0, username }, url, header, user, services, options }) => {
    const owner = isAdmin(user, options.adminGroups) ? username : user.username;
    const page = { limit, offset };
    const isRefused = username !== undefined && owner !== username;
    const { items, total } = isRefused ? { items: [], total: 0 } : await services.sessions.list(owner, page);
    const { tokenId } = findSession(header, services.tokens, options.publicUrl);
    const replies = items.map((item) => ({ ...item, is_current: item.session_id === tokenId }));
    return buildPage(url, replies, { ...page, total });
  },
});

export const deleteSession = route({
  method: 'DELETE',
  path: '/api/v1/sessions/{session_id}',
  scope: 'login',
  summary: 'Ends a session. This process rejects its token immediately, others within five seconds.',
  description:
    'Users can end their own sessions, administrators any session. The user can log in again as long as the directory allows it.',
  params: Type.Object({ session_id: SessionId }),
  replies: { 204: Type.Null() },
  errors: ['SESSION_NOT_FOUND', 'DATABASE_UNAVAILABLE'],
  handler: async ({ params: { session_id }, ...context }) => {
    const { expires_at } = await read(sessionPolicy, session_id, context);
    const { revocations, sessions } = context.services;
    // Revoke the token first: a session that is still listed can be ended again.
    await revocations.revoke(session_id, new Date(expires_at));
    await sessions.end(session_id);
    return null;
  },
});
