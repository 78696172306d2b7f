import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { settings } from '../model/config';
import { artifactChecksums, verifyArtifacts } from './artifact-checksums';
import { formatPom } from './maven';
import { findTemporalRelease, temporalWheel, versions, findVersitygwRelease } from './releases';
import { serverRecipes } from './servers';
import { mongo } from './servers/mongo';
import { omitSecrets } from './stack-file';

const dataDir = mkdtempSync(path.join(tmpdir(), 'docloom-lists-'));
const context = { dataDir, cacheDir: dataDir, env: {}, log: () => undefined };
const onPath = { origin: 'path' as const, path: '/usr/bin/server' };
afterAll(() => rmSync(dataDir, { recursive: true }));

test.each(serverRecipes.map((recipe) => [recipe.name, recipe] as const))(
  '%s answers with settings that the configuration knows',
  (_name, recipe) => {
    const ports = { main: 1001, ui: 1002, transport: 1003 };
    const names = [recipe.setting, ...recipe.siblings, ...Object.keys(recipe.addresses(ports, onPath, context))];
    expect(names.filter((name) => !(name in settings))).toEqual([]);
  },
);

test.each(serverRecipes.map((recipe) => [recipe.name, recipe] as const))(
  '%s finds host and port in the address that it reports',
  (_name, recipe) => {
    expect(recipe.givenAddress(recipe.addresses({ main: 1001, ui: 1002, transport: 1003 }, onPath, context))).toEqual({
      host: '127.0.0.1',
      port: 1001,
    });
  },
);

test.each(serverRecipes.map((recipe) => [recipe.name, recipe] as const))(
  '%s is available from a package registry, with its version in the folder name',
  (_name, recipe) => {
    expect(recipe.steps.at(-1)).toMatchObject({ origin: 'build' });
    expect(Object.values(versions).some((version) => recipe.folder.endsWith(`-${version}`))).toBe(true);
  },
);

test('the Java database listens on a file of the data folder, or on a port if the path is too long', () => {
  const built = { origin: 'cache' as const, path: '/cache/mongo' };
  const addressIn = (folder: string) =>
    mongo.addresses({ main: 1001 }, built, { ...context, dataDir: folder })['MONGODB_URL'];
  expect(addressIn('/data/docloom')).toBe('mongodb://%2Fdata%2Fdocloom%2Fmongo%2Fmongo.sock/docloom');
  expect(addressIn(`/${'long/'.repeat(20)}`)).toBe('mongodb://127.0.0.1:1001/docloom');
  expect(mongo.givenAddress({ MONGODB_URL: addressIn('/data/docloom') })).toBeUndefined();
});

test('a machine without an official build is not offered a download', () => {
  expect(findTemporalRelease('1.9.1', 'linux', 'riscv64')).toBeUndefined();
  expect(findVersitygwRelease('freebsd', 'x64')).toBeUndefined();
});

test('every download has its own checksum here', () => {
  for (const platform of ['linux', 'darwin'] as const)
    for (const arch of ['x64', 'arm64'])
      expect(findVersitygwRelease(platform, arch)).toMatchObject({ checksum: expect.stringMatching(/^[0-9a-f]{64}$/) });
  expect(findTemporalRelease('1.9.1', 'linux', 'x64')?.checksum).toMatch(/^[0-9a-f]{64}$/);
  expect(findTemporalRelease('1.9.1', 'darwin', 'arm64')).toBeUndefined();
  expect(temporalWheel.checksums).toHaveLength(4);
  for (const version of [versions.opensearch, versions.mongoJavaServer, versions.ldapSdk])
    expect(Object.keys(artifactChecksums).some((name) => name.includes(`-${version}.`))).toBe(true);
  expect(Object.values(artifactChecksums).filter((checksum) => !/^[0-9a-f]{64}$/.test(checksum))).toEqual([]);
});

test('an archive from Maven with a different or unknown checksum is rejected', () => {
  const folder = mkdtempSync(path.join(dataDir, 'artifacts-'));
  const known = { 'a-1.jar': createHash('sha256').update('right').digest('hex') };
  const check = () => verifyArtifacts('Server', folder, 'jar', known);
  expect(check).toThrow('no archive');
  writeFileSync(path.join(folder, 'a-1.jar'), 'right');
  expect(check).not.toThrow();
  writeFileSync(path.join(folder, 'a-1.jar'), 'wrong');
  expect(check).toThrow('was expected; it is not used');
  writeFileSync(path.join(folder, 'a-1.jar'), 'right');
  writeFileSync(path.join(folder, 'b-1.jar'), 'unknown');
  expect(check).toThrow('b-1.jar, whose checksum is unknown');
});

test('a project file names type and exclusions', () => {
  const pom = formatPom([
    { group: 'g', id: 'a', version: '1', type: 'zip' },
    { group: 'g', id: 'b', version: '2', without: 'x' },
  ]);
  expect(pom).toContain('<artifactId>a</artifactId><version>1</version><type>zip</type></dependency>');
  expect(pom).toContain('<type>jar</type><exclusions><exclusion><groupId>x</groupId><artifactId>*</artifactId>');
});

test('the stack file stores addresses and the groups of administrators, and no secrets', () => {
  const env = {
    TEMPORAL_ADDRESS: 'a:1',
    DOCLOOM_ADMIN_GROUPS: 'admins',
    MONGODB_URL: 'mongodb://user:pass@host/db',
    LDAP_BIND_PASSWORD: 'p',
    JWT_SECRET_KEY: 's',
    DOCLOOM_PORT: '8080',
  };
  expect(omitSecrets(env)).toEqual({
    TEMPORAL_ADDRESS: 'a:1',
    DOCLOOM_PORT: '8080',
    DOCLOOM_ADMIN_GROUPS: 'admins',
  });
  expect(omitSecrets({ MONGODB_URL: 'mongodb://127.0.0.1:1/docloom' })).toEqual({
    MONGODB_URL: 'mongodb://127.0.0.1:1/docloom',
  });
});
