import { Page } from '../parts/page';
import { PlaceTabs } from '../parts/place-tabs';
import { texts } from '../texts';
import { Connections } from './connections';
import { Keys } from './keys';
import { Webhooks } from './webhooks';

const parts = { keys: Keys, webhooks: Webhooks, connections: Connections } as const;

/** API keys, webhooks and connections of the user. */
export function SettingsScreen({ tab }: { tab: string }) {
  const name = (['keys', 'webhooks', 'connections'] as const).find((one) => one === tab) ?? 'keys';
  const Part = parts[name];
  return (
    <Page title={texts.settings.title}>
      <PlaceTabs base="/settings" tab={name} titles={texts.settings.tabs}>
        <Part />
      </PlaceTabs>
    </Page>
  );
}
