import { createHash } from 'node:crypto';
import { AppError } from '../../model/errors';

/** Throws VALIDATION_ERROR unless the key is relative, without empty, `.` or `..` segments, and short enough for any store. */
export function checkKey(key: string): void {
  const segments = key.split('/');
  const bad = segments.find(
    (segment) => segment === '' || segment === '.' || segment === '..' || Buffer.byteLength(segment) > 200,
  );
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  if (bad === undefined && Buffer.byteLength(key) <= 900 && !/[\u0000-\u001f\\]/.test(key)) return;
  throw new AppError(
    'VALIDATION_ERROR',
    `The key ${JSON.stringify(key.slice(0, 300))} is not one: expected segments of 1 to 200 bytes between single slashes, none of them '.' or '..'.`,
  );
}

/** As `checkKey` for the beginning of keys, which may end in a slash or within a segment. */
export function checkPrefix(prefix: string): void {
  checkKey(prefix.endsWith('/') ? prefix.slice(0, -1) : prefix);
}

/** A name that people chose as one segment of a key: itself where that is safe, else readable and told apart by a hash. */
export function toSegment(name: string): string {
  // Upper case is not safe: on some disks `A` and `a` are one file.
  if (/^[a-z0-9_][a-z0-9_.-]{0,99}$/.test(name)) return name;
  const readable = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, '-')
    .slice(0, 60);
  return `${readable}.${createHash('sha256').update(name).digest('hex').slice(0, 12)}`;
}

/** The error of a key under which nothing is stored. */
export function notStored(key: string, cause?: unknown): AppError {
  return new AppError(
    'TABLE_NOT_FOUND',
    `Nothing is stored under '${key}'; it was removed, or never written.`,
    {},
    cause,
  );
}
