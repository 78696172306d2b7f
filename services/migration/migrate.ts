import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '../../model/errors';
import { guard, type Mongo } from '../storage/mongo';

/**
 * A change of stored data. During an upgrade the previous release runs at the same time, so it must be able to read migrated
 * data, and this release must be able to read data before the migration.
 */
export interface Migration {
  /** One more than that of the migration before. */
  version: number;
  /** For the log, as in "seal clear secrets". */
  name: string;
  /**
   * Continues after `position`, the last position that an interrupted run passed to `save`, and calls `save` after each page
   * of records. A page may be migrated twice.
   */
  run(
    mongo: Mongo,
    progress: { position: string | undefined; save: (position: string) => Promise<void> },
  ): Promise<void>;
}

/** Settings of `migrate`. */
export interface MigrateOptions {
  log: (message: string) => void;
  signal: AbortSignal;
  /** How long a process may be silent before another one continues; for tests. */
  leaseMs?: number;
}

/** The installation's record, as far as migrations use it. */
interface Stored {
  _id: string;
  /** Version of the last migration that was completed; absent before the first. */
  data_version?: number;
  /** The migration in progress. */
  migration?: { position?: string; holder: string; until: number };
}

const id = 'installation';
const defaultLeaseMs = 30_000;

/**
 * Runs the migrations that the database has not had yet, in order. One process does it, and others wait; when it dies, another
 * one continues from the last saved position. Resolves when all are done. Throws when `signal` is aborted, and errors of a
 * migration.
 */
export async function migrate(
  mongo: Mongo,
  migrations: readonly Migration[],
  { log, signal, leaseMs = defaultLeaseMs }: MigrateOptions,
): Promise<void> {
  const records = mongo.collection<Stored>('installation');
  const holder = randomUUID();
  const lease = () => ({ 'migration.holder': holder, 'migration.until': Date.now() + leaseMs });
  for (;;) {
    signal.throwIfAborted();
    const record = await guard(() => records.findOne({ _id: id }));
    if (!record) throw new AppError('DATABASE_UNAVAILABLE', 'The database has no record of its installation.');
    const from = record.data_version ?? 0;
    const next = migrations.find(({ version }) => version === from + 1);
    if (!next) return;
    const isFree = { $or: [{ 'migration.until': { $exists: false } }, { 'migration.until': { $lt: Date.now() } }] };
    const sameVersion =
      record.data_version === undefined ? { data_version: { $exists: false } } : { data_version: from };
    const lockResult = await guard(() => records.updateOne({ _id: id, ...sameVersion, ...isFree }, { $set: lease() }));
    if (lockResult.matchedCount === 0) {
      await delay(Math.min(500, leaseMs), undefined, { signal });
      continue;
    }
    const position = record.migration?.position;
    log(
      `migration ${next.version} (${next.name}) ${position === undefined ? 'begins' : `continues after ${position}`}`,
    );
    const ownLease = { _id: id, 'migration.holder': holder };
    const save = async (at: string) => {
      signal.throwIfAborted();
      const saved = await guard(() => records.updateOne(ownLease, { $set: { ...lease(), 'migration.position': at } }));
      if (saved.matchedCount === 0) throw new AppError('CONFLICT', 'Another process continues the migration.');
    };
    await next.run(mongo, { position, save });
    await guard(() => records.updateOne(ownLease, { $set: { data_version: next.version }, $unset: { migration: '' } }));
    log(`migration ${next.version} (${next.name}) is done`);
  }
}
