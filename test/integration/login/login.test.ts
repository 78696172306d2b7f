import { createClient } from '../../../client';
import { readConfig } from '../../../model/config';
import { createDirectory } from '../../../services/login/directory';
import { startApi, type TestApi } from '../../support/api/server';

let api: TestApi;
beforeAll(async () => {
  api = await startApi({ directory: createDirectory(readConfig(process.env)) });
});
afterAll(() => api.close());

const login = (username: string, password: string) => createClient({ baseUrl: api.url }).login(username, password);

test('a login through the directory returns a token for the canonical user', async () => {
  const { access_token } = await login('ALICE', 'alice-secret');
  expect(await createClient({ baseUrl: api.url, token: access_token }).me()).toEqual({
    username: 'alice',
    email: 'alice@example.org',
    full_name: 'Alice Archer',
  });
});

test.each([
  ['a wrong password', 'alice', 'wrong'],
  ['an empty password', 'alice', ''],
  ['an unknown user', 'nobody', 'x'],
  ['a filter in the name', '*)(uid=*', 'alice-secret'],
  ['a distinguished name in the name', 'alice,dc=evil', 'alice-secret'],
  ['a NUL in the name', 'alice\u0000', 'alice-secret'],
])('%s gives 401 without a reason', async (_name, username, password) => {
  await expect(login(username, password)).rejects.toMatchObject({
    status: 401,
    code: 'UNAUTHORIZED',
    message: 'Invalid username or password.',
  });
});

test('an unavailable directory returns 503', async () => {
  const away = await startApi({
    directory: createDirectory({ ...readConfig(process.env), LDAP_SERVER: 'ldap://127.0.0.1:1' }),
  });
  await expect(createClient({ baseUrl: away.url }).login('alice', 'alice-secret')).rejects.toMatchObject({
    status: 503,
    code: 'SERVICE_UNAVAILABLE',
  });
  await away.close();
});
