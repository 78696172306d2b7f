import { mayRead } from '../../access-list';
import { type PosixAcl, type PosixRights, computeRightsList } from './posix-rights';

const accounts = ['0', '1', '2', '3', '4'];
const groups = ['10', '20', '30'];
/** Groups of each account: 1 in 10, 2 in 10 and 20, 3 in 20, 4 in none. */
const members = new Map([
  ['10', new Set(['1', '2'])],
  ['20', new Set(['2', '3'])],
]);
const naming = { map: 'fs', members };
const getGroups = (account: string) => groups.filter((group) => members.get(group)?.has(account));

function getReader(account: string) {
  const principals = ['i:fs:*', `i:fs:${account}`, ...getGroups(account).map((group) => `g:fs:${group}`)];
  return { username: 'somebody', principals };
}

/** Follows the kernel: acl(5), "access check algorithm". */
function mayByKernel(account: string, { owner, group, mode, acl: posixAcl }: PosixRights): boolean {
  const acl = (mode & 0o070) === 0 ? undefined : posixAcl;
  const has = (bits: number) => (bits & 4) !== 0;
  if (account === '0') return true;
  if (account === owner) return has(mode >> 6);
  const named = acl?.users.get(account);
  if (acl && named !== undefined) return has(named & acl.mask);
  const matching = [
    ...(getGroups(account).includes(group) ? [acl ? acl.owningGroup : (mode >> 3) & 7] : []),
    ...[...(acl?.groups ?? [])].filter(([id]) => getGroups(account).includes(id)).map(([, bits]) => bits),
  ];
  if (matching.length > 0) return matching.some((bits) => has(bits & (acl?.mask ?? 7)));
  return has(mode);
}

/** The accounts that the list and the kernel treat differently. */
function differences(rights: PosixRights): unknown[] {
  const { allowed, denied } = computeRightsList(rights, 4, naming);
  const list = { allowed_users: [], allowed_principals: allowed, denied_principals: denied };
  return accounts
    .filter((account) => mayRead(getReader(account), list) !== mayByKernel(account, rights))
    .map((account) => ({ account, rights }));
}

const modes = Array.from({ length: 0o1000 }, (_none, mode) => mode);
const perms = [0, 4];

test('for every mode, owner and group, the list allows the same readers as the kernel', () => {
  const all = accounts.flatMap((owner) =>
    groups.flatMap((group) => modes.map((mode): PosixRights => ({ owner, group, mode }))),
  );
  expect(all.flatMap(differences)).toEqual([]);
});

test('the same holds for access control lists with any entries and mask', () => {
  const acls = perms.flatMap((two) =>
    perms.flatMap((three) =>
      perms.flatMap((ten) =>
        perms.flatMap((owningGroup) =>
          perms.map((mask): PosixAcl => ({
            users: new Map([
              ['2', two],
              ['3', three],
            ]),
            groups: new Map([['10', ten]]),
            owningGroup,
            mask,
          })),
        ),
      ),
    ),
  );
  const all = acls.flatMap((acl) =>
    perms.flatMap((owner) =>
      perms.flatMap((others) =>
        groups.map((group): PosixRights => ({ owner: '1', group, mode: (owner << 6) | (acl.mask << 3) | others, acl })),
      ),
    ),
  );
  expect(all).toHaveLength(384);
  expect(all.flatMap(differences)).toEqual([]);
});

test('common modes become lists that refer to groups, not to their members', () => {
  const rights = { owner: '1', group: '10' };
  expect(computeRightsList({ ...rights, mode: 0o640 }, 4, naming)).toEqual({
    allowed: ['g:fs:10', 'i:fs:0', 'i:fs:1'],
    denied: [],
  });
  expect(computeRightsList({ ...rights, mode: 0o600 }, 4, naming)).toEqual({
    allowed: ['i:fs:0', 'i:fs:1'],
    denied: [],
  });
  expect(computeRightsList({ ...rights, mode: 0o044 }, 4, naming).denied).toEqual(['i:fs:1']);
});

test('a mode closed to the group denies its members by name only if one of them may still read', () => {
  expect(computeRightsList({ owner: '3', group: '10', mode: 0o604 }, 4, naming).denied).toEqual(['g:fs:10']);
  expect(computeRightsList({ owner: '1', group: '10', mode: 0o604 }, 4, naming).denied).toEqual(['i:fs:2']);
});
