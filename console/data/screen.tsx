import { Page } from '../parts/page';
import { PlaceTabs } from '../parts/place-tabs';
import { texts } from '../texts';
import { Indexes } from './indexes';
import { Libraries } from './libraries';
import { Sets } from './sets';
import { Sources } from './source-list';

const parts = { sets: Sets, libraries: Libraries, indexes: Indexes, sources: Sources } as const;

/** The data: document sets, libraries of files, indexes, and the sources that flows read. */
export function DataScreen({ tab }: { tab: string }) {
  const name = (['sets', 'libraries', 'indexes', 'sources'] as const).find((item) => item === tab) ?? 'sets';
  const Part = parts[name];
  return (
    <Page title={texts.data.title}>
      <PlaceTabs base="/data" tab={name} titles={texts.data.tabs}>
        <Part />
      </PlaceTabs>
    </Page>
  );
}
