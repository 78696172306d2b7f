import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chooseFreePort, loopback } from '../ports';
import { type Launched, launchPart } from './own-process';

/** Listens on the port of the worker and answers "ready"; ends if the port is in use, as the worker does. */
const program = `require('http').createServer((request, reply) => reply.end('ready'))
  .on('error', () => process.exit(1)).listen(Number(process.env.DOCLOOM_METRICS_PORT), '127.0.0.1')`;

const dataDir = mkdtempSync(path.join(tmpdir(), 'docloom-own-process-'));
let launched: Launched | undefined;
afterEach(async () => launched?.part.process.stop());
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

const isReady = (address: string) =>
  fetch(address).then(
    async (reply) => (await reply.text()) === 'ready',
    () => false,
  );

async function launch(port: number, takePort?: (port: number, env: Record<string, string>) => void): Promise<Launched> {
  const env: Record<string, string> = { DOCLOOM_METRICS_PORT: String(port) };
  launched = await launchPart({ dataDir, env: { PATH: process.env['PATH'] } }, env, {
    name: 'worker',
    title: 'Worker',
    port,
    path: '/ready',
    answers: isReady,
    command: [process.execPath, '-e', program],
    ...(takePort ? { takePort: (other) => takePort(other, env) } : {}),
  });
  return launched;
}

test('a port that another program takes before the process starts is replaced', async () => {
  const port = await chooseFreePort(0);
  const thief = createServer((_request, reply) => reply.end('another program')).listen(port, loopback);
  await once(thief, 'listening');
  let moved = 0;
  const lines: string[] = [];
  try {
    const launched = await launch(port, (other, env) => {
      moved = other;
      env['DOCLOOM_METRICS_PORT'] = String(other);
    });
    await launched.waitReady((line) => lines.push(line));
    expect(moved).not.toBe(port);
    expect(await isReady(`http://${loopback}:${moved}/ready`)).toBe(true);
    expect(lines).toEqual([expect.stringMatching(/^Worker: ready \(process \d+/)]);
  } finally {
    thief.close();
    thief.closeAllConnections();
  }
});

test('a process that may not move fails when its port is taken', async () => {
  const port = await chooseFreePort(0);
  const thief = createServer((_request, reply) => reply.end('another program')).listen(port, loopback);
  await once(thief, 'listening');
  try {
    const launched = await launch(port);
    await expect(launched.waitReady(() => undefined)).rejects.toMatchObject({
      message: expect.stringContaining('ended while'),
    });
  } finally {
    thief.close();
    thief.closeAllConnections();
  }
});
