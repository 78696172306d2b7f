import { listProblems } from '../../model/validate';
import { ingestSource } from './schema';

describe('validation', () => {
  test.each([
    { provider: 'filesystem', connection_params: { paths: ['/a', '/b'] } },
    { connection_params: { root_path: '/a', recursive: false, exclude_patterns: ['*.tmp'] } },
    {
      provider: 's3',
      connection_params: { bucket: 'b', prefix: 'x/', endpoint_url: 'http://s3.example:9000' },
      credentials: { access_key: '${DOCLOOM_SECRET_A}', secret_key: '${DOCLOOM_SECRET_B}' },
    },
    { provider: 'ibm_cos', provider_config: { bucket: 'b', region: 'eu' } },
    {
      provider: 'http',
      connection_params: { urls: ['https://example.org/a'], headers: { Authorization: '${DOCLOOM_SECRET_T}' } },
    },
    { provider: 'web', connection_params: { sitemaps: 'https://example.org/sitemap.xml', timeout: 5 } },
    { provider_config: { paths: '/a' }, include_filter: 'pdf,md', max_files: 5, allowed_users: [] },
  ])('%j is right', (config) => {
    expect(listProblems(ingestSource.config, structuredClone(config))).toEqual([]);
    expect(ingestSource.validate(config)).toEqual([]);
  });

  test.each<[Record<string, unknown>, string]>([
    [{ provider: 'ftp', connection_params: { paths: ['/a'] } }, '/provider'],
    [{ provider: 's3', connection_params: { paths: ['/a'] } }, '/connection_params/bucket'],
    [
      { provider: 's3', connection_params: { bucket: 'b', endpoint_url: 'minio:9000' } },
      '/connection_params/endpoint_url',
    ],
    [{ provider: 's3', connection_params: { bucket: 'b' }, credentials: { access_key: 'a' } }, '/credentials'],
    [{ provider: 'http' }, '/connection_params/urls'],
    [{ provider: 'web', connection_params: { urls: ['file:///etc/passwd'] } }, '/connection_params/urls'],
    [{ provider: 'http', connection_params: { sitemaps: 'sitemap.xml' } }, '/connection_params/sitemaps'],
    [{ provider: 7, connection_params: { paths: ['/a'] } }, '/provider'],
    [{ provider: 'filesystem' }, '/connection_params/paths'],
    [{ connection_params: { path: '/a' } }, '/connection_params/paths'],
    [{ paths: ['/a'], connection_params: { exclude_patterns: ['!(keep).md'] } }, '/connection_params/exclude_patterns'],
    [{ paths: ['/a'], include_filter: 'x'.repeat(5_000) }, '/include_filter'],
    [{ connection_params: { paths: [' '] } }, '/connection_params/paths'],
    [{ connection_params: { paths: ['/a\0b'] } }, '/connection_params/paths'],
  ])('%j is reported with its position', (config, pointer) => {
    expect(ingestSource.validate(config)).toEqual([
      { severity: 'error', messageCode: 'OPERATOR_VALIDATION_FAILED', message: expect.any(String) as string, pointer },
    ]);
  });

  test.each([
    { paths: [] },
    { max_files: 0 },
    { max_file_size_mb: -1 },
    { include_filters: 'pdf' },
    { allowed_users: 'alice' },
  ])('the schema rejects %j', (config) => {
    expect(listProblems(ingestSource.config, structuredClone(config))).not.toEqual([]);
  });
});
