import { readDirectory } from './system-accounts';

const passwd = `root:x:0:0:root:/root:/bin/bash
alice:x:1001:100:Alice,,,:/home/alice:/bin/sh
bob:x:1002:1002::/home/bob:/bin/sh
broken line
nobody:x:abc:1::/:/bin/false
twin:x:1001:1003::/:/bin/sh
`;
const group = `root:x:0:
users:x:100:
finance:x:200:bob,ghost,alice
+:x::
`;

test('a user is in their primary group and in groups that list their name', () => {
  const { accounts, groups } = readDirectory(passwd, group);
  expect(accounts).toEqual([
    { id: '0', name: 'root' },
    { id: '1001', name: 'alice' },
    { id: '1002', name: 'bob' },
  ]);
  expect(groups).toContainEqual({ id: '100', name: 'users', members: ['1001'] });
  expect(groups).toContainEqual({ id: '200', name: 'finance', members: ['1002', '1001'] });
  expect(groups).toContainEqual({ id: '1002', members: ['1002'] });
});
