import { Empty, Page } from '../parts/page';
import { PlaceTabs } from '../parts/place-tabs';
import { useSession } from '../session';
import { texts } from '../texts';
import { Accounts } from './accounts';
import { Audit } from './audit';
import { Health } from './health';
import { Models } from './models';

const parts = { health: Health, audit: Audit, accounts: Accounts, models: Models } as const;

/** What administrators look after: servers, the audit log, service accounts, models. */
export function AdminScreen({ tab }: { tab: string }) {
  const { user } = useSession();
  const name = (['health', 'audit', 'accounts', 'models'] as const).find((one) => one === tab) ?? 'health';
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
