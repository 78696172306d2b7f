import { readFileSync } from 'node:fs';
import type { Config } from '../../model/config';
import { AppError } from '../../model/errors';

/** Of connections to Temporal: false for none, true to trust public authorities, otherwise the only authorities to trust. */
export type TemporalTls = boolean | { serverRootCACertificate: Buffer };

/** Throws INVALID_CONFIGURATION if the file cannot be read, or is named although TLS is off. */
export function readTemporalTls({
  TEMPORAL_TLS,
  TEMPORAL_TLS_CA,
}: Pick<Config, 'TEMPORAL_TLS' | 'TEMPORAL_TLS_CA'>): TemporalTls {
  if (!TEMPORAL_TLS_CA) return TEMPORAL_TLS;
  if (!TEMPORAL_TLS)
    throw new AppError(
      'INVALID_CONFIGURATION',
      'TEMPORAL_TLS_CA is set, but TEMPORAL_TLS is not: Temporal would be called without TLS.',
    );
  try {
    return { serverRootCACertificate: readFileSync(TEMPORAL_TLS_CA) };
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new AppError('INVALID_CONFIGURATION', `The file of TEMPORAL_TLS_CA cannot be read (${code}).`, {}, error);
  }
}
