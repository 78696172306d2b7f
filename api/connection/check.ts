import { Type } from '@sinclair/typebox';
import { isAdmin } from '../../model/access';
import { mayUseConnection } from '../../model/connection/connection';
import { ConnectionCheckReply } from '../../model/connection/wire-check';
import { AppError } from '../../model/errors';
import { limitCheck } from '../flow/checkable';
import { connectionPolicy, read } from '../http/policies';
import { route } from '../http/route';

/** Longer than for one source: a check tries several sources and destinations. */
const checkMs = 60_000;

export const checkConnection = route({
  method: 'POST',
  path: '/api/v1/connections/{connection_id}/check',
  operationId: 'checkConnection',
  scope: 'run',
  summary:
    'Tries a connection: its secret, its hosts, and each right of the sources and destinations that use it in your flows.',
  description:
    'For connections that you may use. Nothing is sent to the hosts themselves; the sources of your own flows are tried as by `POST /api/v1/sources/check`, and their destinations as by `POST /api/v1/destinations/check`, which writes a small file and removes it. Nothing is stored, and no document is named.',
  params: Type.Object({ connection_id: Type.String({ minLength: 1, maxLength: 64 }) }),
  replies: { 200: ConnectionCheckReply },
  errors: ['CONNECTION_NOT_FOUND', 'FORBIDDEN', 'SERVICE_UNAVAILABLE'],
  handler: async ({ params: { connection_id }, signal, ...context }) => {
    const { user, services, options } = context;
    const connection = await read(connectionPolicy, connection_id, context);
    // Administrators see every connection, and use only their own and those shared with them.
    if (!mayUseConnection(user, connection))
      throw new AppError('FORBIDDEN', 'Only those who may use a connection may check it.');
    const reader = { ...user, seesHidden: isAdmin(user, options.adminGroups) };
    const check = (limited: AbortSignal) => services.connectionInspector.check(connection, reader, limited);
    return limitCheck(signal, check, checkMs);
  },
});
