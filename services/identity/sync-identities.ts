import type { AuditEntry } from '../../model/audit/entry';
import { AppError } from '../../model/errors';
import type { AuditLog } from '../audit/audit-log';
import type { IdentityMaps, SyncDeps, SyncedMap } from './maps';

/** Maximum number of logins whose changes a sync records individually; further ones are only counted. */
const maxRecorded = 1_000;
/** Maximum characters of a list of principals in the audit log. */
const maxTextLength = 256;

/** Synchronizes a map. Records in the audit log who gained or lost which principals, and who requested the sync. */
export async function syncIdentities(
  { maps, audit, clock, ...deps }: SyncDeps & { maps: IdentityMaps; audit: Pick<AuditLog, 'note'>; clock: () => Date },
  { map, by }: { map: string; by: string },
): Promise<SyncedMap> {
  const synced = await syncSettled(maps, map, deps);
  const note = (target: AuditEntry['target']) =>
    audit.note({
      entry_id: deps.newId(),
      at: clock().toISOString(),
      user: by,
      action: 'group-sync',
      target: { map_id: map, ...target },
      changed: [],
      outcome: 'OK',
      client_address: '',
      trace: '',
    });
  for (const { login, gained, lost } of synced.changed.slice(0, maxRecorded))
    note({ user: login, ...listPrincipals('gained', gained), ...listPrincipals('lost', lost) });
  if (synced.changed.length > maxRecorded) note({ further_users: String(synced.changed.length - maxRecorded) });
  return synced;
}

const maxAttempts = 3;

/** Retries while another process changes or synchronizes the map at the same time. */
async function syncSettled(maps: IdentityMaps, map: string, deps: SyncDeps): Promise<SyncedMap> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await maps.sync(map, deps);
    } catch (error) {
      if (attempt === maxAttempts || !(error instanceof AppError) || error.code !== 'CONFLICT') throw error;
    }
  }
}

function listPrincipals(name: string, principals: readonly string[]): Record<string, string> {
  if (principals.length === 0) return {};
  const text = principals.join(', ');
  if (text.length <= maxTextLength) return { [name]: text };
  const count = `… (${principals.length} in all)`;
  return { [name]: `${text.slice(0, maxTextLength - count.length)}${count}` };
}
