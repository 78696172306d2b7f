import { randomUUID } from 'node:crypto';
import { createEmbeddingCache } from '../../../services/embedding/embedding-cache';
import { connectMongo } from '../../../services/storage/mongo';

const url = new URL(process.env['MONGODB_URL'] ?? 'mongodb://127.0.0.1:27017/docloom');
url.pathname = `/embedding_cache_${randomUUID().slice(0, 8)}`;
const mongo = connectMongo(url.href);
afterAll(async () => {
  await mongo.collection('embedding_cache').drop();
  await mongo.close();
});

describe('the cache of vectors', () => {
  test('returns what was stored, number by number, and nothing else', async () => {
    const cache = createEmbeddingCache(mongo, 1);
    const vectors = new Map([
      ['single', [0.5, -1, 0.25, Math.fround(0.1)]],
      ['double', [0.1, 1e300, -0]],
    ]);
    await cache.put(vectors);
    await cache.put(vectors);
    const found = await cache.get(['single', 'other', 'double']);
    expect(found).toEqual(vectors);
    expect(await mongo.collection<{ _id: string }>('embedding_cache').countDocuments()).toBe(2);
  });

  test('finds more than a page', async () => {
    const cache = createEmbeddingCache(mongo, 1);
    const many = new Map(Array.from({ length: 1_203 }, (_, index) => [`many-${index}`, [index, 0.5]]));
    await cache.put(many);
    expect(await cache.get([...many.keys()])).toEqual(many);
  });

  test('used entries live longer, and 0 days keep nothing', async () => {
    const entries = mongo.collection<{ _id: string; expires_at: Date }>('embedding_cache');
    const early = createEmbeddingCache(mongo, 2, () => Date.parse('2040-01-01T00:00:00Z'));
    await early.put(new Map([['used', [1]]]));
    expect(await entries.findOne({ _id: 'used' })).toMatchObject({ expires_at: new Date('2040-01-03T00:00:00Z') });
    await createEmbeddingCache(mongo, 2, () => Date.parse('2040-01-02T00:00:00Z')).get(['used']);
    expect(await entries.findOne({ _id: 'used' })).toMatchObject({ expires_at: new Date('2040-01-04T00:00:00Z') });
    const none = createEmbeddingCache(mongo, 0);
    await none.put(new Map([['none', [1]]]));
    expect(await none.get(['none', 'used'])).toEqual(new Map());
    expect(await entries.findOne({ _id: 'none' })).toBeNull();
  });

  test('an unavailable database is an outage', async () => {
    const gone = connectMongo('mongodb://127.0.0.1:2/x?serverSelectionTimeoutMS=200');
    await expect(createEmbeddingCache(gone, 1).get(['a'])).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' });
    await gone.close();
  });
});
