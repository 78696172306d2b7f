import { isIP } from 'node:net';
import {
  Client,
  ConstraintViolationError,
  type Entry,
  EqualityFilter,
  InappropriateAuthError,
  InvalidCredentialsError,
  InvalidDNSyntaxError,
  NoSuchObjectError,
  OrFilter,
} from 'ldapts';
import type { User } from '../../model/access';
import type { Config } from '../../model/config';
import { AppError } from '../../model/errors';
import { listGroups, listNestedGroups } from './ldap-groups';
import {
  findAccountName,
  findCanonicalName,
  escapeDnValue,
  findFirstValue,
  isImpossibleName,
  listTexts as texts,
} from './ldap-names';
import { type DirectoryNames, type DirectorySearch, searchNames } from './ldap-search';

/** Returns the user of a login. Throws UNAUTHORIZED, or SERVICE_UNAVAILABLE when not configured or unreachable. */
export interface Directory {
  login(username: string, password: string): Promise<User>;
  /**
   * The current groups of a user in the directory; null if it has no user of exactly that name. Throws if it is unknown.
   * Absent if the directory shows groups only to the user (no LDAP_BIND_DN, or no password of it).
   */
  readGroups?: (username: string) => Promise<string[] | null>;
  /** Users and groups by the beginning of their names. Absent in the same cases. Callers must be administrators. */
  search?: (search: DirectorySearch) => Promise<DirectoryNames>;
}

/** The settings of the directory. */
export type LdapConfig = Pick<
  Config,
  | 'LDAP_SERVER'
  | 'LDAP_BASE_DN'
  | 'LDAP_USER_DN'
  | 'LDAP_BIND_DN'
  | 'LDAP_BIND_PASSWORD'
  | 'LDAP_USE_SSL'
  | 'LDAP_USE_ACTIVE_DIRECTORY'
  | 'LDAP_AD_DOMAIN'
  | 'LDAP_NESTED_GROUPS'
>;

const callTimeoutMs = 5_000;
const loginTimeoutMs = 12_000;
const attributes = ['uid', 'sAMAccountName', 'userPrincipalName', 'cn', 'mail', 'memberOf'];
/** Errors of a bind with a wrong name or password, or with a locked account. */
const refusals = [
  InvalidCredentialsError,
  NoSuchObjectError,
  InvalidDNSyntaxError,
  InappropriateAuthError,
  ConstraintViolationError,
];

const createRefusedError = (cause?: unknown) =>
  new AppError('UNAUTHORIZED', 'Invalid username or password.', {}, cause);
const createNotConfiguredError = (problem: string) =>
  new AppError('SERVICE_UNAVAILABLE', `Login is not configured on this server: ${problem}.`);

/**
 * Logs in with an LDAP directory. The user name is the one in the directory, not the one typed, so `ALICE` logs in as `alice`.
 * Every login has its own connection.
 */
export function createDirectory(config: LdapConfig): Directory {
  return {
    login: async (username, password) => {
      const server = config.LDAP_SERVER;
      if (!server) throw createNotConfiguredError('LDAP_SERVER is not set');
      // With an empty password the bind would be anonymous, and succeed.
      if (password === '' || isImpossibleName(username)) throw createRefusedError();
      return withClient(server, config, (client) => authenticate(client, config, username, password));
    },
    ...createGroupLookup(config),
    ...createNameSearch(config),
  };
}

function createGroupLookup(config: LdapConfig): Pick<Directory, 'readGroups'> {
  const { LDAP_SERVER: server, LDAP_BIND_DN: bindDn, LDAP_BIND_PASSWORD: password } = config;
  if (!server || !bindDn || !password) return {};
  return {
    readGroups: async (username) => {
      if (isImpossibleName(username)) return null;
      return withClient(server, config, async (client) => {
        await client.bind(bindDn, password);
        const entry = await findEntry(client, config, username);
        if (!entry) return null;
        const user = await readUser(client, config, entry, {
          idAttribute: chooseIdAttribute(config),
          given: username,
          isStrict: true,
        });
        // The directory ignores case, access lists do not.
        return user.username === username ? user.groups : null;
      });
    },
  };
}

function createNameSearch(config: LdapConfig): Pick<Directory, 'search'> {
  const { LDAP_SERVER: server, LDAP_BIND_DN: bindDn, LDAP_BIND_PASSWORD: password } = config;
  if (!server || !bindDn || !password) return {};
  return {
    search: (search) =>
      withClient(server, config, async (client) => {
        await client.bind(bindDn, password);
        return searchNames(client, config, search);
      }),
  };
}

function chooseIdAttribute({ LDAP_USE_ACTIVE_DIRECTORY: isActive }: LdapConfig): 'uid' | 'sAMAccountName' {
  return isActive ? 'sAMAccountName' : 'uid';
}

/** The only entry of a user name. */
async function findEntry(client: Client, config: LdapConfig, username: string): Promise<Entry | undefined> {
  const base = config.LDAP_USER_DN ?? config.LDAP_BASE_DN;
  if (!base) throw createNotConfiguredError('LDAP_USER_DN or LDAP_BASE_DN must be set');
  const filter = new EqualityFilter({ attribute: chooseIdAttribute(config), value: username });
  const { searchEntries } = await client.search(base, { scope: 'sub', filter, attributes, sizeLimit: 2 });
  const [entry, another] = searchEntries;
  return another ? undefined : entry;
}

/**
 * Runs work over its own connection. Errors without a code, and work that takes longer than `maxMs`, become
 * SERVICE_UNAVAILABLE.
 */
export async function withClient<T>(
  server: string,
  config: LdapConfig,
  work: (client: Client) => Promise<T>,
  maxMs = loginTimeoutMs,
): Promise<T> {
  let client: Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  const timeLimit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${maxMs / 1000} s`)), maxMs);
  });
  try {
    const opened = new Client({
      url: server,
      timeout: callTimeoutMs,
      connectTimeout: callTimeoutMs,
      strictDN: !config.LDAP_USE_ACTIVE_DIRECTORY,
    });
    client = opened;
    const login = async () => {
      if (config.LDAP_USE_SSL && !server.startsWith('ldaps:')) await startTls(opened, server);
      return work(opened);
    };
    return await Promise.race([login(), timeLimit]);
  } catch (error) {
    if (error instanceof AppError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new AppError('SERVICE_UNAVAILABLE', `The directory ${server} cannot be used: ${reason}.`, {}, error);
  } finally {
    clearTimeout(timer);
    // The connection may be closed already; the login has its result either way.
    await client?.unbind().catch(() => undefined);
  }
}

/** Without a host, the certificate would be checked against `localhost`. */
function startTls(client: Client, server: string): Promise<void> {
  const host = new URL(server).hostname.replace(/^\[|\]$/g, '');
  return client.startTLS({ host, ...(isIP(host) ? {} : { servername: host }), minVersion: 'TLSv1.2' });
}

function authenticate(client: Client, config: LdapConfig, username: string, password: string): Promise<User> {
  if (config.LDAP_USE_ACTIVE_DIRECTORY) return bindActiveDirectory(client, config, username, password);
  return config.LDAP_BIND_DN
    ? bindAfterSearch(client, config, { bindDn: config.LDAP_BIND_DN, username, password })
    : bindDirectly(client, config, username, password);
}

async function bindDirectly(client: Client, config: LdapConfig, username: string, password: string): Promise<User> {
  if (!config.LDAP_USER_DN) throw createNotConfiguredError('LDAP_USER_DN or LDAP_BIND_DN must be set');
  const dn = `uid=${escapeDnValue(username)},${config.LDAP_USER_DN}`;
  await bindUser(client, dn, password);
  const { searchEntries } = await client.search(dn, { scope: 'base', attributes });
  return readUser(client, config, searchEntries[0], { idAttribute: 'uid', given: username });
}

async function bindAfterSearch(
  client: Client,
  config: LdapConfig,
  { bindDn, username, password }: { bindDn: string; username: string; password: string },
): Promise<User> {
  const base = config.LDAP_USER_DN ?? config.LDAP_BASE_DN;
  if (!base) throw createNotConfiguredError('LDAP_USER_DN or LDAP_BASE_DN must be set');
  const bindSearcher = () => client.bind(bindDn, config.LDAP_BIND_PASSWORD ?? '');
  await bindSearcher();
  const entry = await findEntry(client, config, username);
  // Binds for an unknown name too, so that response times do not reveal which names exist.
  await bindUser(client, entry?.dn ?? `uid=${escapeDnValue(username)},${base}`, password);
  if (!entry) throw createRefusedError();
  await bindSearcher();
  return readUser(client, config, entry, { idAttribute: 'uid', given: username });
}

async function bindActiveDirectory(
  client: Client,
  config: LdapConfig,
  username: string,
  password: string,
): Promise<User> {
  const domain = config.LDAP_AD_DOMAIN;
  const base = config.LDAP_USER_DN ?? config.LDAP_BASE_DN;
  if (!domain || !base) throw createNotConfiguredError('Active Directory needs LDAP_AD_DOMAIN and LDAP_BASE_DN');
  const account = findAccountName(username, domain);
  if (!account) throw createRefusedError();
  const principal = `${account}@${domain}`;
  await bindUser(client, principal, password);
  const byPrincipal = new EqualityFilter({ attribute: 'userPrincipalName', value: principal });
  const byAccount = new EqualityFilter({ attribute: 'sAMAccountName', value: account });
  const { searchEntries } = await client.search(base, {
    scope: 'sub',
    filter: new OrFilter({ filters: [byPrincipal, byAccount] }),
    attributes,
    sizeLimit: 2,
  });
  // A bind matches principal names first, so that entry logged in.
  const isBound = (entry: Entry) =>
    texts(entry, 'userPrincipalName').some((name) => name.toLowerCase() === principal.toLowerCase());
  return readUser(client, config, searchEntries.find(isBound) ?? searchEntries[0], {
    idAttribute: 'sAMAccountName',
    given: account,
  });
}

async function bindUser(client: Client, name: string, password: string): Promise<void> {
  try {
    await client.bind(name, password);
  } catch (error) {
    if (refusals.some((kind) => error instanceof kind)) throw createRefusedError(error);
    throw error;
  }
}

async function readUser(
  client: Client,
  config: LdapConfig,
  entry: Entry | undefined,
  { idAttribute, given, isStrict = false }: { idAttribute: string; given: string; isStrict?: boolean },
): Promise<User> {
  const names = entry ? texts(entry, idAttribute) : [];
  const username = findCanonicalName(names, entry?.dn ?? '', given);
  if (!entry || !username) {
    throw new AppError(
      'SERVICE_UNAVAILABLE',
      `The directory accepts the login but shows no ${idAttribute} of the entry; its access rules must let it be read.`,
    );
  }
  const [email = ''] = texts(entry, 'mail');
  const [full_name = ''] = texts(entry, 'cn');
  const memberOf = texts(entry, 'memberOf');
  const search = { client, config, isStrict };
  const groupNames = config.LDAP_NESTED_GROUPS
    ? await listNestedGroups(search, [entry.dn, ...memberOf])
    : await listGroups(search, entry.dn);
  const groups = [...memberOf.map(findFirstValue), ...groupNames].filter((group) => group !== undefined);
  return { username, email, full_name, groups: [...new Set(groups)].sort() };
}
