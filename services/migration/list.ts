import type { Migration } from './migrate';
import { sealClearSecrets } from './seal-clear-secrets';

/** All migrations, in order. A released one is never changed; `dataVersion` is the version of the last. */
export const migrations: readonly Migration[] = [sealClearSecrets];
