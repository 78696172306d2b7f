import { Type } from '@sinclair/typebox';
import { isAdmin } from '../../model/access';
import { ConnectionCreate, ConnectionPage, ConnectionPatch, ConnectionReply } from '../../model/connection/wire';
import { AppError } from '../../model/errors';
import type { ConnectionRecord } from '../../services/connection/store';
import { buildPage, paging } from '../http/page';
import { type RequestContext, buildAsker, authorize, connectionPolicy, may, read } from '../http/policies';
import { reply, route } from '../http/route';
import { requireUsable } from './bounds';

const params = Type.Object({ connection_id: Type.String({ minLength: 1, maxLength: 64 }) });

export const createConnection = route({
  method: 'POST',
  path: '/api/v1/connections',
  summary: 'Stores a secret and binds it to a type, to hosts and to the users who may use it.',
  description:
    'Flows refer to it as `${connection:NAME}` in members that take secrets. It is for you alone; administrators can also create shared connections.',
  body: ConnectionCreate,
  replies: { 201: ConnectionReply },
  errors: ['CONNECTION_ALREADY_EXISTS', 'FORBIDDEN'],
  handler: async ({ body, ...context }) => {
    const { user, services, options } = context;
    const { name, type, hosts, secret, shared = false, users = [], groups = [] } = body;
    if (shared && !isAdmin(user, options.adminGroups))
      throw new AppError('FORBIDDEN', 'Only administrators may create shared connections.');
    if (!shared) requireNoRights({ users, groups });
    requireUsable({ hosts, secret });
    const now = services.clock().toISOString();
    const connection = await services.connections.create(
      {
        connection_id: services.newId(),
        name,
        type,
        hosts,
        owner: user.username,
        shared,
        users,
        groups,
        has_secret: true,
        created_at: now,
        updated_at: now,
      },
      secret,
    );
    return reply(201, await toReply(connection, context));
  },
});

export const listConnections = route({
  method: 'GET',
  path: '/api/v1/connections',
  summary: 'The connections that you may use, sorted by name. Administrators get all connections.',
  query: Type.Object(paging),
  replies: { 200: ConnectionPage },
  handler: async ({ query, url, ...context }) => {
    const { limit = 100, offset = 0 } = query;
    const { items, total } = await context.services.connections.list(buildAsker(context), { limit, offset });
    return buildPage(url, await Promise.all(items.map((item) => toReply(item, context))), { limit, offset, total });
  },
});

export const getConnection = route({
  method: 'GET',
  path: '/api/v1/connections/{connection_id}',
  summary: 'One connection, without its secret.',
  params,
  replies: { 200: ConnectionReply },
  errors: ['CONNECTION_NOT_FOUND'],
  handler: async ({ params: { connection_id }, ...context }) =>
    toReply(await read(connectionPolicy, connection_id, context), context),
});

export const patchConnection = route({
  method: 'PATCH',
  path: '/api/v1/connections/{connection_id}',
  summary: 'Changes the given members. New hosts without a secret remove the stored secret.',
  description: 'Only for the owner; for shared connections, only for administrators.',
  params,
  body: ConnectionPatch,
  replies: { 200: ConnectionReply },
  errors: ['CONNECTION_NOT_FOUND', 'CONNECTION_ALREADY_EXISTS', 'CONFLICT', 'FORBIDDEN'],
  handler: async ({ params: { connection_id }, body, ...context }) => {
    const connection = await authorize(connectionPolicy, 'change', connection_id, context);
    if (!connection.shared) requireNoRights(body);
    requireUsable(body);
    const changed = await context.services.connections.update(connection_id, body);
    if (!changed) throw connectionPolicy.notFound(connection_id);
    return toReply(changed, context);
  },
});

export const deleteConnection = route({
  method: 'DELETE',
  path: '/api/v1/connections/{connection_id}',
  summary: 'Removes a connection with its secret. Flows that refer to it fail.',
  description: 'Only for the owner and administrators.',
  params,
  replies: { 204: Type.Null() },
  errors: ['CONNECTION_NOT_FOUND', 'FORBIDDEN'],
  handler: async ({ params: { connection_id }, ...context }) => {
    await authorize(connectionPolicy, 'remove', connection_id, context);
    await context.services.connections.remove(connection_id);
    return null;
  },
});

function requireNoRights({ users = [], groups = [] }: { users?: string[]; groups?: string[] }): void {
  if (users.length === 0 && groups.length === 0) return;
  throw new AppError(
    'VALIDATION_ERROR',
    'Only shared connections have users and groups; this one is for its owner alone.',
    {
      target: { type: 'field', name: users.length > 0 ? 'users' : 'groups' },
    },
  );
}

/** Only users who may change the connection see who else may use it. */
async function toReply(connection: ConnectionRecord, context: RequestContext): Promise<ConnectionReply> {
  const isManager = await may(connectionPolicy, 'change', connection, context);
  return isManager ? connection : { ...connection, users: [], groups: [] };
}
