import { hash } from 'node:crypto';
import { AppError } from '../../model/errors';

const maxSegmentBytes = 200;
/** S3 allows 1,024 bytes, which include the prefix of the installation. */
const maxKeyBytes = 900;

/** Throws VALIDATION_ERROR unless the key is relative, has no empty, `.` or `..` segments, and is short enough for any store. */
export function checkKey(key: string): void {
  const hasInvalidSegment = key
    .split('/')
    .some((segment) => ['', '.', '..'].includes(segment) || Buffer.byteLength(segment) > maxSegmentBytes);
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  if (!hasInvalidSegment && Buffer.byteLength(key) <= maxKeyBytes && !/[\u0000-\u001f\\]/.test(key)) return;
  throw new AppError(
    'VALIDATION_ERROR',
    `The key ${JSON.stringify(key.slice(0, 300))} is not valid: expected segments of 1 to ${maxSegmentBytes} bytes between single slashes, none of them '.' or '..', at most ${maxKeyBytes} bytes in all, and no backslashes or control characters.`,
  );
}

/** Like `checkKey`, for the beginning of keys, which may end with a slash or within a segment. */
export function checkPrefix(prefix: string): void {
  checkKey(prefix.endsWith('/') ? prefix.slice(0, -1) : prefix);
}

/** Turns a name chosen by a user into one segment of a key: unchanged when it is safe, else a readable form plus a hash. */
export function toSegment(name: string): string {
  // Upper case is not safe: some file systems treat `A` and `a` as the same file.
  if (/^[a-z0-9_][a-z0-9_.-]{0,99}$/.test(name)) return name;
  const readable = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, '-')
    .slice(0, 60);
  return `${readable}.${hash('sha256', name).slice(0, 12)}`;
}

/** The error for a key without a stored value. */
export function createNotStoredError(key: string, cause?: unknown): AppError {
  return new AppError(
    'TABLE_NOT_FOUND',
    `Nothing is stored under '${key}'; it was removed, or never written.`,
    {},
    cause,
  );
}
