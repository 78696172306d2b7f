import { toShownPlace } from './shown-place';

test.each([
  [{ path: '/srv/docs/a/b.md', source: 'file:/srv/docs', metadata: { relative_path: 'a/b.md' } }, 'a/b.md', 'file'],
  [{ path: '/srv/docs/a/b.md', source: 'file:/srv/docs' }, 'a/b.md', 'file'],
  [{ path: '/srv/docs/a/b.md', source: 'file:/srv/docs/' }, 'a/b.md', 'file'],
  [{ path: 'C:\\docs\\a\\b.md', source: 'file:C:/docs' }, 'a/b.md', 'file'],
  [{ path: '/other/b.md', source: 'file:/srv/docs' }, 'b.md', 'file'],
  [{ path: '/srv/docs/b.md', metadata: { relative_path: '/srv/docs/b.md' } }, 'b.md', undefined],
  [{ path: 'a/b.md', source: 'file' }, 'a/b.md', 'file'],
  [{ path: 'https://host/a/b.md', source: 'https://host' }, 'https://host/a/b.md', 'https://host'],
  [{ path: 's3://bucket/a.md', source: 's3://bucket' }, 's3://bucket/a.md', 's3://bucket'],
  [{ path: '/a/b.md', source: 's3://bucket' }, '/a/b.md', 's3://bucket'],
])('%j is shown as %s of %s', (input, path, source) => {
  expect(toShownPlace(input)).toEqual({ path, ...(source === undefined ? {} : { source }) });
});

test('a missing value is not shown', () => {
  expect(toShownPlace({})).toEqual({});
});
