import { AppError } from '../../model/errors';

const windowMs = 60_000;
/** Beyond it the oldest entries are forgotten, so that made-up names cannot fill the memory. */
const maxEntries = 10_000;

/** Counts login attempts per client address and user name in this process; TOO_MANY_REQUESTS beyond `perMinute`. */
export function createLoginLimit(
  perMinute: number,
  clock: () => Date,
): (clientAddress: string, username: string) => void {
  const attempts = new Map<string, number[]>();
  return (clientAddress, username) => {
    const key = `${clientAddress} ${username.toLowerCase()}`;
    const now = clock().getTime();
    const recent = (attempts.get(key) ?? []).filter((time) => now - time < windowMs);
    const [oldest] = recent;
    if (recent.length >= perMinute && oldest !== undefined) {
      const retryAfterMs = windowMs - (now - oldest);
      const seconds = Math.ceil(retryAfterMs / 1000);
      throw new AppError(
        'TOO_MANY_REQUESTS',
        `Too many login attempts. Please wait ${seconds} seconds before retrying.`,
        { retryAfterMs },
      );
    }
    // Taken out and put in again, so that the map's order is the order of use.
    attempts.delete(key);
    attempts.set(key, [...recent, now]);
    const [first] = attempts.keys();
    if (attempts.size > maxEntries && first !== undefined) attempts.delete(first);
  };
}
