import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createTokens } from '../services/login/tokens';
import { tokenCommand } from './token';

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

async function printed(...argv: string[]): Promise<string> {
  const written: string[] = [];
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = (text) => written.push(String(text)) > 0;
  try {
    await tokenCommand().parseAsync(['node', 'token', ...argv]);
  } finally {
    process.stdout.write = write;
  }
  return written.join('');
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

test('JWT_SECRET_KEY wins, and JSON says when the token ends', async () => {
  process.env['JWT_SECRET_KEY'] = secret;
  writeFileSync(path.join(folder, 'jwt-secret'), `${secret} of another kind`);
  const { access_token, token_type, expires_at } = JSON.parse(
    await printed('--user', 'alice', '--minutes', '90', '--json'),
  ) as Record<string, string>;
  expect(token_type).toBe('bearer');
  expect(createTokens({ secret, expireMinutes: 1 }).verify(access_token ?? '').user.username).toBe('alice');
  expect((Date.parse(expires_at ?? '') - Date.now()) / 60_000).toBeCloseTo(90, 0);
});

test('without any secret the command says where it looked', async () => {
  await expect(printed('--user', 'alice')).rejects.toMatchObject({
    code: 'INVALID_CONFIGURATION',
    message: expect.stringContaining(path.join(folder, 'jwt-secret')),
  });
});
