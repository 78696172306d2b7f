import { OwnSessions } from '../admin/sessions';
import { Page } from '../parts/page';
import { PlaceTabs } from '../parts/place-tabs';
import { texts } from '../texts';
import { Connections } from './connections';
import { Keys } from './keys';
import { Webhooks } from './webhooks';

const names = ['keys', 'webhooks', 'connections', 'sessions'] as const;
const parts = { keys: Keys, webhooks: Webhooks, connections: Connections, sessions: OwnSessions } as const;

/** API keys, webhooks, connections and sessions of the user. */
export function SettingsScreen({ tab }: { tab: string }) {
  const name = names.find((name) => name === tab) ?? 'keys';
  const Part = parts[name];
  return (
    <Page title={texts.settings.title}>
      <PlaceTabs base="/settings" tab={name} titles={texts.settings.tabs}>
        <Part />
      </PlaceTabs>
    </Page>
  );
}
