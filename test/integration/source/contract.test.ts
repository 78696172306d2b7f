import { randomUUID } from 'node:crypto';
import { sourceKinds } from '../../../model/source/list';
import { createKnownItems, type KnownItems } from '../../../services/source/items/known-items';
import { connectMongo, type Mongo } from '../../../services/storage/mongo';
import { sourceFixtures } from '../../support/sources';
import { testSource } from '../../support/sources/contract';
import { googleDriveFixture } from '../../support/sources/google-drive';
import { sharepointFixture } from '../../support/sources/sharepoint';

/** Every source on its real server, except those whose servers need packages of Debian (test/sources). */
describe.each(sourceKinds.map((kind) => [kind.name, kind] as const).filter(([name]) => name in sourceFixtures))(
  '%s',
  (name, kind) => {
    testSource(kind, () => sourceFixtures[name as keyof typeof sourceFixtures]());
  },
);

/** Sources with a change feed once more, through what is known from earlier listings. */
describe.each([
  ['sharepoint', sharepointFixture],
  ['google_drive', googleDriveFixture],
] as const)('%s, by its changes', (name, openFixture) => {
  const url = new URL(process.env['MONGODB_URL'] ?? 'mongodb://127.0.0.1:27017/docloom');
  url.pathname = `/test_${randomUUID().replaceAll('-', '')}`;
  let mongo: Mongo;
  let knownItems: KnownItems;
  beforeAll(() => {
    mongo = connectMongo(url.toString());
    knownItems = createKnownItems(mongo);
  });
  afterAll(async () => {
    for (const collection of ['known_drives', 'known_drive_items']) await mongo.collection(collection).drop();
    await mongo.close();
  });
  testSource(
    sourceKinds.find((kind) => kind.name === name)!,
    () => openFixture(knownItems),
  );
});
