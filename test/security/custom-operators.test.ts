import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { loadCustomOperators } from '../../services/operator/custom-operators';
import { contextFor, documentRow } from '../support/operators/operator-test-support';

const canary = 'canary-of-the-environment';
let base: string;
let folder: string;
let server: Server;
let port: number;
let visits = 0;

beforeAll(async () => {
  process.env['DOCLOOM_SECRET_CANARY'] = canary;
  server = createServer((_request, response) => {
    visits += 1;
    response.end(canary);
  });
  server.on('connection', () => (visits += 1));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => {
  delete process.env['DOCLOOM_SECRET_CANARY'];
  server.close();
});
beforeEach(() => {
  base = mkdtempSync(path.join(os.tmpdir(), 'docloom-confined-'));
  folder = path.join(base, 'operators');
  mkdirSync(path.join(folder, 'data'), { recursive: true });
  writeFileSync(path.join(base, 'outside.txt'), canary);
  writeFileSync(path.join(folder, 'data', 'own.txt'), 'a file of its own');
});
afterEach(() => rmSync(base, { recursive: true }));

/** The value of the expression inside an operator, or the code of its rejection. */
async function inside(expression: string, permissions: object = {}): Promise<string> {
  writeFileSync(
    path.join(folder, 'spy.mjs'),
    `export const operator = { name: 'spy', summary: 'x', permissions: ${JSON.stringify(permissions)} };
     export const run = async (rows) => {
       let found;
       try { found = String(await (${expression})); } catch (error) { found = 'refused: ' + (error.code ?? error.message); }
       return { rows: rows.map((row) => ({ ...row, found })) };
     };`,
  );
  const [spy] = await loadCustomOperators([folder], [], { memoryMb: 64, timeoutMs: 20_000 });
  const { run } = await (spy as NonNullable<typeof spy>).load();
  const { rows } = await run([documentRow('a', 'x')], {}, contextFor({}));
  return String(rows[0]?.['found']);
}

test.each([
  ['its own environment', `import('node:fs').then((fs) => fs.readFileSync('/proc/self/environ', 'utf8'))`],
  [
    'that of the worker',
    `import('node:fs').then((fs) => fs.readFileSync('/proc/' + process.ppid + '/environ', 'utf8'))`,
  ],
  ['that of a thread', `import('node:fs').then((fs) => fs.readFileSync('/proc/thread-self/environ', 'utf8'))`],
  [
    'it by a promise',
    `import('node:fs/promises').then((fs) => fs.readFile('/proc/' + process.ppid + '/environ', 'utf8'))`,
  ],
  ['it by a stream', `import('node:fs').then((fs) => fs.createReadStream('/proc/self/environ').toArray())`],
  ['it by a shell', `import('node:child_process').then((one) => one.execSync('env'))`],
  ['it by a binding', `process.binding('fs').internalModuleReadJSON('/proc/self/environ')`],
  ['process.env', `JSON.stringify(process.env)`],
  ['the variables of a report', `JSON.stringify(process.report.getReport().environmentVariables ?? {})`],
  [
    'it as variables of its own',
    `Promise.resolve().then(() => { process.loadEnvFile('/proc/' + process.ppid + '/environ'); return JSON.stringify(process.env); })`,
  ],
  ['it as a module', `import('file:///proc/self/environ')`],
  [
    'it as data of a module',
    `import('file:///proc/self/environ', { with: { type: 'json' } }).catch((error) => error.stack)`,
  ],
  [
    'it through another path',
    `import('node:fs').then((fs) => fs.readFileSync('/dev/fd/../self/../self/environ', 'latin1'))`,
  ],
  ['it as a blob', `import('node:fs').then((fs) => fs.openAsBlob('/proc/self/environ')).then((blob) => blob.text())`],
  [
    'it in a thread',
    `import('node:worker_threads').then(({ Worker }) => new Promise((done, fail) => {
       const thread = new Worker("require('node:worker_threads').parentPort.postMessage(require('node:fs').readFileSync('/proc/self/environ', 'latin1'))", { eval: true });
       thread.on('message', done).on('error', fail);
     }))`,
  ],
  ['it through a native addon', `process.dlopen({ exports: {} }, '/proc/self/environ')`],
  [
    'it with WASI',
    `import('node:wasi').then(({ WASI }) => new WASI({ version: 'preview1', preopens: { '/': '/proc/self' }, env: process.env }) && JSON.stringify(process.env))`,
  ],
])('an operator does not read %s', async (_name, expression) => {
  expect(await inside(expression)).not.toContain(canary);
});

test('it reads its own folder, and no file outside, and makes no link to one; declared folders are open', async () => {
  const read = (name: string) => `import('node:fs').then((fs) => fs.readFileSync(${JSON.stringify(name)}, 'utf8'))`;
  const outside = path.join(base, 'outside.txt');
  expect(await inside(read(path.join(folder, 'data', 'own.txt')))).toBe('a file of its own');
  expect(await inside(read(outside))).toBe('refused: ERR_ACCESS_DENIED');
  expect(await inside(read(`${folder}/data/../../outside.txt`))).toBe('refused: ERR_ACCESS_DENIED');
  expect(await inside(read(outside), { read: ['../outside.txt'] })).toBe(canary);
  for (const way of [
    `fs.cpSync(${JSON.stringify(outside)}, ${JSON.stringify(path.join(folder, 'copy.txt'))})`,
    `fs.linkSync(${JSON.stringify(outside)}, ${JSON.stringify(path.join(folder, 'hard.txt'))})`,
    `fs.symlinkSync(${JSON.stringify(base)}, ${JSON.stringify(path.join(folder, 'up'))})`,
    `fs.renameSync(${JSON.stringify(outside)}, ${JSON.stringify(path.join(folder, 'moved.txt'))})`,
    `fs.readFileSync(Buffer.from(${JSON.stringify(outside)}), 'utf8')`,
    `fs.readFileSync(new URL('../outside.txt', 'file://${folder}/x'), 'utf8')`,
    `(process.chdir(${JSON.stringify(base)}), fs.readFileSync('outside.txt', 'utf8'))`,
  ])
    expect([way, await inside(`import('node:fs').then((fs) => ${way})`)]).toEqual([
      way,
      expect.stringMatching(/^refused: ERR_ACCESS_DENIED/),
    ]);
  // Nor with the right to write where the link would be.
  const link = `fs.symlinkSync(${JSON.stringify(outside)}, ${JSON.stringify(path.join(folder, 'data', 'out.txt'))})`;
  expect(await inside(`import('node:fs').then((fs) => ${link})`, { write: ['data/*'] })).toMatch(/^refused: /);
  const target = path.join(base, 'written.txt');
  const write = `import('node:fs').then((fs) => fs.writeFileSync(${JSON.stringify(target)}, 'x'))`;
  expect(await inside(write)).toBe('refused: ERR_ACCESS_DENIED');
  expect(existsSync(target)).toBe(false);
  await inside(write, { write: ['../written.txt'] });
  expect(existsSync(target)).toBe(true);
});

test('it reaches no server by any of the ways of Node, unless it declares the network', async () => {
  visits = 0;
  const url = `http://127.0.0.1:${port}/`;
  const ways = [
    `fetch('${url}')`,
    `import('node:http').then((one) => new Promise((done, fail) => one.get('${url}', done).on('error', fail)))`,
    `import('node:net').then((one) => new Promise((done, fail) => one.connect(${port}, '127.0.0.1', done).on('error', fail)))`,
    `import('node:http2').then((one) => new Promise((done, fail) => one.connect('${url}', done).on('error', fail)))`,
    `import('node:dgram').then((one) => one.createSocket('udp4').send('x', ${port}, '127.0.0.1'))`,
    `import('node:dns').then((one) => one.promises.lookup('localhost'))`,
    `import('node:dns').then((one) => { const at = new one.promises.Resolver(); at.setServers(['127.0.0.1:${port}']); return at.resolve('a.example'); })`,
    `new Promise((done, fail) => { const socket = new WebSocket('ws://127.0.0.1:${port}/'); socket.onopen = done; socket.onerror = () => fail(new Error('no socket')); })`,
    `import('node:tls').then((one) => new Promise((done, fail) => one.connect(${port}, '127.0.0.1', done).on('error', fail)))`,
    `import('node:inspector').then((one) => { one.open(0, '127.0.0.1'); return one.url(); })`,
    `import('node:net').then((one) => new Promise((done, fail) => { const server = one.createServer(); server.on('error', fail).listen(0, '127.0.0.1', () => done('listens')); }))`,
    `import('http://127.0.0.1:${port}/module.mjs')`,
  ];
  for (const way of ways) expect(await inside(way)).toMatch(/^refused: /);
  expect(visits).toBe(0);
  expect(await inside(`fetch('${url}').then((reply) => reply.text())`, { network: true })).toBe(canary);
});

test('it ends no process and acts only for itself', async () => {
  expect(await inside(`process.kill(process.ppid, 0)`)).toBe('refused: ERR_ACCESS_DENIED');
  expect(await inside(`typeof process.send`)).toBe('undefined');
});
