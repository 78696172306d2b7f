import type { Reader } from '../../model/access';
import { listPrincipals } from '../../model/access-list';
import type { Config } from '../../model/config';
import type { IdentityMaps } from '../identity/maps';
import { createRenewingCache } from '../pacing/renewing-cache';
import type { Accounts, KnownGroups } from './accounts';
import type { Directory } from './directory';

/** The token's facts about its user, and when it was issued. */
export interface TokenGroups {
  groups: readonly string[];
  issuedAt: Date;
}

/** Returns the current principals of a user. */
export interface Readers {
  /**
   * The user with their principals, at most `cacheSeconds` old. The directory decides if it can be queried, otherwise the
   * latest login or a later token. Without principals if the groups are unknown. Never fails because of the directory.
   */
  find(username: string, token?: TokenGroups): Promise<Reader>;
}

/** Maximum age of a user's cached groups. */
export interface ReaderLimits {
  /** After this time the directory and the logins are queried again. */
  cacheSeconds: number;
  /** While the directory does not answer, its last answer counts for this long; then the groups are unknown. */
  maxStalenessSeconds: number;
}

type Settings = Pick<Config, 'DOCLOOM_GROUPS_CACHE_SECONDS' | 'DOCLOOM_GROUPS_MAX_STALENESS_SECONDS'>;

/** Who knows the groups of a user. */
interface GroupSources {
  accounts: Accounts;
  directory: Directory;
  identityMaps: Pick<IdentityMaps, 'findPrincipals'>;
}

/**
 * The readers of an installation, by its settings and its record of logins. With `stale`, adds the principals that
 * close documents whose access lists are too old; runs read the lists again and do not need them.
 */
export function connectReaders(
  config: Settings,
  { accounts, directory, identityMaps }: GroupSources,
  stale?: (now: Date) => Promise<readonly string[]>,
): Readers {
  const clock = () => new Date();
  return createReaders({
    accounts,
    directory,
    identities: {
      async findPrincipals(login) {
        const [principals, closed] = await Promise.all([identityMaps.findPrincipals(login), stale?.(clock()) ?? []]);
        return [...principals, ...closed];
      },
    },
    clock,
    limits: {
      cacheSeconds: config.DOCLOOM_GROUPS_CACHE_SECONDS,
      maxStalenessSeconds: config.DOCLOOM_GROUPS_MAX_STALENESS_SECONDS,
    },
  });
}

/** The groups of a user in directory and logins. `live` is the directory's answer; null if it does not know the user. */
interface Facts {
  login?: KnownGroups;
  live?: readonly string[] | null;
  isUnknown?: boolean;
  /** Principals by identity maps. */
  mapped: readonly string[];
}

const maxRemembered = 10_000;
/** Tokens have the time of issue in seconds. */
const secondMs = 1_000;

/** Queries the directory, if it allows reading groups without the user's password, and the record of logins. */
export function createReaders({
  accounts,
  directory,
  identities = { findPrincipals: async () => [] },
  clock,
  limits: { cacheSeconds, maxStalenessSeconds },
}: {
  accounts: Pick<Accounts, 'findGroups' | 'noteGroups'>;
  directory: Pick<Directory, 'readGroups'>;
  /** Absent when no source has its own accounts. */
  identities?: Pick<IdentityMaps, 'findPrincipals'>;
  clock: () => Date;
  limits: ReaderLimits;
}): Readers {
  const answers = new Map<string, { live: readonly string[] | null; at: number }>();
  const now = () => clock().getTime();

  async function askDirectory(username: string): Promise<Pick<Facts, 'live' | 'isUnknown'>> {
    if (!directory.readGroups) return {};
    const at = now();
    try {
      const live = await directory.readGroups(username);
      if (answers.size >= maxRemembered) answers.clear();
      answers.set(username, { live, at });
      return { live };
    } catch {
      const last = answers.get(username);
      if (last && at - last.at <= maxStalenessSeconds * 1_000) return { live: last.live };
      return { isUnknown: true };
    }
  }
  async function lookUp(username: string): Promise<Facts> {
    const [login, answer, mapped] = await Promise.all([
      accounts.findGroups(username),
      askDirectory(username),
      identities.findPrincipals(username),
    ]);
    // Workers, which may lack the directory's password, go by the record.
    if (login && answer.live && answer.live.join('\n') !== login.groups.join('\n'))
      await accounts.noteGroups(username, answer.live);
    return { ...(login ? { login } : {}), ...answer, mapped };
  }
  const remembered = createRenewingCache(lookUp, { freshMs: cacheSeconds * 1_000, maxEntries: maxRemembered, now });
  return {
    async find(username, token) {
      const facts = await remembered(username);
      const groups = findGroups(facts, token);
      return groups === undefined
        ? { username }
        : { username, principals: [...listPrincipals(username, groups), ...facts.mapped] };
    },
  };
}

/** The effective groups; undefined if they are unknown. */
function findGroups({ live, login, isUnknown }: Facts, token: TokenGroups | undefined): readonly string[] | undefined {
  if (live) return live;
  const isOfDirectory = login?.via === 'directory';
  // A user whom the directory knew was removed from it.
  if (live === null && isOfDirectory) return [];
  if (isUnknown && (isOfDirectory || !login)) return undefined;
  if (!login) return token?.groups;
  const isLater = token && (login.at === undefined || Date.parse(login.at) < token.issuedAt.getTime() + secondMs);
  return isLater ? token.groups : login.groups;
}
