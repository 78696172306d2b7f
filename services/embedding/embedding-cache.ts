import { hash } from 'node:crypto';
import { Binary } from 'mongodb';
import { iterateBatches } from '../../model/lists/batches';
import { guard, type Mongo, createWhenReady } from '../storage/mongo';

/** Caches vectors by everything that determines them. A lost entry costs one more request to the model host. */
export interface EmbeddingCache {
  /** The cached vectors, by key. A vector that was read is kept as long as one that has just been stored. */
  get(keys: readonly string[]): Promise<Map<string, number[]>>;
  put(vectors: ReadonlyMap<string, readonly number[]>): Promise<void>;
  /** Removes the vectors of these texts, from any model. Returns their number. */
  forget(texts: readonly string[]): Promise<number>;
}

/** The key of a vector: the text first, so that all entries made from it are adjacent. */
export function buildVectorKey(text: string, space: string): string {
  return `${computeHash(text)}.${computeHash(space)}`;
}

function computeHash(text: string): string {
  return hash('sha256', text, 'base64url');
}

interface StoredVector {
  _id: string;
  vector: Binary;
  /** Distinguishes single precision, used when it is lossless, from double precision. */
  dimension: number;
  expires_at: Date;
}

const msPerDay = 86_400_000;
const pageSize = 500;

/** A cache in MongoDB. The database deletes entries that were not used for `days`. 0 days disables the cache. */
export function createEmbeddingCache(mongo: Mongo, days: number, clock: () => number = Date.now): EmbeddingCache {
  const cache = mongo.collection<StoredVector>('embedding_cache');
  const whenReady = createWhenReady(() => cache.createIndex({ expires_at: 1 }, { expireAfterSeconds: 0 }));
  const createExpiry = () => new Date(clock() + days * msPerDay);
  return {
    async get(keys) {
      const vectors = new Map<string, number[]>();
      if (days === 0) return vectors;
      for (const page of iterateBatches(keys, pageSize)) {
        await guard(async () => {
          const entries = await cache.find({ _id: { $in: page } }).toArray();
          for (const entry of entries) vectors.set(entry._id, toVector(entry));
          if (entries.length === 0) return;
          await cache.updateMany(
            { _id: { $in: entries.map(({ _id }) => _id) } },
            { $set: { expires_at: createExpiry() } },
          );
        });
      }
      return vectors;
    },
    async forget(texts) {
      let forgotten = 0;
      for (const text of new Set(texts)) {
        const hash = computeHash(text);
        // `/` is the character after `.`: this range contains every key that starts with the hash.
        const { deletedCount } = await guard(() => cache.deleteMany({ _id: { $gte: `${hash}.`, $lt: `${hash}/` } }));
        forgotten += deletedCount;
      }
      return forgotten;
    },
    async put(vectors) {
      if (vectors.size === 0 || days === 0) return;
      await whenReady();
      const writes = [...vectors].map(([key, vector]) => ({
        replaceOne: {
          filter: { _id: key },
          replacement: { vector: toBinary(vector), dimension: vector.length, expires_at: createExpiry() },
          upsert: true,
        },
      }));
      await guard(() => cache.bulkWrite(writes, { ordered: false }));
    },
  };
}

function toBinary(vector: readonly number[]): Binary {
  const isSingle = vector.every((value) => Math.fround(value) === value);
  const numbers = isSingle ? Float32Array.from(vector) : Float64Array.from(vector);
  return new Binary(Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength));
}

function toVector({ vector, dimension }: StoredVector): number[] {
  const bytes = Uint8Array.from(vector.value());
  return [...(bytes.length === dimension * 4 ? new Float32Array(bytes.buffer) : new Float64Array(bytes.buffer))];
}
