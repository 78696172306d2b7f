import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { AppError } from '../../model/errors';
import { findSession } from '../login/authenticate';
import { findApiKey, openKeySession } from '../login/key-session';
import { isCsrfToken, findSessionToken } from '../login/session-cookie';
import type { ApiServices } from '../services';
import { createKeyCheck, findKeys } from './api-key';
import type { ConversionSettings } from './settings';
import { readTenant } from './tenant';

/** The sender of a request to the conversion service. */
export interface Caller {
  /** Tasks of one scope are invisible in all others. */
  scope: string;
  /**
   * False for requests to an open service without a key or token. Such callers share a scope. Only the task id, 122 random bits,
   * protects their tasks, so ids must never be listed or revealed.
   */
  isKnown: boolean;
  /** For the audit log: the user, or `key:` and a digest of the key; absent if the user is unknown. */
  name?: string;
}

/** The parts of a request that identify the caller. */
export interface Credentials {
  headers: IncomingHttpHeaders;
  /** From the query, for clients that cannot send headers. */
  key?: string | null;
  tenant?: string | null;
}

/** Identifies the caller; undefined when the service is not open and the request has no valid key or token. */
export type FindCaller = (credentials: Credentials) => Promise<Caller | undefined>;

/** Keys come from the settings, tokens from a login. A token takes precedence, because several people may share a key. */
export function createCallerFinder(
  settings: Pick<ConversionSettings, 'apiKeys' | 'isOpen' | 'tenantHeader'>,
  logins: Logins,
  publicUrl?: string,
): FindCaller {
  const findKey = createKeyCheck(settings.apiKeys);
  return async ({ headers, key: queryKey, tenant: queryTenant }) => {
    const header = headers[settings.tenantHeader.toLowerCase()];
    const tenant = readTenant(queryTenant ?? (Array.isArray(header) ? header[0] : header));
    const user = await readUser(headers, logins, publicUrl);
    if (user !== undefined) return { scope: nameScope('user', user, tenant), isKnown: true, name: user };
    const key = findKey([queryKey ?? undefined, ...findKeys(headers)]);
    if (key !== undefined) {
      const digest = computeDigest(key);
      return { scope: nameScope('key', digest, tenant), isKnown: true, name: `key:${digest}` };
    }
    return settings.isOpen && settings.apiKeys.length === 0
      ? { scope: nameOpenScope(tenant), isKnown: false }
      : undefined;
  };
}

/** The scopes to search for a task that a user names: their own, that of their key, and that of an open service. */
export function listScopes(
  username: string,
  { key, tenant: text }: { key: string | undefined; tenant: string | undefined },
  settings: Pick<ConversionSettings, 'apiKeys' | 'isOpen'>,
): string[] {
  const tenant = readTenant(text);
  const validKey = createKeyCheck(settings.apiKeys)([key]);
  const isOpen = settings.isOpen && settings.apiKeys.length === 0;
  return [
    nameScope('user', username, tenant),
    ...(validKey === undefined ? [] : [nameScope('key', computeDigest(validKey), tenant)]),
    // With a key, also tasks created before keys were configured: their ids are secret.
    ...(isOpen || validKey !== undefined ? [nameOpenScope(tenant)] : []),
  ];
}

/** The data that identifies callers. */
export type Logins = Pick<ApiServices, 'tokens' | 'revocations' | 'apiKeys' | 'accounts' | 'clock'>;

/** The owner of an API key with the scope `run`. */
async function readKeyOwner(text: string, logins: Logins): Promise<string | undefined> {
  try {
    const { user, key } = await openKeySession(text, logins, { adminGroups: [] });
    return key.scopes.includes('run') ? user.username : undefined;
  } catch (error) {
    if (error instanceof AppError && error.code === 'UNAUTHORIZED') return undefined;
    throw error;
  }
}

/** A tenant from a header cannot collide with this scope: colliding names get the prefix `open/`. */
function nameScope(kind: 'user' | 'key', name: string, tenant: string): string {
  return `${kind}/${encodeURIComponent(name)}/${tenant}`;
}

/** Returns the tenant unchanged unless it could be mistaken for another scope. */
function nameOpenScope(tenant: string): string {
  return tenant.replace(/^(?:user|key|open)\//, 'open/$&');
}

/** Identifies a key in records and in Temporal without revealing it, even a short one. */
function computeDigest(key: string): string {
  return hash('sha256', `docloom conversion key ${key}`).slice(0, 16);
}

/**
 * The user of a bearer token, or of a browser's session cookie with its CSRF token. Undefined for anything that is not one of
 * our tokens, such as a key.
 */
async function readUser(
  { authorization, cookie, 'x-csrf-token': csrf }: IncomingHttpHeaders,
  logins: Logins,
  publicUrl: string | undefined,
): Promise<string | undefined> {
  const { tokens, revocations } = logins;
  const key = findApiKey(authorization);
  if (key !== undefined) return await readKeyOwner(key, logins);
  const session = authorization === undefined ? findSessionToken(cookie, publicUrl) : undefined;
  if (session !== undefined && !isCsrfToken(typeof csrf === 'string' ? csrf : undefined, session)) return undefined;
  // A JWT has three parts; other values are not parsed.
  if (session === undefined && !/^bearer [^\s.]+\.[^\s.]+\.[^\s.]+$/i.test(authorization ?? '')) return undefined;
  try {
    const input = { authorization, cookie };
    const readHeader = (name: string) => input[name.toLowerCase() as keyof typeof input];
    const { user, tokenId } = findSession(readHeader, tokens, publicUrl);
    return (await revocations.isRevoked(tokenId)) ? undefined : user.username;
  } catch (error) {
    const isRefused = error instanceof AppError && ['UNAUTHORIZED', 'SERVICE_UNAVAILABLE'].includes(error.code);
    if (isRefused) return undefined;
    throw error;
  }
}
