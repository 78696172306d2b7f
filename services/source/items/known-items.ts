import { hash, randomUUID, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { type Collection, MongoBulkWriteError } from 'mongodb';
import { pause } from '../../pacing/pause';
import { guard, type Mongo, createWhenReady } from '../../storage/mongo';
import type { Item, PlacedItem } from './item';

/**
 * Permission to read and store one page of changes. A later step takes precedence over an earlier one, no matter who writes
 * first.
 */
export interface Step {
  seq: number;
  generation: string;
  /** Absent: from the beginning. */
  cursor?: string;
  /** When the drive was last read as a whole. */
  startedAt: Date;
}

/** The items of one drive as one account sees it. Several processes may use it at the same time. */
export interface KnownPlace {
  /** Waits while another process reads a page, but not for one that was killed. */
  claim(signal: AbortSignal): Promise<Step>;
  /** Lets others continue after a failure. */
  release(step: Step): Promise<void>;
  write(step: Step, items: readonly PlacedItem[], gone: readonly string[]): Promise<void>;
  /** False, and without effect, if another process has claimed a later step, which reads the same changes. */
  finish(step: Step, cursor: string, isLast: boolean): Promise<boolean>;
  /** Reads everything again with the next step. */
  restart(): Promise<void>;
  /** Changes with each restart. */
  readGeneration(): Promise<string>;
  listChildren(generation: string, folderId: string): Promise<Item[]>;
}

/** Stores the items of drives with a change feed between runs. */
export interface KnownItems {
  open(key: readonly string[], secret: string): Promise<KnownPlace>;
}

interface StoredPlace {
  _id: string;
  seq: number;
  generation: string;
  cursor?: string;
  started_at: Date;
  used_at: Date;
  /** The time until which others wait for the page of the latest step. */
  claimed_until?: Date;
}
interface StoredItem {
  _id: string;
  place: string;
  generation: string;
  seq: number;
  parents: readonly string[];
  /** Absent for a deleted item. */
  item?: Item;
}
interface Collections {
  places: Collection<StoredPlace>;
  items: Collection<StoredItem>;
}

/** Drives that no run has listed for this long are removed. */
const keptMs = 30 * 24 * 60 * 60_000;
/** How long other processes wait for a page that one has claimed. */
const claimMs = 60_000;
const pollMs = 200;
/** The error code of MongoDB. */
const duplicateKey = 11_000;
const deriveKey = promisify(scrypt);

/** Keeps the items in MongoDB: names, ids, sizes and versions, no content and no rights. */
export function createKnownItems(mongo: Mongo): KnownItems {
  const collections = {
    places: mongo.collection<StoredPlace>('known_drives'),
    items: mongo.collection<StoredItem>('known_drive_items'),
  };
  const whenReady = createWhenReady(async () => {
    await collections.items.createIndex({ place: 1, generation: 1, parents: 1 });
    await collections.places.createIndex({ used_at: 1 });
  });
  return {
    async open(key, secret) {
      await whenReady();
      await guard(() => forgetUnused(collections));
      // Only the same account continues what it has read. The secret cannot be found from the id.
      const id = await deriveKey(secret, hash('sha256', JSON.stringify(key), 'buffer'), 32);
      return openPlace(collections, (id as Buffer).toString('hex'));
    },
  };
}

async function forgetUnused({ places, items }: Collections): Promise<void> {
  const unused = await places
    .find({ used_at: { $lt: new Date(Date.now() - keptMs) } }, { projection: { _id: 1 } })
    .toArray();
  for (const { _id } of unused) {
    await places.deleteOne({ _id });
    await items.deleteMany({ place: _id });
  }
}

function openPlace({ places, items }: Collections, id: string): KnownPlace {
  return {
    async claim(signal) {
      for (;;) {
        const step = await guard(() => claimStep(places, id));
        if (step) return step;
        await pause(pollMs, signal);
      }
    },
    release: ({ seq }) =>
      guard(async () => void (await places.updateOne({ _id: id, seq }, { $unset: { claimed_until: '' } }))),
    write: (step, changed, gone) => guard(() => writeItems(items, { place: id, step }, toStored(changed, gone))),
    finish: ({ seq, generation }, cursor, isLast) =>
      guard(async () => {
        const { matchedCount } = await places.updateOne(
          { _id: id, seq, generation },
          { $set: { cursor }, $unset: { claimed_until: '' } },
        );
        if (isLast) await removeEarlier({ places, items }, id, generation);
        return matchedCount === 1;
      }),
    restart: () =>
      guard(
        async () =>
          void (await places.updateOne(
            { _id: id },
            { $set: buildFirstReading(), $unset: { cursor: '', claimed_until: '' } },
          )),
      ),
    readGeneration: () => guard(async () => (await places.findOne({ _id: id }))?.generation ?? ''),
    listChildren: (generation, folderId) =>
      guard(async () => {
        const storedItems = await items.find({ place: id, generation, parents: folderId }).toArray();
        return storedItems.flatMap(({ item }) => item ?? []);
      }),
  };
}

function buildFirstReading(): Pick<StoredPlace, 'generation' | 'started_at'> {
  return { generation: randomUUID(), started_at: new Date() };
}

async function claimStep(places: Collection<StoredPlace>, id: string): Promise<Step | undefined> {
  const now = Date.now();
  const used_at = new Date(now);
  await places.updateOne({ _id: id }, { $setOnInsert: { seq: 0, used_at, ...buildFirstReading() } }, { upsert: true });
  const claimedPlace = await places.findOneAndUpdate(
    { _id: id, $or: [{ claimed_until: { $exists: false } }, { claimed_until: { $lt: used_at } }] },
    { $inc: { seq: 1 }, $set: { used_at, claimed_until: new Date(now + claimMs) } },
    { returnDocument: 'after' },
  );
  if (!claimedPlace) return undefined;
  const { seq, generation, cursor, started_at: startedAt } = claimedPlace;
  return { seq, generation, startedAt, ...(cursor === undefined ? {} : { cursor }) };
}

/**
 * Removes the items of earlier full readings of the drive, but not those of a reading that another process has begun
 * meanwhile.
 */
async function removeEarlier({ places, items }: Collections, place: string, generation: string): Promise<void> {
  const written = await items.distinct('generation', { place });
  const earlier = written.filter((item) => item !== generation);
  if (earlier.length === 0) return;
  const stored = await places.findOne({ _id: place });
  if (stored?.generation === generation) await items.deleteMany({ place, generation: { $in: earlier } });
}

function toStored(
  changed: readonly PlacedItem[],
  gone: readonly string[],
): Map<string, Pick<StoredItem, 'item' | 'parents'>> {
  const itemsById = new Map<string, Pick<StoredItem, 'item' | 'parents'>>(gone.map((item) => [item, { parents: [] }]));
  // If an item has several states, the last one counts.
  for (const { parents, ...item } of changed) itemsById.set(item.id, { parents: [...parents], item });
  return itemsById;
}

async function writeItems(
  items: Collection<StoredItem>,
  { place, step: { seq, generation } }: { place: string; step: Step },
  states: ReadonlyMap<string, Pick<StoredItem, 'item' | 'parents'>>,
): Promise<void> {
  if (states.size === 0) return;
  const writes = [...states].map(([id, state]) => ({
    replaceOne: {
      filter: { _id: `${place}/${generation}/${id}`, seq: { $lt: seq } },
      replacement: { place, generation, seq, ...state },
      upsert: true,
    },
  }));
  try {
    await items.bulkWrite(writes, { ordered: false });
  } catch (error) {
    // A later step has written these items.
    const failures = error instanceof MongoBulkWriteError ? [error.writeErrors].flat() : [];
    if (failures.length === 0 || failures.some(({ code }) => code !== duplicateKey)) throw error;
  }
}
