import { type Naming, type RightsList, type RightsRule, toRightsList } from './rights-list';

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

/** May open any file, regardless of permissions. */
const superuser = '0';

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
  const groupRules = [...groups].map(([id, bits]): RightsRule => ({ who: { group: id }, allows: has(bits & mask) }));
  return toRightsList(
    [
      { who: { account: superuser }, allows: true },
      { who: { account: owner }, allows: has((mode >> 6) & 7) },
      ...[...(acl?.users ?? [])].map(([id, bits]): RightsRule => ({ who: { account: id }, allows: has(bits & mask) })),
      ...groupRules.filter(({ allows }) => allows),
      ...groupRules.filter(({ allows }) => !allows),
      { who: 'everybody', allows: has(mode & 7) },
    ],
    naming,
  );
}
