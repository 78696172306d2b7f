import { isIPv6 } from 'node:net';
import { AppError } from '../../model/errors';

const windowMs = 60_000;
/** Beyond this number the oldest entries are removed, so that invented names cannot fill the memory. */
const maxEntries = 10_000;
/**
 * Counts an attempt; throws TOO_MANY_REQUESTS beyond a limit. The returned function uncounts the attempt after a successful
 * login.
 */
export type LoginLimit = (clientAddress: string, username: string) => () => void;

/**
 * Limits attempts in this process to `perMinute` per client address and user name, and failed attempts to `failuresPerMinute` per
 * client address, whatever the user name.
 */
export function createLoginLimit(perMinute: number, clock: () => Date, failuresPerMinute = Infinity): LoginLimit {
  const byName = createCounts(perMinute, clock);
  const byAddress = createCounts(failuresPerMinute, clock);
  return (clientAddress, username) => {
    const place = getNetwork(clientAddress);
    byName.add(`${place} ${normalizeName(username)}`);
    const attempt = byAddress.add(place);
    return () => byAddress.remove(place, attempt);
  };
}

/** Invisible characters, and two more that directories ignore in names (RFC 4518, 2.2). */
const ignored = /[\p{Cf}\p{Cc}\p{Mn}\u1806\ufffc]/gu;

/** Normalizes the name as a directory does, so that all spellings count together. */
function normalizeName(username: string): string {
  const visible = username.normalize('NFKC').replaceAll(ignored, '');
  return visible.replaceAll(/\s+/gu, ' ').trim().toLowerCase();
}

/** The /64 network of an IPv6 address, since one client usually controls all of it. */
function getNetwork(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = '', tail] = (address.split('%')[0] ?? '').toLowerCase().split('::');
  const getGroups = (part: string | undefined) => (part ? part.split(':') : []);
  const [before, after] = [getGroups(head), getGroups(tail)];
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length;
  const all = [...before, ...Array.from({ length: Math.max(zeros, 0) }, () => '0'), ...after];
  return all
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':');
}

function createCounts(maxAttempts: number, clock: () => Date) {
  const attempts = new Map<string, number[]>();
  return {
    add(key: string): number {
      const now = clock().getTime();
      if (maxAttempts === Infinity) return now;
      const recent = (attempts.get(key) ?? []).filter((time) => now - time < windowMs);
      const [oldest] = recent;
      if (recent.length >= maxAttempts && oldest !== undefined) throw createTooManyError(windowMs - (now - oldest));
      // Deleted and inserted again, so that the map is ordered by last use.
      attempts.delete(key);
      attempts.set(key, [...recent, now]);
      const [first] = attempts.keys();
      if (attempts.size > maxEntries && first !== undefined) attempts.delete(first);
      return now;
    },
    remove(key: string, time: number): void {
      const times = attempts.get(key);
      const place = times?.indexOf(time) ?? -1;
      if (place >= 0) times?.splice(place, 1);
    },
  };
}

function createTooManyError(retryAfterMs: number): AppError {
  const seconds = Math.ceil(retryAfterMs / 1000);
  const message = `Too many login attempts. Please wait ${seconds} seconds before retrying.`;
  return new AppError('TOO_MANY_REQUESTS', message, { retryAfterMs });
}
