import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'ldapts';
import { MongoClient } from 'mongodb';
import { readCacheFolder } from '../../../embedded/paths';
import { isListening, chooseFreePort } from '../../../embedded/ports';
import { versions } from '../../../embedded/releases';
import type { ServerName } from '../../../embedded/server';
import { type RunningServers, startServers } from '../../../embedded/servers';
import { sampleUsers } from '../../../embedded/servers/ldap';
import { searchAttributeTypes } from '../../../model/run/search-attributes';
import { until } from '../../support/system/system';

let dataDir: string;
let running: RunningServers | undefined;
const addresses = ['TEMPORAL_ADDRESS', 'MONGODB_URL', 'SEARCH_HOST', 'LDAP_SERVER', 'DOCLOOM_S3_ENDPOINT'];

beforeAll(() => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'docloom-servers-'));
});
afterEach(async () => running?.stop());
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

async function start(...names: ServerName[]): Promise<RunningServers> {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !addresses.includes(name)));
  const which = Object.fromEntries(names.map((name) => [name, true]));
  running = await startServers({ dataDir, cacheDir: readCacheFolder(process.env), env, log: () => undefined, which });
  return running;
}

test('documents acknowledged right before a SIGKILL of the database exist after the next start', async () => {
  const first = await start('mongo');
  const client = await MongoClient.connect(first.env['MONGODB_URL'] as string);
  const documents = client.db().collection<{ _id: string; changed?: boolean }>('kept');
  await documents.createIndex({ changed: 1 });
  const acknowledged: string[] = [];
  const write = async (writer: number) => {
    for (let index = 0; ; index += 1) {
      const _id = `${writer}/${index}`;
      await documents.insertOne({ _id });
      if (await documents.findOneAndUpdate({ _id }, { $set: { changed: true } })) acknowledged.push(_id);
      if (acknowledged.length === 1_000) process.kill(first.servers[0]?.pid as number, 'SIGKILL');
    }
  };
  await Promise.allSettled(Array.from({ length: 32 }, (_none, writer) => write(writer)));
  await client.close(true);

  const second = await start('mongo');
  const again = await MongoClient.connect(second.env['MONGODB_URL'] as string);
  const found = await again.db().collection<{ _id: string }>('kept').find({ changed: true }).toArray();
  const there = new Set(found.map(({ _id }) => _id));
  expect(acknowledged.length).toBeGreaterThanOrEqual(1_000);
  expect(acknowledged.filter((id) => !there.has(id))).toEqual([]);
  await again.close();
});

test('the sample users can log in with their passwords only, and only carol is an administrator', async () => {
  const { env } = await start('ldap');
  const client = new Client({ url: env['LDAP_SERVER'] as string });
  for (const { username, password } of sampleUsers) {
    await client.bind(`uid=${username},${env['LDAP_USER_DN']}`, password);
    await expect(client.bind(`uid=${username},${env['LDAP_USER_DN']}`, `${password}x`)).rejects.toThrow(
      /password was incorrect/,
    );
  }
  await client.bind(env['LDAP_BIND_DN'] as string, env['LDAP_BIND_PASSWORD']);
  const { searchEntries } = await client.search(env['LDAP_BASE_DN'] as string, { filter: '(cn=docloom-admins)' });
  expect(searchEntries.map(({ member }) => member)).toEqual([`uid=carol,${env['LDAP_USER_DN']}`]);
  await client.unbind();
  await running?.stop();
  expect(await isListening('127.0.0.1', Number(env['LDAP_SERVER']?.split(':').at(-1)))).toBe(false);
});

test('a server named in the environment is used, and keeps running afterwards', async () => {
  const servers = await startServers({
    dataDir,
    cacheDir: dataDir,
    env: process.env,
    log: () => undefined,
    which: { temporal: true, mongo: true, search: true, ldap: true, s3: true },
  });
  expect(servers.servers.map(({ origin }) => origin)).toEqual(Array(5).fill('environment'));
  expect(servers.env).toMatchObject({
    TEMPORAL_ADDRESS: process.env['TEMPORAL_ADDRESS'],
    LDAP_BIND_DN: process.env['LDAP_BIND_DN'],
  });
  await servers.stop();
  expect(
    await fetch(`http://${process.env['SEARCH_HOST']}:${process.env['SEARCH_PORT']}/`).then(({ status }) => status),
  ).toBe(200);
});

test('a named server that does not answer is an error with the setting, after ten seconds', async () => {
  const env = { ...process.env, MONGODB_URL: `mongodb://127.0.0.1:${await chooseFreePort(0)}/docloom` };
  const attempt = startServers({ dataDir, cacheDir: dataDir, env, log: () => undefined, which: { mongo: true } });
  await expect(attempt).rejects.toMatchObject({
    code: 'EMBEDDED_SERVER_FAILED',
    message: expect.stringMatching(/MONGODB_URL names .* where nothing answers/),
  });
});

test('the Temporal of an earlier release gets the search attributes that were added since', async () => {
  const databases = path.join(dataDir, 'temporal');
  await start('temporal');
  await running?.stop();
  // As the first release created it: with some of the attributes only.
  for (const name of readdirSync(databases)) if (name.startsWith('temporal.db')) rmSync(path.join(databases, name));
  const program = findTemporal();
  const port = await chooseFreePort(0);
  const file = path.join(databases, 'temporal.db');
  const old = spawn(program, [
    ...['server', 'start-dev', '--headless', '--port', String(port), '--db-filename', file],
    ...['FlowName', 'JobRunId', 'Outcome'].flatMap((name) => ['--search-attribute', `${name}=Keyword`]),
  ]);
  const list = async (at: number) =>
    promisify(execFile)(program, ['operator', 'search-attribute', 'list', '--address', `127.0.0.1:${at}`]).then(
      ({ stdout }) => stdout,
      () => '',
    );
  await until('the old server knows its attributes', async () => (await list(port)).includes('FlowName'));
  expect(await list(port)).not.toContain('WaitingFor');
  old.kill();
  await once(old, 'exit');
  const { env } = await start('temporal');
  const known = await list(Number(env['TEMPORAL_ADDRESS']?.split(':').at(-1)));
  for (const name of Object.keys(searchAttributeTypes)) expect(known).toContain(name);
});

function findTemporal(): string {
  return path.join(readCacheFolder(process.env), `temporal-${versions.temporal}`, 'temporal');
}
