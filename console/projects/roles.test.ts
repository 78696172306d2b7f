import { listMembers, findOwnRole } from './roles';

const project = {
  owner: 'carol',
  members: ['bob', 'alice', 'dora'],
  roles: [
    { user: 'bob', role: 'viewer' as const },
    { user: 'dora', role: 'manager' as const },
  ],
};

test('members are sorted by name, and members without a role are editors', () => {
  expect(listMembers(project)).toEqual([
    { user: 'alice', role: 'editor' },
    { user: 'bob', role: 'viewer' },
    { user: 'dora', role: 'manager' },
  ]);
});

test('the owner is the owner even if listed as a member, and a user who is neither is an administrator', () => {
  expect(findOwnRole({ ...project, members: ['carol', 'bob'] }, 'carol')).toBe('owner');
  expect(findOwnRole(project, 'bob')).toBe('viewer');
  expect(findOwnRole(project, 'erin')).toBe('none');
});
