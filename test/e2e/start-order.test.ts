import { once } from 'node:events';
import { createClient } from '../../client';
import { readConfig } from '../../model/config';
import { createTokens } from '../../services/login/tokens';
import { freePort } from '../support/servers/free-port';
import { documentsIn, indexing, reading, runToEnd } from '../support/system/over-http';
import { createDoor, createSystem, type System, until } from '../support/system/system';

// Proxies in front of the servers: a closed one refuses connections. Each stays closed for longer than the first connection
// attempt of the clients lasts.
type Door = Awaited<ReturnType<typeof createDoor>>;
type Name = 'mongo' | 'temporal' | 'search';
type Doors = Record<Name, Door>;
const names: readonly Name[] = ['mongo', 'temporal', 'search'];
const temporalAddress = process.env['TEMPORAL_ADDRESS'] ?? '127.0.0.1:7233';
const secret = 'a-secret-of-this-test-0123456789-0123456789';

test.each<[Name, Name, Name]>([
  ['mongo', 'temporal', 'search'],
  ['search', 'mongo', 'temporal'],
  ['temporal', 'search', 'mongo'],
])(
  'api and worker that start before %s, %s and %s, which start in this order, recover by themselves',
  async (...order) => {
    const { system, doors, ports, mongoUrl } = await systemBehindDoors();
    const running = (['api', 'worker'] as const).map((name) => system.spawn([name]));
    try {
      for (const name of names) doors[name].shut();
      for (const port of ports)
        await until('the process lives', async () => (await ask(port, '/health'))?.status === 200);
      for (const port of ports) {
        await until('the first attempt to connect to the database is over', async () =>
          /cannot be reached|closed/i.test((await missing(port)).get('mongo') ?? ''),
        );
        expect([...(await missing(port)).keys()].toSorted()).toEqual([...names].toSorted());
      }
      const absent = new Set<string>(names);
      for (const name of order) {
        await doors[name].open();
        absent.delete(name);
        for (const port of ports)
          await until(`${name} is found, and only ${[...absent].join()} missing`, async () => {
            const found = await missing(port);
            return found.size === absent.size && [...absent].every((value) => found.has(value));
          });
      }
      await runs(system, ports[0] ?? 0, 'first');
      for (const name of names) doors[name].shut();
      await until('all are missing again', async () => (await missing(ports[0] ?? 0)).size === 3);
      for (const name of order) await doors[name].open();
      await runs(system, ports[0] ?? 0, 'second');
    } finally {
      for (const { child } of running) child.kill('SIGTERM');
      await Promise.all(running.map(({ result }) => result));
      for (const door of Object.values(doors)) door.close();
      Object.assign(system.env, { TEMPORAL_ADDRESS: temporalAddress, MONGODB_URL: mongoUrl });
      await system.stop();
    }
  },
);

test('a worker that waits for the database, after Temporal has answered, ends at SIGTERM', async () => {
  const { system, doors, ports, mongoUrl } = await systemBehindDoors();
  doors.mongo.shut();
  const { child, result } = system.spawn(['worker']);
  const exited = once(child, 'exit');
  try {
    const port = ports[1] ?? 0;
    await until('Temporal is there, and the database missing', async () => {
      const found = await missing(port).catch(() => new Map<string, string>());
      return found.has('mongo') && !found.has('temporal');
    });
    child.kill('SIGTERM');
    expect(await exited).toEqual([null, 'SIGTERM']);
  } finally {
    child.kill('SIGKILL');
    await result;
    for (const door of Object.values(doors)) door.close();
    Object.assign(system.env, { TEMPORAL_ADDRESS: temporalAddress, MONGODB_URL: mongoUrl });
    await system.stop();
  }
});

async function systemBehindDoors(): Promise<{
  system: System;
  doors: Doors;
  ports: readonly number[];
  mongoUrl: string;
}> {
  const mongo = new URL(process.env['MONGODB_URL'] ?? 'mongodb://127.0.0.1:27017/docloom');
  const [temporalHost = '', temporalPort] = temporalAddress.split(':');
  const doors: Doors = {
    mongo: await createDoor(decodeURIComponent(mongo.hostname), Number(mongo.port || 27017)),
    temporal: await createDoor(temporalHost, Number(temporalPort)),
    search: await createDoor(process.env['SEARCH_HOST'] ?? '127.0.0.1', Number(process.env['SEARCH_PORT'] ?? 9200)),
  };
  const ports = [await freePort(), await freePort()] as const;
  const system = createSystem({
    SEARCH_HOST: '127.0.0.1',
    SEARCH_PORT: String(doors.search.port),
    DOCLOOM_PORT: String(ports[0]),
    DOCLOOM_METRICS_PORT: String(ports[1]),
    JWT_SECRET_KEY: secret,
  });
  const mongoUrl = system.env['MONGODB_URL'] ?? '';
  const url = new URL(mongoUrl);
  url.host = `127.0.0.1:${doors.mongo.port}`;
  system.env['MONGODB_URL'] = url.toString();
  system.env['TEMPORAL_ADDRESS'] = `127.0.0.1:${doors.temporal.port}`;
  return { system, doors, ports, mongoUrl };
}

async function ask(port: number, path: string): Promise<{ status: number; body: unknown } | undefined> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    return { status: response.status, body: await response.json() };
  } catch {
    return undefined;
  }
}

/** The reasons of `/ready`, by the server that is missing. */
async function missing(port: number): Promise<Map<string, string>> {
  const { status, body } = (await ask(port, '/ready')) ?? {};
  const { checks } = body as { checks: Record<string, { ok: boolean; reason?: string }> };
  const absent = Object.entries(checks).filter(([, { ok }]) => !ok);
  expect(status).toBe(absent.length === 0 ? 200 : 503);
  return new Map(absent.map(([name, { reason = '' }]) => [name, reason]));
}

/** Runs a flow over HTTP and finds its document. */
async function runs(system: System, port: number, name: string): Promise<void> {
  const config = readConfig(system.env);
  const tokens = createTokens({ secret, previousSecrets: [], expireMinutes: 5, audience: config.JWT_AUDIENCE });
  const token = tokens.issue({ username: 'alice', email: '', full_name: '', groups: [] });
  const client = createClient({ baseUrl: `http://127.0.0.1:${port}`, token });
  const documents = documentsIn(system, name, { 'a.md': `# ${name}` }, { allowed_users: ['alice'] });
  await until('all servers are found', async () => (await missing(port)).size === 0);
  const { flow_id } = await client.flows.create({
    flow_name: name,
    flow: [...reading(documents), ...indexing(system, name)],
  });
  expect(await runToEnd(client, flow_id)).toMatchObject({ status: 'COMPLETED', totals: { completed: 1 } });
  expect((await client.documents.search({ query: name })).total).toBe(1);
}
