import { everyIdentity, groupPrincipal, identityPrincipal } from '../access-list';

/** Owner, group, mode and access control list of a file, with numbers as texts. Permissions are bits: 4 read, 2 write, 1 execute. */
export interface PosixRights {
  owner: string;
  group: string;
  mode: number;
  /** Absent if the file has no access control list beyond its mode. */
  acl?: PosixAcl;
}

/** The entries of an access control list that the mode does not contain. */
export interface PosixAcl {
  users: ReadonlyMap<string, number>;
  groups: ReadonlyMap<string, number>;
  /** Permissions of the owning group, whose bits in the mode are the mask. */
  owningGroup: number;
  mask: number;
}

/** Principals who have a permission unless another of their principals is denied. */
export interface RightsList {
  allowed: string[];
  denied: string[];
}

/** The naming of a source's accounts, and the accounts of its groups. */
export interface Naming {
  map: string;
  members: ReadonlyMap<string, ReadonlySet<string>>;
}

/** May open any file, regardless of permissions. */
const superuser = '0';

type Who = { account: string } | { group: string } | 'everybody';
interface Rule {
  who: Who;
  allows: boolean;
}

/**
 * The principals with a permission, by the algorithm of POSIX.1e: the first class that matches an account decides, but one of
 * several matching groups is enough. A file closed to its group and open to others is closed to every member of the group.
 */
export function computeRightsList(rights: PosixRights, permission: 4 | 1, naming: Naming): RightsList {
  const { owner, group, mode } = rights;
  // Linux ignores a list whose mask allows nothing: named users are then in the class of others.
  const acl = (mode & 0o070) === 0 ? undefined : rights.acl;
  const has = (bits: number) => (bits & permission) !== 0;
  const mask = acl?.mask ?? 7;
  const groups = new Map(acl?.groups ?? []);
  const owning = acl ? acl.owningGroup : (mode >> 3) & 7;
  // Two entries may refer to the same group; one that grants is enough.
  groups.set(group, owning | (groups.get(group) ?? 0));
  const ofGroups = [...groups].map(([id, bits]): Rule => ({ who: { group: id }, allows: has(bits & mask) }));
  return listOf(
    [
      { who: { account: superuser }, allows: true },
      { who: { account: owner }, allows: has((mode >> 6) & 7) },
      ...[...(acl?.users ?? [])].map(([id, bits]): Rule => ({ who: { account: id }, allows: has(bits & mask) })),
      ...ofGroups.filter(({ allows }) => allows),
      ...ofGroups.filter(({ allows }) => !allows),
      { who: 'everybody', allows: has(mode & 7) },
    ],
    naming,
  );
}

/** Converts rules, of which the first match decides, to lists in which a denial always wins. */
function listOf(rules: readonly Rule[], naming: Naming): RightsList {
  const allowed: Who[] = [];
  const denied: string[] = [];
  const last = rules.findLastIndex(({ allows }) => allows);
  for (const { who, allows } of rules.slice(0, last + 1)) {
    if (allows) allowed.push(who);
    else denied.push(...denialOf(who, allowed, naming));
  }
  const unique = (names: readonly string[]) => [...new Set(names)].toSorted();
  return { allowed: unique(allowed.map((who) => principalOf(who, naming))), denied: unique(denied) };
}

/** Denies principals that no earlier rule allows; by name if an earlier rule allows one of them. */
function denialOf(who: Who, allowed: readonly Who[], naming: Naming): string[] {
  const accounts = accountsOf(who, naming);
  const isAllowed = (account: string) =>
    allowed.some((earlier) => earlier === 'everybody' || accountsOf(earlier, naming).has(account));
  const left = [...accounts].filter((account) => !isAllowed(account));
  if (left.length === accounts.size) return [principalOf(who, naming)];
  return left.map((account) => identityPrincipal(naming.map, account));
}

const none: ReadonlySet<string> = new Set();

function accountsOf(who: Who, { members }: Naming): ReadonlySet<string> {
  if (who === 'everybody') return none;
  return 'account' in who ? new Set([who.account]) : (members.get(who.group) ?? none);
}

function principalOf(who: Who, { map }: Naming): string {
  if (who === 'everybody') return everyIdentity(map);
  return 'account' in who ? identityPrincipal(map, who.account) : groupPrincipal(map, who.group);
}
