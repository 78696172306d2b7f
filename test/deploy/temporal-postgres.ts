import { spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Connection } from '@temporalio/client';
import { stringify } from 'yaml';
import { isListening } from '../../embedded/ports';
import { type ServerProcess, startProcess } from '../../embedded/server-process';
import { lowerPrivileges } from '../../embedded/servers/opensearch-user';
import { freePort } from '../support/servers/free-port';
import { until } from '../support/system/system';
import { postgres, run, temporalServer } from './tools';

/** The user id of `nobody`: PostgreSQL refuses to run as root. */
const nobody = 65_534;
const databases = { temporal: 'temporal', visibility: 'temporal_visibility' };

/** Temporal's server on PostgreSQL. Each process can be killed and started again on the same port. */
export interface TemporalOnPostgres {
  address: string;
  database: ServerProcess;
  server: ServerProcess;
  startDatabase(): Promise<void>;
  startServer(): Promise<void>;
  stop(): Promise<void>;
}

/** Creates the database and its tables, starts both servers, and registers the namespace `default`. */
export async function startTemporalOnPostgres(dataDir: string): Promise<TemporalOnPostgres> {
  const ports = { database: await freePort(), ...(await getTemporalPorts()) };
  const address = `127.0.0.1:${ports.frontend}`;
  initialize(dataDir);
  const startDatabase = async () => {
    const started = await launchDatabase(dataDir, ports.database);
    await until('PostgreSQL listens', () => isListening('127.0.0.1', ports.database), 60_000);
    return started;
  };
  const startServer = async () => {
    const { server } = temporalServer();
    const args = ['--root', dataDir, '--config', 'config', '--env', 'test', 'start'];
    const started = await startProcess('temporal', { command: server, args, env: process.env }, dataDir);
    await until('Temporal answers', () => isAnswering(address), 120_000);
    return started;
  };
  let database = await startDatabase();
  createTables(ports.database);
  writeConfig(dataDir, ports);
  let server = await startServer();
  return {
    address,
    get database() {
      return database;
    },
    get server() {
      return server;
    },
    async startDatabase() {
      database = await startDatabase();
    },
    async startServer() {
      server = await startServer();
    },
    async stop() {
      await server.stop();
      await database.stop();
    },
  };
}

async function getTemporalPorts() {
  const roles = ['frontend', 'matching', 'history', 'worker'] as const;
  const free = await Promise.all(roles.map(async (role) => [role, await freePort()] as const));
  const members = await Promise.all(roles.map(async (role) => [`${role}Members`, await freePort()] as const));
  return Object.fromEntries([...free, ...members]) as Record<
    (typeof roles)[number] | `${(typeof roles)[number]}Members`,
    number
  >;
}

function getPostgresEnv() {
  return { ...process.env, LD_LIBRARY_PATH: postgres().libraries };
}

function initialize(dataDir: string): void {
  const folder = path.join(dataDir, 'postgres');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (process.getuid?.() === 0) chownSync(folder, nobody, nobody);
  const args = ['--pgdata', folder, '--username', 'temporal', '--auth', 'trust', '--encoding', 'UTF8', '--locale', 'C'];
  const launch = lowerPrivileges(
    { command: path.join(postgres().programs, 'initdb'), args, env: getPostgresEnv(), cwd: folder },
    [folder],
  );
  const { status, stderr } = spawnSync(launch.command, launch.args, {
    encoding: 'utf8',
    env: launch.env,
    cwd: folder,
    ...(launch.uid === undefined ? {} : { uid: launch.uid, gid: launch.gid }),
  });
  if (status !== 0) throw new Error(`initdb ended with ${status}: ${stderr}`);
}

function launchDatabase(dataDir: string, port: number): Promise<ServerProcess> {
  const folder = path.join(dataDir, 'postgres');
  const args = ['-D', folder, '-p', String(port), '-h', '127.0.0.1', '-k', folder];
  const command = path.join(postgres().programs, 'postgres');
  return startProcess('postgres', lowerPrivileges({ command, args, env: getPostgresEnv() }, [folder]), dataDir);
}

function createTables(port: number): void {
  const { sqlTool } = temporalServer();
  for (const [schema, database] of Object.entries(databases)) {
    const place = ['--plugin', 'postgres12', '--endpoint', '127.0.0.1', '--port', String(port)];
    const call = [...place, '--user', 'temporal', '--password', 'unused', '--database', database];
    run(sqlTool, [...call, 'create-database']);
    run(sqlTool, [...call, 'setup-schema', '--version', '0.0']);
    run(sqlTool, [...call, 'update-schema', '--schema-name', `postgresql/v12/${schema}`]);
  }
}

type Ports = Record<string, number>;

function writeConfig(dataDir: string, ports: Ports): void {
  const folder = path.join(dataDir, 'config');
  mkdirSync(folder, { recursive: true });
  const store = (databaseName: string) => ({
    sql: {
      ...{ pluginName: 'postgres12', databaseName, connectAddr: `127.0.0.1:${ports['database']}` },
      ...{ connectProtocol: 'tcp', user: 'temporal', password: 'unused', maxConns: 20, maxIdleConns: 20 },
    },
  });
  const service = (role: string) => ({
    rpc: { grpcPort: ports[role], membershipPort: ports[`${role}Members`], bindOnLocalHost: true },
  });
  const settings = {
    log: { stdout: true, level: 'warn' },
    persistence: {
      ...{ defaultStore: 'main', visibilityStore: 'visibility', numHistoryShards: 4 },
      datastores: { main: store(databases.temporal), visibility: store(databases.visibility) },
    },
    global: { membership: { maxJoinDuration: '30s', broadcastAddress: '127.0.0.1' } },
    services: Object.fromEntries(['frontend', 'matching', 'history', 'worker'].map((role) => [role, service(role)])),
    clusterMetadata: {
      enableGlobalNamespace: false,
      failoverVersionIncrement: 10,
      masterClusterName: 'active',
      currentClusterName: 'active',
      clusterInformation: {
        active: {
          ...{ enabled: true, initialFailoverVersion: 1, rpcName: 'frontend' },
          rpcAddress: `127.0.0.1:${ports['frontend']}`,
        },
      },
    },
    dynamicConfigClient: { filepath: path.join(folder, 'dynamic.yaml'), pollInterval: '60s' },
  };
  writeFileSync(path.join(folder, 'test.yaml'), stringify(settings));
  writeFileSync(path.join(folder, 'dynamic.yaml'), stringify({ 'matching.enableFairness': [{ value: true }] }));
}

async function isAnswering(address: string): Promise<boolean> {
  try {
    const connection = await Connection.connect({ address, connectTimeout: 2_000 });
    try {
      const { namespaces } = await connection.workflowService.listNamespaces({});
      if (!namespaces?.some(({ namespaceInfo }) => namespaceInfo?.name === 'default'))
        await connection.workflowService.registerNamespace({
          namespace: 'default',
          workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
        });
      await connection.workflowService.describeNamespace({ namespace: 'default' });
      return true;
    } finally {
      await connection.close();
    }
  } catch {
    return false;
  }
}
