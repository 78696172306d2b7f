import { Empty, Page } from '../parts/page';
import { PlaceTabs } from '../parts/place-tabs';
import { useSession } from '../session';
import { texts } from '../texts';
import { Accounts } from './accounts';
import { Audit } from './audit';
import { Health } from './health';
import { Identities } from './identities';
import { Models } from './models';
import { People } from './people';
import { AllSessions } from './sessions';
import { Storage } from './storage';

const names = ['health', 'sessions', 'audit', 'people', 'accounts', 'identities', 'storage', 'models'] as const;
const parts = {
  health: Health,
  sessions: AllSessions,
  audit: Audit,
  people: People,
  accounts: Accounts,
  identities: Identities,
  storage: Storage,
  models: Models,
} as const;

/** The screen for administrators, with a tab per subject. */
export function AdminScreen({ tab }: { tab: string }) {
  const { user } = useSession();
  const name = names.find((name) => name === tab) ?? 'health';
  const Part = parts[name];
  return (
    <Page title={texts.admin.title}>
      {user.is_administrator ? (
        <PlaceTabs base="/admin" tab={name} titles={texts.admin.tabs}>
          <Part />
        </PlaceTabs>
      ) : (
        <Empty>{texts.admin.forbidden}</Empty>
      )}
    </Page>
  );
}
