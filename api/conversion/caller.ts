import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { AppError } from '../../model/errors';
import { sessionOf } from '../login/authenticate';
import { isCsrfToken, sessionTokenIn } from '../login/session-cookie';
import type { ApiServices } from '../services';
import { createKeyCheck, keysIn } from './api-key';
import type { ConversionSettings } from './settings';
import { tenantIn } from './tenant';

/** Who sends a request to the conversion service. */
export interface Caller {
  /** The tasks of one scope are invisible in all others. */
  scope: string;
  /**
   * False for a request to an open service without a key or token. Such callers share a scope: what makes a task theirs is its id,
   * 122 random bits, so nothing may list ids or give one away.
   */
  isKnown: boolean;
}

/** What tells who calls. */
export interface Credentials {
  headers: IncomingHttpHeaders;
  /** From the address, where a client cannot send headers. */
  key?: string | null;
  tenant?: string | null;
}

/** The caller, or undefined when the service is not open and the request has neither a key nor a token that is good. */
export type FindCaller = (given: Credentials) => Promise<Caller | undefined>;

/** Keys come from the settings, tokens from a login. A token counts more than a key: several people may share a key. */
export function createCallers(
  settings: Pick<ConversionSettings, 'apiKeys' | 'isOpen' | 'tenantHeader'>,
  logins: Pick<ApiServices, 'tokens' | 'revocations'>,
): FindCaller {
  const findKey = createKeyCheck(settings.apiKeys);
  return async ({ headers, key: ownKey, tenant: ownTenant }) => {
    const header = headers[settings.tenantHeader.toLowerCase()];
    const tenant = tenantIn(ownTenant ?? (Array.isArray(header) ? header[0] : header));
    const user = await userOf(headers, logins);
    if (user !== undefined) return { scope: named('user', user, tenant), isKnown: true };
    const key = findKey([ownKey ?? undefined, ...keysIn(headers)]);
    if (key !== undefined) return { scope: named('key', digestOf(key), tenant), isKnown: true };
    return settings.isOpen && settings.apiKeys.length === 0 ? { scope: openScope(tenant), isKnown: false } : undefined;
  };
}

/** Where to look for a task that the request of a user names: among their own, those of their key, and of an open service. */
export function scopesOf(
  username: string,
  { key, tenant: text }: { key: string | undefined; tenant: string | undefined },
  settings: Pick<ConversionSettings, 'apiKeys' | 'isOpen'>,
): string[] {
  const tenant = tenantIn(text);
  const known = createKeyCheck(settings.apiKeys)([key]);
  const isOpen = settings.isOpen && settings.apiKeys.length === 0;
  return [
    named('user', username, tenant),
    ...(known === undefined ? [] : [named('key', digestOf(known), tenant)]),
    // With a key also those from before there were keys: their ids are secrets.
    ...(isOpen || known !== undefined ? [openScope(tenant)] : []),
  ];
}

/** No tenant that a header names looks like this: those that would begin with `open/`. */
function named(kind: 'user' | 'key', name: string, tenant: string): string {
  return `${kind}/${encodeURIComponent(name)}/${tenant}`;
}

/** The tenant as it is, unless it could be taken for another scope. */
function openScope(tenant: string): string {
  return tenant.replace(/^(?:user|key|open)\//, 'open/$&');
}

/** Names the key in records and in Temporal without telling it, also where it is short. */
function digestOf(key: string): string {
  return createHash('sha256').update(`docloom conversion key ${key}`).digest('hex').slice(0, 16);
}

/**
 * The user of a bearer token, or of the session cookie of a browser that sends its CSRF token; undefined for what is no token
 * of ours, such as a key.
 */
async function userOf(
  { authorization, cookie, 'x-csrf-token': csrf }: IncomingHttpHeaders,
  { tokens, revocations }: Pick<ApiServices, 'tokens' | 'revocations'>,
): Promise<string | undefined> {
  const session = authorization === undefined ? sessionTokenIn(cookie) : undefined;
  if (session !== undefined && !isCsrfToken(typeof csrf === 'string' ? csrf : undefined, session)) return undefined;
  // A JWT has three parts; anything else is not looked at.
  if (session === undefined && !/^bearer [^\s.]+\.[^\s.]+\.[^\s.]+$/i.test(authorization ?? '')) return undefined;
  try {
    const given = { authorization, cookie };
    const { user, tokenId } = sessionOf((name) => given[name.toLowerCase() as keyof typeof given], tokens);
    return (await revocations.isRevoked(tokenId)) ? undefined : user.username;
  } catch (error) {
    const isRefused = error instanceof AppError && ['UNAUTHORIZED', 'SERVICE_UNAVAILABLE'].includes(error.code);
    if (isRefused) return undefined;
    throw error;
  }
}
