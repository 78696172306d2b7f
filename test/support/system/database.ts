import { randomUUID } from 'node:crypto';
import { connectMongo, type Mongo } from '../../../services/storage/mongo';

/** Connects to an empty database of the test server. */
export function openDatabase(): Mongo {
  const url = new URL(process.env['MONGODB_URL'] ?? 'mongodb://127.0.0.1:27017/docloom');
  url.pathname = `/test_${randomUUID().replaceAll('-', '')}`;
  return connectMongo(url.toString());
}

/** An empty database for the tests of one file or block. Drops these collections after them, and closes the connection. */
export function useDatabase(collections: readonly string[]): Mongo {
  const mongo = openDatabase();
  afterAll(async () => {
    for (const name of collections)
      await mongo
        .collection(name)
        .drop()
        .catch(() => undefined);
    await mongo.close();
  });
  return mongo;
}
