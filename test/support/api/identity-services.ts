import type { ApiServices } from '../../../api/services';
import { AppError } from '../../../model/errors';
import type { IdentityMapInput, IdentityReply } from '../../../model/identity/map';
import { matchAccounts } from '../../../model/identity/match';
import type { IdentityMapRecord } from '../../../services/identity/maps';

/** Identity maps in memory, and what workers were asked to synchronize. */
export function memoryIdentities(
  requests: { map?: string; jobId?: string; by: string }[] = [],
): Pick<ApiServices, 'identityMaps' | 'rightsSync' | 'accessSyncs'> {
  const maps = new Map<string, { record: IdentityMapRecord; given: IdentityMapInput; found: IdentityReply[] }>();
  const find = (name: string) => {
    const found = maps.get(name);
    if (found) return found;
    throw new AppError('IDENTITY_MAP_NOT_FOUND', `There is no identity map '${name}'.`);
  };
  return {
    accessSyncs: { listByFlow: async () => [], listJobs: async () => [] },
    rightsSync: {
      startAccess: async (jobIds, by) => void requests.push(...jobIds.map((jobId) => ({ jobId, by }))),
      startIdentities: async (map, by) => void requests.push({ map, by }),
    },
    identityMaps: {
      list: async () => [...maps.values()].map(({ record }) => record),
      get: async (name) => maps.get(name)?.record,
      put: async (name, input, { user, at }) => {
        const { accounts: _accounts, groups: _groups, ...facts } = input;
        const record = { map_id: name, ...facts, updated_at: at.toISOString(), updated_by: user, state: {} };
        maps.set(name, { record, given: input, found: [] });
      },
      remove: async (name) => maps.delete(name),
      sync: async (name) => {
        const map = find(name);
        const { accounts = [], groups = [], ...rules } = map.given;
        map.found = matchAccounts(rules, { accounts, groups, logins: new Map() });
        const of = (state: string) => map.found.filter((item) => item.state === state).length;
        const counts = {
          mapped: of('mapped'),
          unmapped: of('unmapped'),
          ambiguous: of('ambiguous'),
          groups: groups.length,
        };
        map.record = { ...map.record, state: { generation: '1', synced_at: new Date().toISOString(), counts } };
        return { map: name, counts, changed: [] };
      },
      listIdentities: async (name, { limit, offset, state }) => {
        const found = find(name).found.filter((item) => state === undefined || item.state === state);
        return { items: found.slice(offset, offset + limit), total: found.length };
      },
      findPrincipals: async () => [],
      listMembers: async () => new Map(),
    },
  };
}
