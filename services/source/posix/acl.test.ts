import { parseAcls } from './acl';

test('entries, mask and owning group are read; files without extended entries and default entries are skipped', () => {
  const output = Buffer.from(
    [
      '# file: /srv/a b.txt\n# owner: 0\n# group: 100\n# flags: -s-\nuser::rw-\nuser:1001:r--\ngroup::rw-\ngroup:200:---\nmask::r--\nother::---\n',
      '# file: /srv/plain\n# owner: 0\n# group: 0\nuser::rwx\ngroup::r-x\nother::r-x\ndefault:user:1001:rwx\ndefault:mask::rwx\n',
      '',
    ].join('\n'),
  );
  const acls = parseAcls(output);
  expect([...acls.keys()]).toEqual(['/srv/a b.txt']);
  expect(acls.get('/srv/a b.txt')).toEqual({
    users: new Map([['1001', 4]]),
    groups: new Map([['200', 0]]),
    owningGroup: 6,
    mask: 4,
  });
});

test('names with line breaks, backslashes and non-ASCII letters match those of the files', () => {
  const written =
    '# file: /srv/Gr\\303\\266\\303\\237e\\012x\\\\y\\134z\nuser::rw-\ngroup::r--\nmask::r--\nother::---\n\n';
  expect([...parseAcls(Buffer.from(written)).keys()]).toEqual(['/srv/Größe\nx\\y\\z']);
  const raw = Buffer.from('# file: /srv/Größe\nuser::rw-\ngroup::r--\nmask::r--\nother::---\n\n');
  expect([...parseAcls(raw).keys()]).toEqual(['/srv/Größe']);
});
