import type { Collection } from 'mongodb';
import type { User } from '../../model/access';
import { AppError } from '../../model/errors';
import type { ServiceAccountReply } from '../../model/login/wire-keys';
import { addToList } from '../../model/multi-map';
import { batchReads } from '../pacing/request-batching';
import { guard, isDuplicate, type Mongo, createWhenReady } from '../storage/mongo';
import { readPage } from '../storage/read-page';

/** The owners of API keys: people, as of their latest login, and service accounts. */
export interface Accounts {
  /** Records a person as a login shows them. `mail`: their address, if the directory or the provider vouches for it. */
  noteLogin(user: User, login: { via: LoginKind; at: Date; mail?: string | undefined }): Promise<void>;
  /** Records a person who has a token, unless a login showed them already: tokens may be older than that. */
  noteTokenHolder(user: User): Promise<void>;
  /** The person or the service account of that name; undefined if it never existed or was removed. */
  find(username: string): Promise<User | undefined>;
  /** The groups of the person or service account, and the login that showed them. */
  findGroups(username: string): Promise<KnownGroups | undefined>;
  /** Records the groups that the directory shows of a known person. */
  noteGroups(username: string, groups: readonly string[]): Promise<void>;
  /** People who logged in, and their groups, by the beginning of their names; at most `limit` of each, sorted. */
  search(search: { text: string; limit: number }): Promise<{ people: KnownPerson[]; groups: string[] }>;
  /** Names of people by their verified mail address in lower case, as of their latest login. */
  findLoginsByMail(): Promise<Map<string, string[]>>;
  /** Throws SERVICE_ACCOUNT_ALREADY_EXISTS for a duplicate name. */
  create(account: ServiceAccountReply): Promise<void>;
  get(name: string): Promise<ServiceAccountReply | undefined>;
  list(page: { limit: number; offset: number }): Promise<{ items: ServiceAccountReply[]; total: number }>;
  remove(name: string): Promise<void>;
}

/** A person as their latest login showed them. */
export type KnownPerson = Pick<User, 'username' | 'full_name' | 'email'>;

/** Where a person logged in: the LDAP directory, or a provider of OpenID Connect. */
export type LoginKind = 'directory' | 'provider';

/** The groups of a user, and their origin. */
export interface KnownGroups {
  groups: readonly string[];
  /** ISO 8601. Absent for service accounts, for people who never logged in, and for logins at earlier versions. */
  at?: string;
  via?: LoginKind;
}

type PersonFacts = Pick<User, 'email' | 'full_name' | 'groups'>;
type StoredPerson = PersonFacts & { _id: string; logged_in_at?: string; via?: LoginKind; mail?: string | null };
type StoredAccount = Omit<ServiceAccountReply, 'account_name'> & { _id: string };

/** Accounts in MongoDB. */
export function createAccounts(mongo: Mongo): Accounts {
  const people = mongo.collection<StoredPerson>('people');
  const accounts = mongo.collection<StoredAccount>('service_accounts');
  const whenReady = createWhenReady(() => accounts.createIndex({ created_at: 1 }));
  const findAccount = batchReads((names) => accounts.find({ _id: { $in: names } }).toArray());
  const findPerson = batchReads((names) => people.find({ _id: { $in: names } }).toArray());
  return {
    noteLogin: (user, { via, at, mail }) =>
      guard(async () => {
        const facts = { ...buildFacts(user), via, logged_in_at: at.toISOString(), mail: mail?.toLowerCase() || null };
        await people.updateOne({ _id: user.username }, { $set: facts }, { upsert: true });
      }),
    noteTokenHolder: (user) =>
      guard(async () => {
        await people.updateOne({ _id: user.username }, { $setOnInsert: buildFacts(user) }, { upsert: true });
      }),
    find: (username) =>
      guard(async () => {
        const account = await accounts.findOne({ _id: username });
        if (account) return { username, email: '', full_name: '', groups: account.groups };
        const person = await people.findOne({ _id: username });
        return person ? { ...buildFacts(person), username } : undefined;
      }),
    findGroups: (username) =>
      guard(async () => {
        // Requests wait for this, so both are queried concurrently, for all requests that wait.
        const [account, person] = await Promise.all([findAccount(username), findPerson(username)]);
        if (account) return { groups: account.groups };
        if (!person) return undefined;
        const { groups, logged_in_at: at, via } = person;
        return { groups, ...(at ? { at } : {}), ...(via ? { via } : {}) };
      }),
    ...createNameQueries(people),
    noteGroups: (username, groups) =>
      guard(async () => void (await people.updateOne({ _id: username }, { $set: { groups: [...groups] } }))),
    create: ({ account_name: _id, ...account }) =>
      whenReady(async () => {
        await accounts.insertOne({ _id, ...account }).catch((error: unknown) => {
          if (!isDuplicate(error)) throw error;
          throw new AppError('SERVICE_ACCOUNT_ALREADY_EXISTS', `The service account '${_id}' exists already.`, {
            target: { type: 'field', name: 'account_name' },
          });
        });
      }),
    get: (name) =>
      guard(async () => {
        const stored = await accounts.findOne({ _id: name });
        return stored ? readStored(stored) : undefined;
      }),
    list: ({ limit, offset }) => guard(() => readPage(accounts, {}, { sort: { _id: 1 }, limit, offset }, readStored)),
    remove: (name) => guard(async () => void (await accounts.deleteOne({ _id: name }))),
  };
}

/** Searches of the people who have logged in. */
function createNameQueries(people: Collection<StoredPerson>): Pick<Accounts, 'search' | 'findLoginsByMail'> {
  return {
    search: (search) => guard(() => searchPeople(people, search)),
    findLoginsByMail: () => guard(() => readLoginsByMail(people)),
  };
}

async function searchPeople(
  people: Collection<StoredPerson>,
  { text, limit }: { text: string; limit: number },
): Promise<{ people: KnownPerson[]; groups: string[] }> {
  const begins = { $regex: `^${text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)}`, $options: 'i' };
  const matchesText = { $or: [{ _id: begins }, { full_name: begins }, { email: begins }] };
  const matchingPeople = await people.find(matchesText).sort({ _id: 1 }).limit(limit).toArray();
  const groups = await people
    .aggregate<{ _id: string }>([
      { $unwind: '$groups' },
      { $match: { groups: begins } },
      { $group: { _id: '$groups' } },
      { $sort: { _id: 1 } },
      { $limit: limit },
    ])
    .toArray();
  return {
    people: matchingPeople.map(({ _id: username, full_name, email }) => ({ username, full_name, email })),
    groups: groups.map(({ _id }) => _id),
  };
}

async function readLoginsByMail(people: Collection<StoredPerson>): Promise<Map<string, string[]>> {
  const logins = new Map<string, string[]>();
  for await (const { _id, mail } of people.find({ mail: { $type: 'string' } }, { projection: { mail: 1 } }))
    if (mail) addToList(logins, mail, _id);
  return logins;
}

function buildFacts({ email, full_name, groups }: PersonFacts): PersonFacts {
  return { email, full_name, groups };
}

function readStored({ _id, ...account }: StoredAccount): ServiceAccountReply {
  return { account_name: _id, ...account };
}
