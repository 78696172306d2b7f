import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import { findListener } from './listeners';

/** Other systems do not report it. */
const told = (answer: string) => (process.platform === 'linux' ? answer : 'unknown');
let server: Server | undefined;
let child: ChildProcess | undefined;
afterEach(() => {
  server?.close();
  child?.kill();
});

async function listen(host: string): Promise<number> {
  server = createServer().listen(0, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

test('a port of another process is not ours, a free one belongs to nobody', async () => {
  child = spawn('sleep', ['60'], { detached: true });
  const port = await listen('127.0.0.1');
  expect(findListener(port, child.pid as number)).toBe(told('other'));
  server?.close();
  await once(server as Server, 'close');
  expect(findListener(port, child.pid as number)).toBe(told('nobody'));
});

test('a port of a grandchild is ours, over IPv6 too', async () => {
  const program = `require('net').createServer().listen(0, '::', function () { console.log(this.address().port); })`;
  child = spawn('sh', ['-c', `"${process.execPath}" -e "${program}"; true`], { detached: true });
  const [line] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
  expect(findListener(Number(line.toString()), child.pid as number)).toBe(told('ours'));
  process.kill(-(child.pid as number));
});
