import type { Collection } from 'mongodb';
import { toMapPrincipal, toGroupPrincipal, toIdentityPrincipal } from '../../model/access-list';
import { AppError, asAppError } from '../../model/errors';
import { escapeRegExp } from '../../model/escape-reg-exp';
import type { LdapDirectory, ServiceDirectory } from '../../model/identity/directory';
import type {
  IdentityMapInput,
  IdentityMapReply,
  IdentityReply,
  IdentityState,
  SourceAccount,
  SourceGroup,
} from '../../model/identity/map';
import { matchAccounts } from '../../model/identity/match';
import { iterateBatches } from '../../model/lists/batches';
import { addToSet } from '../../model/multi-map';
import type { Accounts } from '../login/accounts';
import { shareNextResult } from '../pacing/request-batching';
import { guard, type Mongo, createWhenReady } from '../storage/mongo';
import { readPage } from '../storage/read-page';

/** The accounts and groups of a source. */
export interface SourceDirectory {
  accounts: readonly SourceAccount[];
  groups: readonly SourceGroup[];
}

/** A stored map, without accounts. */
export type IdentityMapRecord = Omit<IdentityMapReply, 'sync'> & { state: MapState };

/** The results of the latest syncs. */
export interface MapState {
  /** Identifies the current set of stored accounts; absent before the first sync. */
  generation?: string;
  synced_at?: string;
  error?: { at: string; code: string; message: string };
  counts?: Record<IdentityState, number> & { groups: number };
}

/** Maps from accounts of sources to logins. */
export interface IdentityMaps {
  list(): Promise<IdentityMapRecord[]>;
  get(name: string): Promise<IdentityMapRecord | undefined>;
  /** Replaces the map. Its accounts take effect with the next sync. */
  put(name: string, map: IdentityMapInput, by: { user: string; at: Date }): Promise<void>;
  /** Removes the map with its accounts, so that nobody has its principals. Returns false if there is none. */
  remove(name: string): Promise<boolean>;
  /**
   * Reads accounts and groups, joins them with the logins, and applies the result atomically. Returns whose principals changed.
   * Fails with the error of the directory, which is recorded; the previous accounts stay.
   */
  sync(name: string, deps: SyncDeps): Promise<SyncedMap>;
  /** The accounts of the last sync by id, limited to `state` if given. */
  listIdentities(
    name: string,
    page: { limit: number; offset: number; state?: IdentityState },
  ): Promise<{ items: IdentityReply[]; total: number }>;
  /** The principals of a login from all maps, except maps closed because they are too old. */
  findPrincipals(login: string): Promise<string[]>;
  /** The accounts of the last sync, by group. */
  listMembers(name: string): Promise<Map<string, Set<string>>>;
}

/** Dependencies of a sync. */
export interface SyncDeps {
  /** The directory of `system` maps; absent if only the worker can read it. */
  readSystem?: (wanted: readonly string[]) => Promise<SourceDirectory>;
  /** The directory of `source` maps. `by`: the administrator who wrote the map. */
  readSource?: (source: ServiceDirectory, by: string) => Promise<SourceDirectory>;
  /** The directory of `ldap` maps. */
  readLdap?: (settings: LdapDirectory) => Promise<SourceDirectory>;
  newId: () => string;
}

/** The outcome of a sync. */
export interface SyncedMap {
  map: string;
  /** Logins that gained or lost a principal; other logins are unchanged. */
  changed: { login: string; gained: string[]; lost: string[] }[];
  counts: NonNullable<MapState['counts']>;
}

type StoredMap = Omit<IdentityMapInput, 'accounts' | 'groups'> & {
  _id: string;
  /** Accounts and groups defined in the map itself, as JSON. */
  given: string;
  updated_at: string;
  updated_by: string;
  state: MapState;
};
type StoredIdentity = IdentityReply & { _id: string; generation: string };

/** Accounts that are inserted at a time. */
const batchSize = 1_000;
const minuteMs = 60_000;
/** The schedule that starts due syncs runs once a minute, so a sync may be that late. */
const graceSeconds = 60;

type MapFacts = Omit<StoredMap, 'given' | 'pairs'>;

/** Dependencies of the functions below. */
interface Stores {
  maps: Collection<StoredMap>;
  identities: Collection<StoredIdentity>;
  /** The accounts of one sync. */
  readAll: (generation: string) => Promise<StoredIdentity[]>;
  /** All maps, without their content. */
  readMaps: (key: 'all') => Promise<MapFacts[]>;
  clock: () => Date;
}

/** Identity maps in MongoDB. */
export function createIdentityMaps(
  mongo: Mongo,
  { accounts: logins, clock }: { accounts: Pick<Accounts, 'findLoginsByMail'>; clock: () => Date },
): IdentityMaps {
  const maps = mongo.collection<StoredMap>('identity_maps');
  const identities = mongo.collection<StoredIdentity>('identities');
  const whenReady = createWhenReady(async () => {
    await identities.createIndex({ generation: 1, account: 1 });
    await identities.createIndex({ login: 1, generation: 1 });
  });
  const readAll = (generation: string) => identities.find({ generation }).sort({ account: 1 }).toArray();
  const readMaps = shareNextResult(() => maps.find<MapFacts>({}, { projection: { given: 0, pairs: 0 } }).toArray());
  const stores: Stores = { maps, identities, readAll, readMaps, clock };

  return {
    list: () => guard(async () => (await maps.find({}).sort({ _id: 1 }).toArray()).map(readStored)),
    get: (name) =>
      guard(async () => {
        const stored = await maps.findOne({ _id: name });
        return stored ? readStored(stored) : undefined;
      }),
    put: (name, { accounts = [], groups = [], ...map }, { user, at }) =>
      guard(async () => {
        const before = await maps.findOne({ _id: name }, { projection: { state: 1 } });
        const content = JSON.stringify({ accounts, groups });
        const facts = { ...map, given: content, updated_at: at.toISOString(), updated_by: user };
        await maps.replaceOne({ _id: name }, { ...facts, state: before?.state ?? {} }, { upsert: true });
      }),
    remove: (name) =>
      guard(async () => {
        const { deletedCount } = await maps.deleteOne({ _id: name });
        await identities.deleteMany({ _id: { $regex: `^${escapeRegExp(name)}/` } });
        return deletedCount > 0;
      }),
    sync: (name, deps) => whenReady(async () => syncMap(stores, await findMap(stores, name), { ...deps, logins })),
    listIdentities: (name, page) => guard(() => listIdentities(stores, name, page)),
    findPrincipals: (login) => whenReady(() => findPrincipals(stores, login)),
    listMembers: (name) =>
      guard(async () => {
        const { generation } = (await findMap(stores, name)).state;
        const accountsByGroup = new Map<string, Set<string>>();
        if (generation === undefined) return accountsByGroup;
        for (const { account, groups } of await readAll(generation))
          for (const group of groups) addToSet(accountsByGroup, group, account);
        return accountsByGroup;
      }),
  };
}

async function findMap({ maps }: Stores, name: string): Promise<StoredMap> {
  const stored = await maps.findOne({ _id: name });
  if (stored) return stored;
  throw new AppError('IDENTITY_MAP_NOT_FOUND', `There is no identity map '${name}'.`);
}

async function syncMap(
  stores: Stores,
  stored: StoredMap,
  { logins, ...deps }: SyncDeps & { logins: Pick<Accounts, 'findLoginsByMail'> },
): Promise<SyncedMap> {
  const at = stores.clock();
  try {
    const directory = await readDirectory(stored, deps);
    const matched = matchAccounts(stored, { ...directory, logins: await logins.findLoginsByMail() });
    return await replaceAccounts(stores, stored, { matched, directory, at, generation: deps.newId() });
  } catch (error) {
    const { code, message } = asAppError(error, 'EXTERNAL_SERVICE_ERROR');
    await stores.maps.updateOne(
      { _id: stored._id },
      { $set: { 'state.error': { at: at.toISOString(), code, message } } },
    );
    throw error;
  }
}

async function listIdentities(
  stores: Stores,
  name: string,
  { limit, offset, state }: { limit: number; offset: number; state?: IdentityState },
): Promise<{ items: IdentityReply[]; total: number }> {
  const { generation } = (await findMap(stores, name)).state;
  if (generation === undefined) return { items: [], total: 0 };
  const filter = { generation, ...(state ? { state } : {}) };
  return await readPage(
    stores.identities,
    filter,
    { sort: { account: 1 }, limit, offset },
    ({ _id, generation: _own, ...identity }) => identity,
  );
}

async function findPrincipals({ readMaps, identities, clock }: Stores, login: string): Promise<string[]> {
  const all = await readMaps('all');
  const open = new Map<string, string>();
  for (const map of all)
    if (map.state.generation !== undefined && !isClosed(map, clock())) open.set(map.state.generation, map._id);
  if (open.size === 0) return [];
  const ownIdentities = await identities.find({ login, generation: { $in: [...open.keys()] } }).toArray();
  return [...new Set(ownIdentities.flatMap((item) => listPrincipals(open.get(item.generation)!, item)))];
}

/** The outcome of one sync, before it is stored. */
interface SyncOutcome {
  matched: readonly IdentityReply[];
  directory: SourceDirectory;
  at: Date;
  generation: string;
}

/** Writes the new accounts next to the old ones, then points the map at them. */
async function replaceAccounts(
  { maps, identities, readAll }: Stores,
  { _id: map, state, updated_at }: StoredMap,
  { matched, directory, at, generation }: SyncOutcome,
): Promise<SyncedMap> {
  const records = matched.map((item) => ({ _id: `${map}/${generation}/${item.account}`, generation, ...item }));
  for (const batch of iterateBatches(records, batchSize)) await identities.insertMany(batch);
  const countState = (state: IdentityState) => matched.filter((item) => item.state === state).length;
  const counts = {
    mapped: countState('mapped'),
    unmapped: countState('unmapped'),
    ambiguous: countState('ambiguous'),
    groups: directory.groups.length,
  };
  const before = state.generation === undefined ? [] : await readAll(state.generation);
  // A map that was changed or removed during the sync needs another one.
  const { matchedCount } = await maps.updateOne(
    { _id: map, updated_at, 'state.generation': state.generation ?? null },
    { $set: { state: { generation, synced_at: at.toISOString(), counts } } },
  );
  const outdated = matchedCount === 0 ? generation : state.generation;
  if (outdated !== undefined) await identities.deleteMany({ generation: outdated });
  if (matchedCount === 0)
    throw new AppError('CONFLICT', `The identity map '${map}' was changed during its sync; sync it again.`);
  return { map, counts, changed: compareAccess(map, before, matched) };
}

async function readDirectory(stored: StoredMap, deps: SyncDeps): Promise<SourceDirectory> {
  const given = JSON.parse(stored.given) as { accounts: SourceAccount[]; groups: SourceGroup[] };
  const { directory = 'given', source, ldap, updated_by: by, pairs = [] } = stored;
  if (directory === 'given') return given;
  if (directory === 'system' && deps.readSystem) return deps.readSystem(pairs.map(({ account }) => account));
  if (directory === 'source' && deps.readSource && source)
    return joinDirectories(await deps.readSource(source, by), given);
  if (directory === 'ldap' && deps.readLdap && ldap) return joinDirectories(await deps.readLdap(ldap), given);
  throw new AppError('SERVICE_UNAVAILABLE', `The accounts of '${stored._id}' can be read by a worker only.`);
}

/** Accounts of the first directory take precedence; groups of both have the members of both. */
export function joinDirectories(first: SourceDirectory, more: SourceDirectory): SourceDirectory {
  const accounts = new Map([...more.accounts, ...first.accounts].map((account) => [account.id, account]));
  const groups = new Map<string, SourceGroup>();
  for (const group of [...first.groups, ...more.groups]) {
    const { members = [], groups: inner = [] } = groups.get(group.id) ?? {};
    groups.set(group.id, {
      ...group,
      members: [...new Set([...members, ...(group.members ?? [])])],
      groups: [...new Set([...inner, ...(group.groups ?? [])])],
    });
  }
  return { accounts: [...accounts.values()], groups: [...groups.values()] };
}

function listPrincipals(map: string, { account, groups }: Pick<IdentityReply, 'account' | 'groups'>): string[] {
  return [
    toIdentityPrincipal(map, account),
    toMapPrincipal(map),
    ...groups.map((group) => toGroupPrincipal(map, group)),
  ];
}

function compareAccess(
  map: string,
  before: readonly IdentityReply[],
  after: readonly IdentityReply[],
): SyncedMap['changed'] {
  const earlier = groupPrincipalsByLogin(map, before);
  const current = groupPrincipalsByLogin(map, after);
  return [...new Set([...earlier.keys(), ...current.keys()])].flatMap((login) => {
    const had = earlier.get(login) ?? new Set();
    const has = current.get(login) ?? new Set();
    const gained = [...has].filter((principal) => !had.has(principal));
    const lost = [...had].filter((principal) => !has.has(principal));
    return gained.length + lost.length === 0 ? [] : [{ login, gained, lost }];
  });
}

function groupPrincipalsByLogin(map: string, identities: readonly IdentityReply[]): Map<string, Set<string>> {
  const principals = new Map<string, Set<string>>();
  for (const identity of identities)
    if (identity.login !== null) addToSet(principals, identity.login, ...listPrincipals(map, identity));
  return principals;
}

/** True if the accounts of a map are so old that they no longer apply. */
export function isClosed(
  {
    when_stale = 'deny',
    max_staleness_minutes: maxMinutes = 60,
    state,
  }: Pick<IdentityMapRecord, 'when_stale' | 'max_staleness_minutes' | 'state'>,
  now: Date,
): boolean {
  if (state.synced_at === undefined) return true;
  return when_stale === 'deny' && now.getTime() - Date.parse(state.synced_at) > maxMinutes * minuteMs;
}

/** The state of a map as shown to readers. */
export function describeSync(map: IdentityMapRecord, now: Date): IdentityMapReply['sync'] {
  const { synced_at: at, error, counts } = map.state;
  const age = at === undefined ? null : Math.max(0, Math.floor((now.getTime() - Date.parse(at)) / 1_000));
  return {
    synced_at: at ?? null,
    age_seconds: age,
    is_fresh: age !== null && age <= (map.sync_minutes ?? 5) * 60 + graceSeconds,
    is_closed: isClosed(map, now),
    error: error ?? null,
    mapped: counts?.mapped ?? 0,
    unmapped: counts?.unmapped ?? 0,
    ambiguous: counts?.ambiguous ?? 0,
    groups: counts?.groups ?? 0,
  };
}

function readStored({ _id, given: _given, ...map }: StoredMap): IdentityMapRecord {
  return { map_id: _id, ...map };
}
