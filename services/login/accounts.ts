import type { User } from '../../model/access';
import { AppError } from '../../model/errors';
import type { ServiceAccountReply } from '../../model/login/wire-keys';
import { guard, isDuplicate, type Mongo, onceReady } from '../storage/mongo';

/** Who the owners of API keys are: people as their latest login showed them, and service accounts. */
export interface Accounts {
  /** Records a person as a login shows them. */
  loggedIn(user: User): Promise<void>;
  /** Records a person who has a token, unless a login showed them already: tokens may be older than that. */
  known(user: User): Promise<void>;
  /** The person or the service account of that name; undefined when there is none (any more). */
  find(username: string): Promise<User | undefined>;
  /** SERVICE_ACCOUNT_ALREADY_EXISTS for a name that is taken. */
  create(account: ServiceAccountReply): Promise<void>;
  get(name: string): Promise<ServiceAccountReply | undefined>;
  list(page: { limit: number; offset: number }): Promise<{ items: ServiceAccountReply[]; total: number }>;
  remove(name: string): Promise<void>;
}

type StoredPerson = Omit<User, 'username'> & { _id: string };
type StoredAccount = Omit<ServiceAccountReply, 'account_name'> & { _id: string };

/** Accounts in MongoDB. */
export function createAccounts(mongo: Mongo): Accounts {
  const people = mongo.collection<StoredPerson>('people');
  const accounts = mongo.collection<StoredAccount>('service_accounts');
  const ready = onceReady(() => accounts.createIndex({ created_at: 1 }));
  return {
    loggedIn: ({ username, ...facts }) =>
      guard(async () => void (await people.updateOne({ _id: username }, { $set: facts }, { upsert: true }))),
    known: ({ username, ...facts }) =>
      guard(async () => void (await people.updateOne({ _id: username }, { $setOnInsert: facts }, { upsert: true }))),
    find: (username) =>
      guard(async () => {
        const account = await accounts.findOne({ _id: username });
        if (account) return { username, email: '', full_name: '', groups: account.groups };
        const person = await people.findOne({ _id: username });
        return person ? { ...withoutId(person), username } : undefined;
      }),
    create: ({ account_name: _id, ...rest }) =>
      guard(async () => {
        await ready();
        await accounts.insertOne({ _id, ...rest }).catch((error: unknown) => {
          if (!isDuplicate(error)) throw error;
          throw new AppError('SERVICE_ACCOUNT_ALREADY_EXISTS', `The service account '${_id}' exists already.`, {
            target: { type: 'field', name: 'account_name' },
          });
        });
      }),
    get: (name) =>
      guard(async () => {
        const stored = await accounts.findOne({ _id: name });
        return stored ? { account_name: name, ...withoutId(stored) } : undefined;
      }),
    list: ({ limit, offset }) =>
      guard(async () => {
        const total = await accounts.countDocuments({});
        const found = await accounts.find({}).sort({ _id: 1 }).skip(offset).limit(limit).toArray();
        return { items: found.map((stored) => ({ account_name: stored._id, ...withoutId(stored) })), total };
      }),
    remove: (name) => guard(async () => void (await accounts.deleteOne({ _id: name }))),
  };
}

function withoutId<T extends { _id: string }>({ _id, ...rest }: T): Omit<T, '_id'> {
  return rest;
}
