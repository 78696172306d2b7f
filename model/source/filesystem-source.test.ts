import { readFilesystemSettings } from './filesystem-source';

test.each([
  [{ connection_params: { paths: ['/a', '/b'] } }, ['/a', '/b']],
  [{ connection_params: { paths: '/a' } }, ['/a']],
  [{ connection_params: { root_path: '/a' } }, ['/a']],
  [{ connection_params: { root_path: ['/a'] } }, ['/a']],
  [{ provider_config: { paths: ['/a'] } }, ['/a']],
  [{ provider_config: { root_path: '/a' } }, ['/a']],
  [{ paths: ['/a'] }, ['/a']],
  [{ connection_params: { paths: ['/a'] }, paths: ['/b'] }, ['/a']],
  [{ connection_params: {} }, []],
  [{ connection_params: null, paths: [1, ' ', null] }, []],
])('%j names the paths %j', (config, paths) => {
  expect(readFilesystemSettings(config).paths).toEqual(paths);
});

test('filters are lists or comma-separated texts, and commas may be in braces', () => {
  const { include, exclude } = readFilesystemSettings({
    include_filter: 'pdf, .txt,*.{md,html}',
    exclude_filter: ['a,b', 'c'],
    connection_params: { exclude_patterns: ['*.tmp'] },
  });
  expect(include).toEqual(['pdf', '.txt', '*.{md,html}']);
  expect(exclude).toEqual(['a', 'b', 'c', '*.tmp']);
});

test('defaults: recursive, hidden files off, no size limit, no access list', () => {
  expect(readFilesystemSettings({})).toEqual({
    paths: [],
    recursive: true,
    ignoreHidden: true,
    include: [],
    exclude: [],
  });
});

test('sizes are given in megabytes and access lists may be empty', () => {
  expect(
    readFilesystemSettings({ max_file_size_mb: 1.5, allowed_users: [], recursive: false, ignore_hidden_files: false }),
  ).toMatchObject({
    maxFileBytes: 1_572_864,
    allowedUsers: [],
    recursive: false,
    ignoreHidden: false,
  });
});
