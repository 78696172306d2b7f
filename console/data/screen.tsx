import { Page } from '../parts/page';
import { PlaceTabs } from '../parts/place-tabs';
import { texts } from '../texts';
import { Indexes } from './indexes';
import { Libraries } from './libraries';
import { Sets } from './sets';

const parts = { sets: Sets, libraries: Libraries, indexes: Indexes } as const;

/** The stored data: document sets, libraries of files, indexes. */
export function DataScreen({ tab }: { tab: string }) {
  const name = (['sets', 'libraries', 'indexes'] as const).find((item) => item === tab) ?? 'sets';
  const Part = parts[name];
  return (
    <Page title={texts.data.title}>
      <PlaceTabs base="/data" tab={name} titles={texts.data.tabs}>
        <Part />
      </PlaceTabs>
    </Page>
  );
}
