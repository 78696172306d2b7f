import type { User } from '../../model/access';
import { AppError } from '../../model/errors';
import type { KeyScope } from '../../model/login/wire-keys';
import { keyPrefix } from '../../services/login/api-keys';
import type { RouteFacts } from '../http/api';
import type { ApiOptions, ApiServices } from '../services';

/** The key with which a request came. */
export interface KeySession {
  key_id: string;
  scopes: readonly KeyScope[];
}

/** The last use of a key is recorded at most this often. */
const useIntervalMs = 60_000;

/** The API key in the header `Authorization`; undefined for anything else. */
export function findApiKey(authorization: string | undefined): string | undefined {
  const key = /^bearer\s+(\S+)\s*$/i.exec(authorization ?? '')?.[1];
  return key?.startsWith(keyPrefix) ? key : undefined;
}

/**
 * The owner of the key with their current rights, from their latest login. Without the scope `admin`, groups of administrators
 * are dropped. Throws UNAUTHORIZED for keys that are unknown, expired or revoked, or whose owner no longer exists.
 */
export async function openKeySession(
  key: string,
  { apiKeys, accounts, clock }: Pick<ApiServices, 'apiKeys' | 'accounts' | 'clock'>,
  { adminGroups }: Pick<ApiOptions, 'adminGroups'>,
): Promise<{ user: User; key: KeySession }> {
  const record = await apiKeys.find(key);
  const now = clock();
  const isValid = record !== undefined && Date.parse(record.expires_at) > now.getTime();
  const owner = isValid ? await accounts.find(record.owner) : undefined;
  if (!record || !owner) throw new AppError('UNAUTHORIZED', 'The API key is unknown, expired or revoked.');
  const { key_id, scopes, last_used_at } = record;
  if (last_used_at === null || now.getTime() - Date.parse(last_used_at) >= useIntervalMs)
    // Only for display: a request does not fail because of it.
    void apiKeys.noteUse(key_id, now.toISOString()).catch(() => undefined);
  const groups = scopes.includes('admin') ? owner.groups : owner.groups.filter((group) => !adminGroups.includes(group));
  return { user: { ...owner, groups }, key: { key_id, scopes } };
}

/** The scope that a key needs for the route; `login` where keys are rejected. */
export function getScope({ method, scope }: Pick<RouteFacts, 'method' | 'scope'>): KeyScope | 'login' {
  return scope ?? (method === 'GET' ? 'read' : 'write');
}

/** FORBIDDEN unless the key has the scope that the route needs. */
export function requireScope(route: RouteFacts, { scopes }: KeySession): void {
  const needed = getScope(route);
  if (needed !== 'login' && scopes.includes(needed)) return;
  const routeName = `${route.method} ${route.path}`;
  throw new AppError(
    'FORBIDDEN',
    needed === 'login'
      ? `${routeName} accepts no API key; log in.`
      : `${routeName} needs an API key with the scope '${needed}'; this one has ${scopes.map((scope) => `'${scope}'`).join(', ')}.`,
  );
}
