import { createTimeLimit } from '../../model/time/time-limit';
import { findAppError } from '../net/address-guard';
import { type FollowedRequest, followRedirects } from '../net/follow-redirects';
import type { GuardedFetch } from '../net/guarded-fetch';
import { readRobotsRules, type RobotsRules } from './robots';

/** The product name in the user agent of requests by the source `http`. */
export const robotName = 'docloom';

/** Minimums of RFC 9309 for the bytes read and the redirects followed. */
const maxBytes = 500 * 1024;
const maxRedirects = 5;

/** True if the URL may be requested. Undefined if the site's rules cannot be read. */
export type MayFetch = (url: string) => Promise<boolean | undefined>;

/** Reads the robots.txt of each site once. Without one (4xx) everything is allowed; with a server error the rules are unknown. */
export function createRobots(
  http: GuardedFetch,
  { chooseHeaders, timeoutMs }: { chooseHeaders: (url: string) => Record<string, string>; timeoutMs: number },
  signal: AbortSignal,
): MayFetch {
  const sites = new Map<string, Promise<RobotsRules | undefined>>();
  return async (url) => {
    const { origin, pathname, search } = new URL(url);
    const readNow = () => {
      const limited = AbortSignal.any([signal, createTimeLimit(timeoutMs)]);
      return readRules(http, { url: new URL('/robots.txt', origin), headers: chooseHeaders(origin), signal: limited });
    };
    const rules = sites.get(origin) ?? readNow();
    sites.set(origin, rules);
    const siteRules = await rules;
    signal.throwIfAborted();
    return siteRules?.allows(pathname + search);
  };
}

async function readRules(
  http: GuardedFetch,
  request: Omit<FollowedRequest, 'maxRedirects'>,
): Promise<RobotsRules | undefined> {
  try {
    const { response } = await followRedirects(http, { ...request, maxRedirects });
    if (response.ok) return readRobotsRules(await readBeginning(response), robotName);
    await response.body?.cancel();
    const isAbsent = response.status >= 400 && response.status < 500 && response.status !== 429;
    return isAbsent ? readRobotsRules('', robotName) : undefined;
  } catch (error) {
    if (findAppError(error)?.code === 'ADDRESS_NOT_ALLOWED') throw error;
    return undefined;
  }
}

/** Reads up to the limit. The last line may be cut off. */
async function readBeginning(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    parts.push(part);
    size += part.length;
    if (size >= maxBytes) break;
  }
  return Buffer.concat(parts).subarray(0, maxBytes).toString('utf8');
}
