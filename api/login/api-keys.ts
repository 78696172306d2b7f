import { Type } from '@sinclair/typebox';
import { isAdmin, type User } from '../../model/access';
import { AppError } from '../../model/errors';
import { ApiKeyCreate, ApiKeyCreated, ApiKeyPage, ApiKeyReply } from '../../model/login/wire-keys';
import { buildPage, paging } from '../http/page';
import { apiKeyPolicy, type RequestContext, read } from '../http/policies';
import { reply, route } from '../http/route';
import { createAccountNotFoundError } from './service-accounts';

const params = Type.Object({ key_id: Type.String({ format: 'uuid' }) });
const dayMs = 86_400_000;
const maxKeys = 100;

export const createApiKey = route({
  method: 'POST',
  path: '/api/v1/api-keys',
  scope: 'login',
  summary: 'Creates an API key for a program. Only this reply contains the key.',
  description:
    'A key acts as you, with the rights that you have when it is used, within its scopes. It needs a login: keys make no keys. Only administrators make keys with the scope `admin`, and keys of service accounts.',
  body: ApiKeyCreate,
  replies: { 201: ApiKeyCreated },
  errors: ['FORBIDDEN', 'CONFLICT', 'SERVICE_ACCOUNT_NOT_FOUND'],
  handler: async ({ body, ...context }) => {
    const { user, services } = context;
    const { name, scopes, expires_in_days = 90, service_account } = body;
    const owner = await readOwner(body, context);
    const { total } = await services.apiKeys.list(owner, { limit: 1, offset: 0 });
    if (total >= maxKeys)
      throw new AppError('CONFLICT', `'${owner}' has ${total} API keys; at most ${maxKeys} are allowed. Revoke some.`);
    if (service_account === undefined) await services.accounts.noteTokenHolder(user);
    const now = services.clock();
    const record = {
      key_id: services.newId(),
      name,
      owner,
      scopes,
      created_at: now.toISOString(),
      created_by: user.username,
      expires_at: new Date(now.getTime() + expires_in_days * dayMs).toISOString(),
      last_used_at: null,
    };
    const key = await services.apiKeys.create(record);
    return reply(201, { ...record, key }, { 'Cache-Control': 'no-store' });
  },
});

export const listApiKeys = route({
  method: 'GET',
  path: '/api/v1/api-keys',
  summary: 'Your API keys, newest first. Administrators get the keys of all users.',
  query: Type.Object({
    ...paging,
    owner: Type.Optional(Type.String({ maxLength: 256, description: 'Only administrators see the keys of others.' })),
  }),
  replies: { 200: ApiKeyPage },
  handler: async ({ query: { limit = 100, offset = 0, owner }, url, user, services, options }) => {
    const whose = isAdmin(user, options.adminGroups) ? owner : user.username;
    const page = { limit, offset };
    const { items, total } =
      owner !== undefined && whose !== owner ? { items: [], total: 0 } : await services.apiKeys.list(whose, page);
    return buildPage(url, items, { ...page, total });
  },
});

export const getApiKey = route({
  method: 'GET',
  path: '/api/v1/api-keys/{key_id}',
  summary: 'One API key, without the key itself.',
  params,
  replies: { 200: ApiKeyReply },
  errors: ['API_KEY_NOT_FOUND'],
  handler: ({ params: { key_id }, ...context }) => read(apiKeyPolicy, key_id, context),
});

export const deleteApiKey = route({
  method: 'DELETE',
  path: '/api/v1/api-keys/{key_id}',
  summary: 'Revokes an API key. The next request with it is rejected.',
  params,
  replies: { 204: Type.Null() },
  errors: ['API_KEY_NOT_FOUND'],
  handler: async ({ params: { key_id }, ...context }) => {
    await read(apiKeyPolicy, key_id, context);
    await context.services.apiKeys.remove(key_id);
    return null;
  },
});

async function readOwner(
  { scopes, service_account }: ApiKeyCreate,
  { user, services, options }: RequestContext,
): Promise<string> {
  const isAdministrator = isAdmin(user, options.adminGroups);
  if (!isAdministrator && scopes.includes('admin'))
    throw new AppError('FORBIDDEN', "Only administrators may make keys with the scope 'admin'.", scopesField);
  if (service_account === undefined) return user.username;
  if (!isAdministrator)
    throw new AppError('FORBIDDEN', 'Only administrators may make keys of service accounts.', {
      target: { type: 'field', name: 'service_account' },
    });
  const account = await services.accounts.get(service_account);
  if (!account) throw createAccountNotFoundError(service_account);
  if (scopes.includes('admin') && !isAdmin(asUser(account), options.adminGroups))
    throw new AppError('FORBIDDEN', `'${service_account}' is in no group of administrators.`, scopesField);
  return service_account;
}

const scopesField = { target: { type: 'field' as const, name: 'scopes' } };

function asUser({ account_name, groups }: { account_name: string; groups: string[] }): User {
  return { username: account_name, email: '', full_name: '', groups };
}
