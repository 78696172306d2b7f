import { AppError } from '../../model/errors';

/** A resource whose writes are counted. */
interface Revised {
  revision?: number;
}

const maxAttempts = 100;

/**
 * The headers of a reply that shows one resource. `counted` is what the reply tells besides the resource: with `If-None-Match`
 * it counts, with `If-Match` it does not.
 */
export function etagHeader(resource: Revised, counted?: number): { ETag: string } {
  return { ETag: counted === undefined ? etagOf(resource) : `"${resource.revision ?? 0}-${counted}"` };
}

/** Refuses with PRECONDITION_FAILED unless `If-Match` is absent, `*`, or names the present revision. Weak ones never match. */
export function checkIfMatch(ifMatch: string | undefined, resource: Revised): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  const named = ifMatch.split(',').map((etag) => etag.trim().replace(/^("\d+)-\d+"$/, '$1"'));
  if (named.includes(etagOf(resource))) return;
  throw new AppError(
    'PRECONDITION_FAILED',
    `If-Match names ${ifMatch}, but the resource is at ${etagOf(resource)}; read it again and repeat the change.`,
    { target: { type: 'header', name: 'If-Match' } },
  );
}

/** Whether `If-None-Match` names the ETag, weakly compared, as it is for reading. */
export function isKnown(ifNoneMatch: string, etag: string): boolean {
  const named = ifNoneMatch.split(',').map((one) => one.trim().replace(/^W\//, ''));
  return named.includes('*') || named.includes(etag);
}

/**
 * Reads, changes and writes; again from the start when somebody else wrote in between, so that no change is lost. With
 * `If-Match` the second reading then finds another ETag and refuses.
 */
export async function changeResource<T extends Revised>(steps: {
  read: () => Promise<T>;
  change: (stored: T) => Promise<T>;
  /** Undefined when the revision is not the stored one any more. */
  write: (changed: T) => Promise<T | undefined>;
  ifMatch: string | undefined;
}): Promise<T> {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const stored = await steps.read();
    checkIfMatch(steps.ifMatch, stored);
    const written = await steps.write(await steps.change(stored));
    if (written) return written;
  }
  throw new AppError('CONFLICT', 'Others change the resource all the time; try again.');
}

function etagOf({ revision = 0 }: Revised): string {
  return `"${revision}"`;
}
