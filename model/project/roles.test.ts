import { includesRole, findRole } from './roles';

const project = {
  owner: 'olga',
  members: ['vera', 'rita', 'emil', 'mona'],
  roles: [
    { user: 'vera', role: 'viewer' as const },
    { user: 'rita', role: 'runner' as const },
    { user: 'mona', role: 'manager' as const },
    { user: 'gone', role: 'manager' as const },
  ],
};

test.each([
  ['olga', 'manager'],
  ['vera', 'viewer'],
  ['rita', 'runner'],
  ['emil', 'editor'],
  ['mona', 'manager'],
  ['gone', undefined],
  ['nobody', undefined],
])('%s is %s', (name, role) => {
  expect(findRole(project, name)).toBe(role);
});

test('members of a project without roles are editors', () => {
  expect(findRole({ owner: 'olga', members: ['vera'] }, 'vera')).toBe('editor');
});

test('a role includes all lower roles and no others', () => {
  expect(includesRole('runner', 'viewer')).toBe(true);
  expect(includesRole('runner', 'runner')).toBe(true);
  expect(includesRole('runner', 'editor')).toBe(false);
  expect(includesRole(undefined, 'viewer')).toBe(false);
});
