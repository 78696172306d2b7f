import { sourceKinds } from '../../../model/source/list';
import { createKnownItems } from '../../../services/source/items/known-items';
import { sourceFixtures } from '../../support/sources';
import { testSource } from '../../support/sources/contract';
import { googleDriveFixture } from '../../support/sources/google-drive';
import { sharepointFixture } from '../../support/sources/sharepoint';
import { useDatabase } from '../../support/system/database';

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
  const knownItems = createKnownItems(useDatabase(['known_drives', 'known_drive_items']));
  testSource(
    sourceKinds.find((kind) => kind.name === name)!,
    () => openFixture(knownItems),
  );
});
