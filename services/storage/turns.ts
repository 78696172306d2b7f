import { randomUUID } from 'node:crypto';
import { AppError } from '../../model/errors';
import { pause } from '../pacing/pause';
import { guard, isDuplicate, type Mongo } from './mongo';

/** The turn of a process. */
export interface Turn {
  /** What is done in turns. */
  _id: string;
  holder: string;
  /** In milliseconds since 1970. The turn of a process that was killed is free afterwards. */
  until: number;
}

/** The stored turns, as used here; a collection of MongoDB fits. */
export interface StoredTurns {
  insertOne(turn: Turn): Promise<unknown>;
  updateOne(
    filter: Partial<Pick<Turn, '_id' | 'holder'>> & { until?: { $lt: number } },
    change: { $set: Partial<Turn> },
  ): Promise<{ modifiedCount: number }>;
  deleteOne(filter: Pick<Turn, '_id' | 'holder'>): Promise<unknown>;
}

/** Times in milliseconds. */
interface TurnTimes {
  /** How long the turn of a killed process lasts. */
  leaseMs: number;
  /** How long a turn is renewed: a server that answers slowly must not keep the others waiting. */
  renewalMs: number;
  patienceMs: number;
}

/**
 * Calls `work` while no other process does so for the same `subject`, at most for a minute: then the next one has its turn. Throws
 * CONFLICT, which activities try again, if the others take too long.
 */
export type TakeTurn = <Value>(subject: string, work: () => Promise<Value>) => Promise<Value>;

export function createTurns(mongo: Mongo): TakeTurn {
  return createTurnsOf(mongo.collection<Turn>('turns'), { leaseMs: 20_000, renewalMs: 40_000, patienceMs: 120_000 });
}

const pollMs = 100;

/** Exported for tests, which have no minutes. */
export function createTurnsOf(turns: StoredTurns, { leaseMs, renewalMs, patienceMs }: TurnTimes): TakeTurn {
  return async (subject, work) => {
    const own = { _id: subject, holder: randomUUID() };
    const deadline = Date.now() + patienceMs;
    while (!(await guard(() => claim(turns, { ...own, until: Date.now() + leaseMs })))) {
      if (Date.now() >= deadline) throw new AppError('CONFLICT', `Another process is still busy with ${subject}.`);
      await pause(pollMs);
    }
    const lastRenewal = Date.now() + renewalMs;
    const renew = async () => {
      if (Date.now() < lastRenewal) await turns.updateOne(own, { $set: { until: Date.now() + leaseMs } });
    };
    // A renewal or a release that fails leaves a turn that ends by itself.
    const renewal = setInterval(() => void renew().catch(() => undefined), leaseMs / 3);
    try {
      return await work();
    } finally {
      clearInterval(renewal);
      await turns.deleteOne(own).catch(() => undefined);
    }
  };
}

async function claim(turns: StoredTurns, turn: Turn): Promise<boolean> {
  try {
    await turns.insertOne(turn);
    return true;
  } catch (error) {
    if (!isDuplicate(error)) throw error;
  }
  const { _id, holder, until } = turn;
  const { modifiedCount } = await turns.updateOne({ _id, until: { $lt: Date.now() } }, { $set: { holder, until } });
  return modifiedCount === 1;
}
