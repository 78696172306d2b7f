import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '../../model/errors';
import type { Mark } from './marks';
import { dataVersion, type InstallationRecord, type InstallationRecords } from './record';

/** The places that must belong to the same installation. */
interface Places {
  records: InstallationRecords;
  store: Mark;
}

/** Pause between attempts while a server is unavailable. */
const pauseMs = 1_000;

/**
 * Verifies that database and store belong to one installation and returns its record. Creates an identity when neither has one.
 * Waits while they are unavailable and reports the reason to `waiting`. Throws INSTALLATION_MISMATCH when they belong to
 * different installations, or when a later release has migrated the data.
 */
export async function verifyInstallation(
  { records, store }: Places,
  waiting: (reason: string) => void,
  signal?: AbortSignal,
): Promise<InstallationRecord> {
  return waitForAnswer(
    async () => {
      // The database is written first, so a store with an identity is never older than its database.
      const before = await store.read();
      const record = before === undefined ? await records.ensure() : await records.find();
      if (!record) throw createNewDatabaseError(store, before ?? '');
      refuseLaterData(record);
      await proveStore(record, { records, store });
      return record;
    },
    { waiting, signal },
  );
}

function refuseLaterData({ data_version: storedVersion = 0 }: InstallationRecord): void {
  if (storedVersion <= dataVersion) return;
  throw new AppError(
    'INSTALLATION_MISMATCH',
    `A later release has migrated the database (MONGODB_URL) to version ${storedVersion} of stored data, and this release supports version ${dataVersion}. Start that release, or restore a backup from before the upgrade.`,
  );
}

async function proveStore(record: InstallationRecord, { records, store }: Places): Promise<void> {
  // Another process may have written the mark in the meantime.
  const storedIdentity = await store.read();
  if (storedIdentity === undefined) {
    if (record.store_marked || (record.had_work && (await store.isEmpty()))) throw createNewStoreError(record, store);
    await store.write(record.identity);
  } else if (storedIdentity !== record.identity) throw createForeignStoreError(record, store, storedIdentity);
  const written = await store.read();
  if (written !== record.identity) throw createForeignStoreError(record, store, written ?? '');
  if (!record.store_marked) await records.set({ store_marked: true });
}

/**
 * Verifies that the index belongs to the installation. An unmarked index gets the identity, and `renewed` is called. Waits like
 * `verifyInstallation`. Throws INSTALLATION_MISMATCH when the index belongs to another installation.
 */
export async function verifyIndex(
  { identity }: Pick<InstallationRecord, 'identity'>,
  index: Mark,
  { waiting, renewed, signal }: { waiting: (reason: string) => void; renewed: () => void; signal?: AbortSignal },
): Promise<void> {
  await waitForAnswer(
    async () => {
      let storedIdentity = await index.read();
      if (storedIdentity === undefined) {
        await index.write(identity);
        storedIdentity = await index.read();
        renewed();
      }
      if (storedIdentity !== identity)
        throw new AppError(
          'INSTALLATION_MISMATCH',
          `The database belongs to the installation ${identity}, and ${index.place} to the installation ${storedIdentity}. Give each installation its own SEARCH_DEFAULT_INDEX or search server; 'docloom installation accept index' hands it to this one.`,
        );
    },
    { waiting, signal },
  );
}

async function waitForAnswer<T>(
  ask: () => Promise<T>,
  { waiting, signal }: { waiting: (reason: string) => void; signal?: AbortSignal },
): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (error instanceof AppError && error.code === 'INSTALLATION_MISMATCH') throw error;
      signal?.throwIfAborted();
      waiting(error instanceof Error ? error.message : String(error));
      await delay(pauseMs, undefined, { signal });
    }
  }
}

function createForeignStoreError({ identity }: InstallationRecord, { place }: Mark, foreignIdentity: string): AppError {
  return new AppError(
    'INSTALLATION_MISMATCH',
    `The database (MONGODB_URL) belongs to the installation ${identity}, and ${place} to the installation ${foreignIdentity}. Start all processes of an installation with the same MONGODB_URL, DOCLOOM_STORAGE and DOCLOOM_DATA; 'docloom installation accept store' hands the store to the installation of the database.`,
  );
}

function createNewStoreError({ identity }: InstallationRecord, { place }: Mark): AppError {
  return new AppError(
    'INSTALLATION_MISMATCH',
    `The database (MONGODB_URL) belongs to the installation ${identity}, whose files are not in ${place}. Start all processes of an installation with the same DOCLOOM_STORAGE and DOCLOOM_DATA; if the files are lost or were moved here by hand, 'docloom installation accept store' continues with what is there.`,
  );
}

function createNewDatabaseError({ place }: Mark, storeIdentity: string): AppError {
  return new AppError(
    'INSTALLATION_MISMATCH',
    `The database (MONGODB_URL) is new, and ${place} belongs to the installation ${storeIdentity}. Name the database of that installation; if it is lost, 'docloom installation accept database' makes a new one for these files.`,
  );
}
