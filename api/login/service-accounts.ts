import { Type } from '@sinclair/typebox';
import { AppError } from '../../model/errors';
import { ServiceAccountCreate, ServiceAccountPage, ServiceAccountReply } from '../../model/login/wire-keys';
import { buildPage, paging } from '../http/page';
import { requireAdmin } from '../http/policies';
import { reply, route } from '../http/route';

const params = Type.Object({ account_name: Type.String({ minLength: 1, maxLength: 100 }) });
const action = 'manage service accounts';

export const createServiceAccount = route({
  method: 'POST',
  path: '/api/v1/service-accounts',
  scope: 'login',
  summary: 'Creates a user without a login, for programs that use API keys.',
  description: 'For administrators. The name starts with `service:`, as no login name does.',
  body: ServiceAccountCreate,
  replies: { 201: ServiceAccountReply },
  errors: ['FORBIDDEN', 'SERVICE_ACCOUNT_ALREADY_EXISTS'],
  handler: async ({ body: { account_name, description = '', groups = [] }, ...context }) => {
    requireAdmin(context, action);
    const { user, services } = context;
    const created_at = services.clock().toISOString();
    const account = { account_name, description, groups, created_at, created_by: user.username };
    await services.accounts.create(account);
    return reply(201, account);
  },
});

export const listServiceAccounts = route({
  method: 'GET',
  path: '/api/v1/service-accounts',
  summary: 'The service accounts, sorted by name.',
  description: 'For administrators.',
  query: Type.Object(paging),
  replies: { 200: ServiceAccountPage },
  errors: ['FORBIDDEN'],
  handler: async ({ query: { limit = 100, offset = 0 }, url, ...context }) => {
    requireAdmin(context, action);
    const { items, total } = await context.services.accounts.list({ limit, offset });
    return buildPage(url, items, { limit, offset, total });
  },
});

export const getServiceAccount = route({
  method: 'GET',
  path: '/api/v1/service-accounts/{account_name}',
  summary: 'One service account.',
  description: 'For administrators.',
  params,
  replies: { 200: ServiceAccountReply },
  errors: ['FORBIDDEN', 'SERVICE_ACCOUNT_NOT_FOUND'],
  handler: async ({ params: { account_name }, ...context }) => {
    requireAdmin(context, action);
    const account = await context.services.accounts.get(account_name);
    if (!account) throw createAccountNotFoundError(account_name);
    return account;
  },
});

export const deleteServiceAccount = route({
  method: 'DELETE',
  path: '/api/v1/service-accounts/{account_name}',
  summary: 'Removes a service account with its API keys, webhooks and schedules.',
  description: 'For administrators. What the account owns stays, and administrators manage it.',
  params,
  replies: { 204: Type.Null() },
  errors: ['FORBIDDEN', 'SERVICE_ACCOUNT_NOT_FOUND'],
  handler: async ({ params: { account_name }, ...context }) => {
    requireAdmin(context, action);
    const { accounts, apiKeys, webhooks, schedules } = context.services;
    if (!(await accounts.get(account_name))) throw createAccountNotFoundError(account_name);
    // The account is removed first: from then on its keys are rejected, even if a later step fails.
    await accounts.remove(account_name);
    await apiKeys.removeOf(account_name);
    await webhooks.removeByOwner(account_name);
    await schedules.removeByOwner(account_name);
    return null;
  },
});

/** The error for a name that no service account has. */
export function createAccountNotFoundError(name: string): AppError {
  return new AppError('SERVICE_ACCOUNT_NOT_FOUND', `There is no service account '${name}'.`, {
    target: { type: 'parameter', name: 'account_name' },
  });
}
