import { Type } from '@sinclair/typebox';
import { AppError } from '../../model/errors';
import {
  IdentityMapInput,
  IdentityMapPage,
  IdentityMapReply,
  identityMapName,
  IdentityPage,
  IdentityStateSchema,
} from '../../model/identity/map';
import { describeSync, type IdentityMapRecord } from '../../services/identity/maps';
import { syncIdentities } from '../../services/identity/sync-identities';
import { buildPage, paging } from '../http/page';
import { type RequestContext, requireAdmin } from '../http/policies';
import { reply, route } from '../http/route';

const params = Type.Object({ map_id: Type.String({ pattern: identityMapName, description: 'The name of the map.' }) });

export const listIdentityMaps = route({
  method: 'GET',
  path: '/api/v1/identity-maps',
  summary: 'The maps between accounts of sources and logins, with the time of their last sync.',
  description: 'For administrators.',
  query: Type.Object(paging),
  replies: { 200: IdentityMapPage },
  errors: ['FORBIDDEN'],
  handler: async ({ query, url, ...context }) => {
    requireAdmin(context, 'see identity maps');
    const { limit = 100, offset = 0 } = query;
    const all = await context.services.identityMaps.list();
    const items = all.slice(offset, offset + limit).map((map) => buildReply(map, context));
    return buildPage(url, items, { limit, offset, total: all.length });
  },
});

export const getIdentityMap = route({
  method: 'GET',
  path: '/api/v1/identity-maps/{map_id}',
  summary: 'One map, without its accounts.',
  description: 'For administrators.',
  params,
  replies: { 200: IdentityMapReply },
  errors: ['FORBIDDEN', 'IDENTITY_MAP_NOT_FOUND'],
  handler: async ({ params: { map_id }, ...context }) => {
    requireAdmin(context, 'see identity maps');
    return await loadReply(map_id, context);
  },
});

export const putIdentityMap = route({
  method: 'PUT',
  path: '/api/v1/identity-maps/{map_id}',
  summary: 'Creates or replaces a map, and synchronizes it.',
  description:
    'For administrators, because a map decides who can read the documents of its places. Accounts without a login give access to nobody. A map whose accounts come from elsewhere (`directory` is not `given`) is synchronized by a worker, a moment later.',
  params,
  body: IdentityMapInput,
  replies: { 200: IdentityMapReply },
  errors: ['FORBIDDEN', 'CONFLICT'],
  handler: async ({ params: { map_id }, body, ...context }) => {
    requireAdmin(context, 'write identity maps');
    requireDistinct(body);
    requireDirectory(body);
    const { services, user } = context;
    await services.identityMaps.put(map_id, body, { user: user.username, at: services.clock() });
    await synchronize(map_id, body.directory, context);
    return await loadReply(map_id, context);
  },
});

export const deleteIdentityMap = route({
  method: 'DELETE',
  path: '/api/v1/identity-maps/{map_id}',
  summary: 'Removes a map. Its accounts and groups no longer give access to documents.',
  description:
    'For administrators. Documents in the places of the map get other access lists with the next run of their flow.',
  params,
  replies: { 204: Type.Null() },
  errors: ['FORBIDDEN', 'IDENTITY_MAP_NOT_FOUND'],
  handler: async ({ params: { map_id }, ...context }) => {
    requireAdmin(context, 'remove identity maps');
    if (!(await context.services.identityMaps.remove(map_id))) throw createNotFoundError(map_id);
    return null;
  },
});

export const listIdentities = route({
  method: 'GET',
  path: '/api/v1/identity-maps/{map_id}/identities',
  summary: 'The accounts of the last sync with their logins; `state=unmapped` shows those that give access to nobody.',
  description: 'For administrators.',
  params,
  query: Type.Object({ ...paging, state: Type.Optional(IdentityStateSchema) }),
  replies: { 200: IdentityPage },
  errors: ['FORBIDDEN', 'IDENTITY_MAP_NOT_FOUND'],
  handler: async ({ params: { map_id }, query, url, ...context }) => {
    requireAdmin(context, 'see identity maps');
    const { limit = 100, offset = 0, state } = query;
    const page = { limit, offset, ...(state ? { state } : {}) };
    const { items, total } = await context.services.identityMaps.listIdentities(map_id, page);
    return buildPage(url, items, { limit, offset, total });
  },
});

export const syncIdentityMap = route({
  method: 'POST',
  path: '/api/v1/identity-maps/{map_id}/sync',
  summary: 'Reads accounts and groups now instead of when they are due.',
  description: 'For administrators. If a worker has to read them, the reply is 202 with the state before.',
  params,
  replies: { 200: IdentityMapReply, 202: IdentityMapReply },
  errors: ['FORBIDDEN', 'IDENTITY_MAP_NOT_FOUND', 'CONFLICT'],
  handler: async ({ params: { map_id }, ...context }) => {
    requireAdmin(context, 'synchronize identity maps');
    const { directory } = await loadReply(map_id, context);
    await synchronize(map_id, directory, context);
    return reply(isReadByWorker(directory) ? 202 : 200, await loadReply(map_id, context));
  },
});

function isReadByWorker(directory: IdentityMapInput['directory']): boolean {
  return directory !== undefined && directory !== 'given';
}

/** Maps that list their accounts themselves are synchronized here, so that the reply contains the outcome. */
async function synchronize(
  map: string,
  directory: IdentityMapInput['directory'],
  { services, user }: RequestContext,
): Promise<void> {
  const { identityMaps: maps, audit, clock, newId, rightsSync, accessSyncs } = services;
  if (isReadByWorker(directory)) return rightsSync.startIdentities(map, user.username);
  const { changed } = await syncIdentities({ maps, audit, clock, newId }, { map, by: user.username });
  // Some lists name the members of groups one by one.
  if (changed.length > 0) await rightsSync.startAccess(await accessSyncs.listJobs(), user.username);
}

async function loadReply(map: string, context: RequestContext): Promise<IdentityMapReply> {
  const identityMap = await context.services.identityMaps.get(map);
  if (!identityMap) throw createNotFoundError(map);
  return buildReply(identityMap, context);
}

function buildReply(map: IdentityMapRecord, { services }: RequestContext): IdentityMapReply {
  const { state: _state, ...settings } = map;
  return { ...settings, sync: describeSync(map, services.clock()) };
}

function createNotFoundError(map: string): AppError {
  return new AppError('IDENTITY_MAP_NOT_FOUND', `There is no identity map '${map}'.`);
}

/** Settings of another directory would be ignored. */
function requireDirectory({ directory = 'given', ...map }: IdentityMapInput): void {
  for (const name of ['source', 'ldap'] as const)
    if ((directory === name) !== (map[name] !== undefined))
      throw new AppError('VALIDATION_ERROR', `'${name}' is set if 'directory' is '${name}', and only then.`, {
        target: { type: 'field', name },
      });
}

/** An account that is listed twice could have two names, and thus two logins. */
function requireDistinct({ accounts = [], groups = [], pairs = [] }: IdentityMapInput): void {
  const lists = {
    accounts: accounts.map(({ id }) => id),
    groups: groups.map(({ id }) => id),
    pairs: pairs.map(({ account }) => account),
  };
  for (const [field, ids] of Object.entries(lists)) {
    const seen = new Set<string>();
    for (const id of ids) {
      if (seen.has(id))
        throw new AppError('VALIDATION_ERROR', `'${id}' is listed twice in ${field}.`, {
          target: { type: 'field', name: field },
        });
      seen.add(id);
    }
  }
}
