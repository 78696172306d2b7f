import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildMark } from '../embedded/process-mark';
import { createTokens } from '../services/login/tokens';
import { createTokenCommand } from './token';

const secret = 'a secret of at least thirty-two characters';
let folder: string;
const before = { ...process.env };
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'docloom-token-'));
  process.env['DOCLOOM_DATA'] = folder;
  delete process.env['JWT_SECRET_KEY'];
});
afterEach(() => {
  rmSync(folder, { recursive: true });
  process.env = { ...before };
});

let told = '';
async function printed(...argv: string[]): Promise<string> {
  const written: string[] = [];
  const [write, tell] = [process.stdout.write.bind(process.stdout), process.stderr.write.bind(process.stderr)];
  told = '';
  process.stdout.write = (text) => written.push(String(text)) > 0;
  process.stderr.write = (text) => Boolean((told += String(text)));
  try {
    await createTokenCommand().parseAsync(['node', 'token', ...argv]);
  } finally {
    process.stdout.write = write;
    process.stderr.write = tell;
  }
  return written.join('');
}

/** An api that accepts the tokens of one secret, and the record of a stack that it belongs to. */
async function runApi(accepted: string): Promise<Server> {
  const tokens = createTokens({ secret: accepted, expireMinutes: 1 });
  const server = createServer((request, response) => {
    try {
      if (request.url !== '/health') tokens.verify(request.headers.authorization?.slice('Bearer '.length) ?? '');
      response.end('{}');
    } catch {
      response.writeHead(401).end('{}');
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const apiAddress = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  writeFileSync(
    path.join(folder, 'stack.json'),
    JSON.stringify({ owner: buildMark(process.pid), processes: [], apiAddress }),
  );
  return server;
}

test('the secret of the data folder signs when the environment has none', async () => {
  writeFileSync(path.join(folder, 'jwt-secret'), `${secret}\n`);
  const token = (await printed('--user', 'alice', '--groups', 'staff, admins')).trim();
  expect(createTokens({ secret, expireMinutes: 1 }).verify(token).user).toEqual({
    username: 'alice',
    email: '',
    full_name: '',
    groups: ['staff', 'admins'],
  });
});

test('JWT_SECRET_KEY takes precedence, and JSON includes the expiry of the token', async () => {
  process.env['JWT_SECRET_KEY'] = secret;
  writeFileSync(path.join(folder, 'jwt-secret'), `${secret} of another kind`);
  const { access_token, token_type, expires_at } = JSON.parse(
    await printed('--user', 'alice', '--minutes', '90', '--json'),
  ) as Record<string, string>;
  expect(token_type).toBe('bearer');
  expect(createTokens({ secret, expireMinutes: 1 }).verify(access_token ?? '').user.username).toBe('alice');
  expect((Date.parse(expires_at ?? '') - Date.now()) / 60_000).toBeCloseTo(90, 0);
});

test('without a secret, the command lists the places that it searched', async () => {
  await expect(printed('--user', 'alice')).rejects.toMatchObject({
    code: 'INVALID_CONFIGURATION',
    message: expect.stringContaining(path.join(folder, 'jwt-secret')),
  });
});

test('a token that the running api rejects is an error with instructions', async () => {
  writeFileSync(path.join(folder, 'jwt-secret'), secret);
  const server = await runApi('a key that somebody gave to docloom up');
  try {
    await expect(printed('--user', 'alice')).rejects.toMatchObject({
      code: 'INVALID_CONFIGURATION',
      message: expect.stringMatching(/refuses tokens signed with .*jwt-secret.*JWT_SECRET_KEY/),
    });
    process.env['JWT_SECRET_KEY'] = 'a key that somebody gave to docloom up';
    expect(await printed('--user', 'alice')).toMatch(/^ey/);
    expect(told).toBe('');
  } finally {
    server.close();
  }
});

test('without a running api the command states when the token will be accepted', async () => {
  writeFileSync(path.join(folder, 'jwt-secret'), secret);
  await printed('--user', 'alice');
  expect(told).toContain(`Docloom is not running in ${folder}`);
});
