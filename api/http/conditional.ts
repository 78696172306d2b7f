import { AppError } from '../../model/errors';

/** A resource that counts its revisions. */
interface Revised {
  revision?: number;
}

const maxAttempts = 100;

/**
 * The headers of a reply with one resource. `counted` is the number of things shown with it, such as its files: `If-None-Match`
 * compares it too, `If-Match` does not.
 */
export function createEtagHeader(resource: Revised, counted?: number): { ETag: string } {
  return { ETag: counted === undefined ? computeEtag(resource) : `"${resource.revision ?? 0}-${counted}"` };
}

/** Throws PRECONDITION_FAILED unless `If-Match` is absent, `*`, or names the current revision. Weak ETags never match. */
export function checkIfMatch(ifMatch: string | undefined, resource: Revised): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  const named = ifMatch.split(',').map((etag) => etag.trim().replace(/^("\d+)-\d+"$/, '$1"'));
  if (named.includes(computeEtag(resource))) return;
  throw new AppError(
    'PRECONDITION_FAILED',
    `If-Match names ${ifMatch}, but the resource is at ${computeEtag(resource)}; read it again and repeat the change.`,
    { target: { type: 'header', name: 'If-Match' } },
  );
}

/** True when `If-None-Match` contains the ETag, with weak comparison as for reads. */
export function isKnown(ifNoneMatch: string, etag: string): boolean {
  const named = ifNoneMatch.split(',').map((part) => part.trim().replace(/^W\//, ''));
  return named.includes('*') || named.includes(etag);
}

/**
 * Reads, changes and writes a resource. Starts over if another request changed it first, so that no change is lost. With `If-Match`, the
 * second read then fails because of the new ETag.
 */
export async function changeResource<T extends Revised>(steps: {
  read: () => Promise<T>;
  change: (stored: T) => Promise<T>;
  /** Returns undefined if the stored revision has changed. */
  write: (changed: T) => Promise<T | undefined>;
  ifMatch: string | undefined;
}): Promise<T> {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const stored = await steps.read();
    checkIfMatch(steps.ifMatch, stored);
    const written = await steps.write(await steps.change(stored));
    if (written) return written;
  }
  throw new AppError('CONFLICT', 'The resource was changed by others at each attempt; try again.');
}

function computeEtag({ revision = 0 }: Revised): string {
  return `"${revision}"`;
}
