import type { ApiServices } from '../../../api/services';
import type { User } from '../../../model/access';
import { AppError } from '../../../model/errors';
import type { ServiceAccountReply } from '../../../model/login/wire-keys';
import type { KnownGroups } from '../../../services/login/accounts';
import { type ApiKeyRecord, isKeyOf, readKeyId, makeKey } from '../../../services/login/api-keys';
import { createReaders } from '../../../services/login/readers';

const pageOf = <T>(all: readonly T[], { limit, offset }: { limit: number; offset: number }) => ({
  items: all.slice(offset, offset + limit),
  total: all.length,
});

/** API keys, people and service accounts in memory, and the groups from logins. */
export function memoryKeys(): Pick<ApiServices, 'apiKeys' | 'accounts' | 'readers'> {
  const keys = new Map<string, ApiKeyRecord & { hash: string }>();
  const people = new Map<string, User>();
  const logins = new Map<string, Omit<KnownGroups, 'groups'>>();
  const services = new Map<string, ServiceAccountReply>();
  const plain = ({ hash: _hash, ...record }: ApiKeyRecord & { hash: string }): ApiKeyRecord => record;
  const accounts: ApiServices['accounts'] = {
    noteLogin: async (user, { via, at }) => {
      people.set(user.username, user);
      logins.set(user.username, { via, at: at.toISOString() });
    },
    findGroups: async (username) => {
      const groups = (services.get(username) ?? people.get(username))?.groups;
      return groups && { groups, ...logins.get(username) };
    },
    noteGroups: async (username, groups) => {
      const person = people.get(username);
      if (person) people.set(username, { ...person, groups: [...groups] });
    },
    findLoginsByMail: async () => new Map(),
    search: async ({ text, limit }) => {
      const begins = (name: string) => name.startsWith(text);
      const groups = [...new Set([...people.values()].flatMap((person) => person.groups))];
      return {
        people: [...people.values()].filter(({ username }) => begins(username)).slice(0, limit),
        groups: groups.filter(begins).slice(0, limit),
      };
    },
    noteTokenHolder: async (user) => void (people.has(user.username) || people.set(user.username, user)),
    find: async (username) => {
      const account = services.get(username);
      return account ? { username, email: '', full_name: '', groups: account.groups } : people.get(username);
    },
    create: async (account) => {
      if (services.has(account.account_name)) throw new AppError('SERVICE_ACCOUNT_ALREADY_EXISTS', 'It exists.');
      services.set(account.account_name, account);
    },
    get: async (name) => services.get(name),
    list: async (page) => pageOf([...services.values()], page),
    remove: async (name) => void services.delete(name),
  };
  return {
    apiKeys: {
      create: async (record) => {
        const { key, hash } = makeKey(record.key_id);
        keys.set(record.key_id, { ...record, hash });
        return key;
      },
      find: async (key) => {
        const found = keys.get(readKeyId(key) ?? '');
        return found && isKeyOf(key, found.hash) ? plain(found) : undefined;
      },
      get: async (id) => {
        const key = keys.get(id);
        return key && plain(key);
      },
      list: async (owner, page) =>
        pageOf([...keys.values()].filter((key) => owner === undefined || key.owner === owner).map(plain), page),
      noteUse: async (id, at) => {
        const key = keys.get(id);
        if (key) keys.set(id, { ...key, last_used_at: at });
      },
      remove: async (id) => void keys.delete(id),
      removeOf: async (owner) => {
        for (const [id, item] of keys) if (item.owner === owner) keys.delete(id);
      },
    },
    accounts,
    readers: createReaders({
      accounts,
      directory: {},
      clock: () => new Date(),
      limits: { cacheSeconds: 0, maxStalenessSeconds: 0 },
    }),
  };
}
