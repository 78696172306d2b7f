import type { Config } from '../../model/config';
import type { Mongo } from '../storage/mongo';
import type { ObjectStore } from '../storage/object-store-port';
import { createIndexMark, type Mark, createStoreMark } from './marks';
import { verifyIndex, verifyInstallation } from './proof';
import { type InstallationRecord, type InstallationRecords, createInstallationRecords } from './record';

/** The places where the identity of an installation is stored. */
export interface Places {
  records: InstallationRecords;
  store: Mark;
  index: Mark;
  close(): Promise<void>;
}

/** The configured places. Does not connect to any of them yet. */
export function createInstallationPlaces(config: Config, mongo: Mongo, store: ObjectStore): Places {
  const index = createIndexMark(config);
  return {
    records: createInstallationRecords(mongo),
    store: createStoreMark(config, store),
    index,
    close: () => index.close(),
  };
}

/** Options of the check at the start of a process. */
export interface ProofOptions {
  warn: (message: string) => void;
  signal: AbortSignal;
}

/** How long the start waits for the index. A later answer is checked in the background. */
const indexPatienceMs = 2_000;

/**
 * Checks at the start of a process that its servers belong together. `installation` resolves when this is verified for database
 * and store. `failed` never resolves; it rejects with INSTALLATION_MISMATCH as soon as a place proves to belong to another
 * installation.
 */
export function verifyAtStart(
  places: Places,
  { warn, signal }: ProofOptions,
): { installation: Promise<InstallationRecord>; failed: Promise<never> } {
  const proved = verifyInstallation(places, createWaitingLog('database and store', warn), signal);
  const indexProved = proved.then((record) => verifyIndexOf(record, places.index, { warn, signal }));
  const failed = new Promise<never>((_resolve, reject) => {
    indexProved.catch((error: unknown) => signal.aborted || reject(error as Error));
  });
  const installation = proved.then(async (record) => {
    const patience = new Promise((resolve) => setTimeout(resolve, indexPatienceMs).unref());
    await Promise.race([indexProved, patience]);
    return record;
  });
  // The caller may not await both promises; a rejection that nobody handles would end the process.
  failed.catch(() => undefined);
  installation.catch(() => undefined);
  return { installation, failed };
}

function verifyIndexOf(
  record: InstallationRecord,
  index: Mark,
  { warn, signal }: ProofOptions,
): ReturnType<typeof verifyIndex> {
  return verifyIndex(record, index, {
    waiting: createWaitingLog('the index', warn),
    renewed: () => record.store_marked && warn(`${index.place} has not been used by this installation before`),
    signal,
  });
}

/** Attempts are made every second, but a reason that repeats is logged once. */
function createWaitingLog(place: string, warn: (message: string) => void): (reason: string) => void {
  let lastReason = '';
  return (reason) => {
    if (reason !== lastReason) warn(`waiting for ${place}: ${reason}`);
    lastReason = reason;
  };
}
