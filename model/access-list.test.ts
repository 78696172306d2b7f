import { type AccessList, getAccessKey, combineLists, mayRead, listPrincipals, toStoredAccess } from './access-list';

const reader = (username: string, ...groups: string[]) => ({ username, principals: listPrincipals(username, groups) });

describe('mayRead', () => {
  test.each<[string, AccessList, ReturnType<typeof reader>, boolean]>([
    ['a listed name', { allowed_users: ['alice'] }, reader('alice'), true],
    ['another name', { allowed_users: ['alice'] }, reader('bob'), false],
    ['nobody without a list', {}, reader('alice', 'staff'), false],
    ['a member of an allowed group', { allowed_principals: ['g:login:staff'] }, reader('bob', 'staff'), true],
    ['no member', { allowed_principals: ['g:login:staff'] }, reader('bob', 'interns'), false],
    ['everybody', { allowed_principals: ['p:*'] }, reader('zoe'), true],
    ['denied wins over the name', { allowed_users: ['alice'], denied_principals: ['u:alice'] }, reader('alice'), false],
    ['a denied group wins over the name', { allowed_users: ['alice'], denied_principals: ['g:login:leavers'] }, reader('alice', 'leavers'), false],
    ['denied to everybody', { allowed_users: ['alice'], denied_principals: ['p:*'] }, reader('alice'), false],
    ['a user named like a group', { allowed_principals: ['g:login:staff'] }, reader('g:login:staff'), false],
    ['a user named like everybody', { allowed_principals: ['u:p:*'] }, reader('alice'), false],
    ['a group named like a user', { allowed_principals: ['u:alice'] }, reader('bob', 'u:alice', 'alice'), false],
    ['a group name in the list of names', { allowed_users: ['staff', 'g:login:staff'] }, reader('bob', 'staff'), false],
    ['a group with colons, of its own source', { allowed_principals: ['g:sharepoint:x'] }, reader('bob', 'sharepoint:x', 'g:sharepoint:x'), false],
    ['in every required list', { allowed_users: ['alice'], required_lists: ['["g:login:a"]', '["u:alice"]'] }, reader('alice', 'a'), true],
    ['not in one required list', { allowed_users: ['alice'], required_lists: ['["g:login:a"]', '["g:login:b"]'] }, reader('alice', 'a'), false],
    ['a required list that is not JSON', { allowed_users: ['alice'], required_lists: ['alice'] }, reader('alice'), false],
    ['a list that is not a list', { allowed_users: 'alice' as never }, reader('alice'), false],
  ])('%s', (_name, list, who, may) => {
    expect(mayRead(who, list)).toBe(may);
  }); // prettier-ignore

  test('while the groups are unknown, lists with denials are closed, and documents shared with groups too', () => {
    const unknown = { username: 'alice' };
    expect(mayRead(unknown, { allowed_users: ['alice'] })).toBe(true);
    expect(mayRead(unknown, { allowed_principals: ['p:*'] })).toBe(true);
    expect(mayRead(unknown, { allowed_principals: ['g:login:staff'] })).toBe(false);
    expect(mayRead(unknown, { allowed_users: ['alice'], denied_principals: ['g:login:leavers'] })).toBe(false);
  });
});

describe('combinedList', () => {
  const staff = { allowed_users: ['alice'], allowed_principals: ['g:login:staff'] };
  const board = { allowed_principals: ['g:login:board'], denied_principals: ['u:eve'] };

  test('lists of names are intersected', () => {
    expect(combineLists({ allowed_users: ['a', 'b'] }, [{ allowed_users: ['b', 'c'] }])).toEqual({
      allowed_users: ['b'],
    });
  });

  test('with groups, a reader must be in every list, by name or by group', () => {
    const list = combineLists(staff, [staff, board]);
    expect(list).toEqual({ ...staff, denied_principals: ['u:eve'], required_lists: ['["g:login:board"]'] });
    expect(mayRead(reader('alice', 'board'), list)).toBe(true);
    expect(mayRead(reader('bob', 'staff', 'board'), list)).toBe(true);
    expect(mayRead(reader('alice'), list)).toBe(false);
    expect(mayRead(reader('bob', 'board'), list)).toBe(false);
    expect(mayRead(reader('eve', 'staff', 'board'), list)).toBe(false);
  });

  test('a document that everybody may read adds no restriction', () => {
    expect(combineLists(staff, [{ allowed_principals: ['p:*'] }])).toEqual(staff);
    expect(combineLists({ allowed_principals: ['p:*'] }, [staff]).required_lists).toEqual(['["g:login:staff","u:alice"]']); // prettier-ignore
  });

  test('combined again, every list is kept', () => {
    const twice = combineLists(combineLists(staff, [board]), [{ allowed_users: ['alice'] }]);
    expect(mayRead(reader('alice', 'board'), twice)).toBe(true);
    expect(mayRead(reader('bob', 'staff', 'board'), twice)).toBe(false);
  });

  test('of very many lists, their common readers are kept', () => {
    const many = Array.from({ length: 200 }, (_, index) => ({
      allowed_principals: ['g:login:all', `g:login:${index}`],
    }));
    const list = combineLists(staff, many);
    expect(list.required_lists).toEqual(['["g:login:all"]']);
    expect(mayRead(reader('alice', 'all'), list)).toBe(true);
  });
});

test('equal lists have equal keys in any order', () => {
  expect(getAccessKey({ allowed_users: ['b', 'a', 'a'] })).toBe(getAccessKey({ allowed_users: ['a', 'b'], denied_principals: [] }));
  expect(getAccessKey({ allowed_users: ['a'] })).not.toBe(getAccessKey({ allowed_users: ['a'], denied_principals: ['u:b'] }));
}); // prettier-ignore

test('a stored list has no empty parts, and required lists as objects', () => {
  expect(toStoredAccess({ denied_principals: [], required_lists: ['["u:a"]', 'x'] })).toEqual({
    allowed_users: [],
    required_lists: [{ principals: ['u:a'] }, { principals: [] }],
  });
});
