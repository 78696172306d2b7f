import { createAddressGuard } from '../../../services/net/address-guard';
import { createSources } from '../../../services/source/sources';
import { sftpFixture } from '../../support/sources/sftp';
import { httpStalls, type Stall, useStallingServer } from '../../support/sources/stalling-server';

/** Servers that a flow names, and that hold their clients. A run that is cancelled meanwhile leaves each of them at once. */
const server = useStallingServer();
const sources = createSources({ roots: [], guard: createAddressGuard(['127.0.0.1']) });
const left = new Error('the run was cancelled');

const account = { username: 'ada', password: 'secret' };
const configure = {
  sftp: () => ({
    connection_params: { host: '127.0.0.1', port: server.port, host_key: `SHA256:${'A'.repeat(43)}`, folder: '/' },
    credentials: account,
  }),
  smb: () => ({ connection_params: { host: '127.0.0.1', port: server.port, share: 'share' }, credentials: account }),
  imap: () => ({
    connection_params: { host: '127.0.0.1', port: server.port, security: 'none' },
    credentials: account,
  }),
  s3: () => ({
    connection_params: { endpoint_url: server.origin, bucket: 'bucket' },
    credentials: { access_key: 'key', secret_key: 'secret' },
  }),
  azure: () => ({ connection_params: { container_url: `${server.origin}/account/container` } }),
  gcs: () => ({ connection_params: { endpoint_url: server.origin, bucket: 'bucket' } }),
  webdav: () => ({ connection_params: { folder_url: `${server.origin}/docs` } }),
  git: () => ({ connection_params: { repository_url: `${server.origin}/repository.git` } }),
  http: () => ({ connection_params: { sitemaps: [`${server.origin}/sitemap.xml`] } }),
} satisfies Record<string, () => Record<string, unknown>>;
type Provider = keyof typeof configure;

const greetings: Record<string, Record<string, Stall>> = {
  sftp: {
    'says nothing': { speaksFirst: true },
    'sends half of a greeting': { speaksFirst: true, beginning: 'SSH-2.0-ser' },
    'greets, then says nothing': { speaksFirst: true, beginning: 'SSH-2.0-server\r\n' },
  },
  smb: {
    'says nothing': {},
    'sends half of an answer': { beginning: Buffer.from([0, 0, 0, 80, 0xfe, 0x53]) },
  },
  imap: {
    'says nothing': { speaksFirst: true },
    'sends half of a greeting': { speaksFirst: true, beginning: '* OK [CAPA' },
    'greets, then says nothing': { speaksFirst: true, beginning: '* OK ready\r\n' },
    'never ends an answer': {
      speaksFirst: true,
      beginning: '* OK ready\r\n',
      drip: { bytes: '* OK still here\r\n', everyMs: 20 },
    },
  },
};
const web = ['s3', 'azure', 'gcs', 'webdav', 'git', 'http'];
const cases = Object.entries({ ...greetings, ...Object.fromEntries(web.map((name) => [name, httpStalls])) }).flatMap(
  ([provider, stalls]) => Object.entries(stalls).map(([what, stall]) => [provider as Provider, what, stall] as const),
);

test.each(cases)('%s: a server that %s does not hold a run that is cancelled', async (provider, _what, stall) => {
  server.stall = stall;
  const run = new AbortController();
  const listing = sources.list(provider, { provider, ...configure[provider]() }, run.signal);
  const leave = server.reached().then(() => run.abort(left));
  await expect(listing[Symbol.asyncIterator]().next()).rejects.toBe(left);
  await leave;
  await server.released();
});

/** Reads the only document of an SSH server that answers everything but the request for its bytes. */
test('sftp: a document whose bytes never come does not hold a run that is cancelled', async () => {
  const run = new AbortController();
  const fixture = await sftpFixture((sftp) => {
    sftp.removeAllListeners('READ');
    sftp.on('READ', () => run.abort(left));
  });
  await fixture.put('a.md', '# Title');
  const { sources: opened, config } = fixture;
  for await (const { path } of opened.list('sftp', config, run.signal))
    await expect(opened.read('sftp', path, config, run.signal)).rejects.toBe(left);
  expect(run.signal.aborted).toBe(true);
  await fixture.close();
});
