import { Type } from '@sinclair/typebox';
import { resolveOwnSecrets, resolveSecrets } from './secrets';

const env = {
  DOCLOOM_SECRET_KEY: 'k1',
  DOCLOOM_SECRET_KEY_HOSTS: 'models.example.org, *.example.net, db.example.org:9200, operator:mine',
  DOCLOOM_SECRET_LOOSE: 'k2',
  DOCLOOM_SECRET_TRICK: '${DOCLOOM_SECRET_KEY}',
  DOCLOOM_SECRET_TRICK_HOSTS: 'models.example.org',
  DOCLOOM_SECRET_EMPTY: '',
  HOME: '/home/x',
};
const key = Type.String({ secret: true });
const schema = Type.Object({
  api_base: Type.String(),
  api_key: key,
  query: Type.String(),
  headers: Type.Record(Type.String(), Type.String(), { secret: true }),
  list: Type.Array(Type.Object({ token: key })),
  other: Type.Object({ base_url: Type.String(), api_key: key }, { ownHost: true }),
});
const use = { schema, fallback: ['http://127.0.0.1:11434'] };
const at = { api_base: 'https://models.example.org/v1' };

test('a member that takes no secrets is rejected alike for references that exist and for others', () => {
  const refusal = (name: string) => {
    try {
      return resolveSecrets({ ...at, query: `\${${name}}` }, env, use);
    } catch (error) {
      return String(error).replaceAll(name, 'NAME');
    }
  };
  const reply = refusal('DOCLOOM_SECRET_KEY');
  expect(reply).toContain('this member does not take secrets');
  for (const name of ['DOCLOOM_SECRET_NONE', 'DOCLOOM_SECRET_EMPTY', 'connection:none'])
    expect(refusal(name)).toBe(reply);
});

test('references are replaced in secret members, at any depth and inside longer texts', () => {
  const config = {
    ...at,
    api_key: '${DOCLOOM_SECRET_KEY}',
    headers: { Authorization: 'Bearer ${DOCLOOM_SECRET_KEY}!' },
    list: [{ token: '${DOCLOOM_SECRET_KEY}' }],
    n: 1,
    z: null,
  };
  expect(resolveSecrets(config, env, use)).toEqual({
    ...at,
    api_key: 'k1',
    headers: { Authorization: 'Bearer k1!' },
    list: [{ token: 'k1' }],
    n: 1,
    z: null,
  });
  expect(config.api_key).toBe('${DOCLOOM_SECRET_KEY}');
});

test('a secret that looks like a reference is not resolved again', () => {
  expect(resolveSecrets({ ...at, api_key: '${DOCLOOM_SECRET_TRICK}' }, env, use).api_key).toBe('${DOCLOOM_SECRET_KEY}');
});

test.each([
  ['a query', { ...at, query: "SELECT '${DOCLOOM_SECRET_KEY}'" }],
  ['an address', { api_base: 'https://models.example.org/${DOCLOOM_SECRET_KEY}' }],
  ['a member that the schema does not know', { ...at, more: { api_key: '${DOCLOOM_SECRET_KEY}' } }],
  ['a name of the prototype', { ...at, constructor: '${DOCLOOM_SECRET_KEY}' }],
  ['another host', { api_base: 'https://evil.example.org/', api_key: '${DOCLOOM_SECRET_KEY}' }],
  ['a second host', { ...at, url: 'http://evil.example.org', api_key: '${DOCLOOM_SECRET_KEY}' }],
  ['a host behind a user name', { api_base: 'https://models.example.org@evil.org/', api_key: '${DOCLOOM_SECRET_KEY}' }],
  ['a host with the same ending', { api_base: 'https://evilexample.net/', api_key: '${DOCLOOM_SECRET_KEY}' }],
  ['a host without a scheme', { host: 'evil.example.org', api_key: '${DOCLOOM_SECRET_KEY}' }],
  ['a wide full stop', { api_base: 'https://models.example.org。evil.org', api_key: '${DOCLOOM_SECRET_KEY}' }],
  ['another port', { host: 'db.example.org', port: 9300, api_key: '${DOCLOOM_SECRET_KEY}' }],
  ['no address, where the usual one is not listed', { api_key: '${DOCLOOM_SECRET_KEY}' }],
  ['a secret without hosts', { ...at, api_key: '${DOCLOOM_SECRET_LOOSE}' }],
  ['an own host that is not listed', { ...at, other: { base_url: 'http://x.org', api_key: '${DOCLOOM_SECRET_KEY}' } }],
])('%s is SECRET_NOT_ALLOWED, and the message contains no secret', (_name, config) => {
  const attempt = () => resolveSecrets(config, env, use);
  expect(attempt).toThrow(expect.objectContaining({ code: 'SECRET_NOT_ALLOWED' }));
  expect(attempt).not.toThrow(/k1|k2/);
});

test.each([
  ['upper case', { api_base: 'HTTPS://Models.Example.ORG/v1' }],
  ['a sub-domain', { api_base: 'https://a.b.example.net' }],
  ['a host with its port', { host: 'db.example.org', port: 9200 }],
])('%s of a listed host is admitted', (_name, place) => {
  expect(resolveSecrets({ ...place, api_key: '${DOCLOOM_SECRET_KEY}' }, env, use).api_key).toBe('k1');
});

test('a part with its own host is checked against that host only', () => {
  const config = {
    api_base: 'https://elsewhere.org',
    other: { base_url: at.api_base, api_key: '${DOCLOOM_SECRET_KEY}' },
  };
  expect(resolveSecrets(config, env, use).other.api_key).toBe('k1');
});

test('code of a custom operator gets a secret only if its name is listed', () => {
  const input = { api_key: '${DOCLOOM_SECRET_KEY}' };
  expect(resolveSecrets(input, env, { schema, fallback: ['operator:mine'] }).api_key).toBe('k1');
  expect(() => resolveSecrets(input, env, { schema, fallback: ['operator:other'] })).toThrow(/operator:other/);
  expect(() => resolveSecrets({ ...input, ...at }, env, { schema, fallback: ['operator:other'] })).toThrow(/refused/);
});

test.each([
  '${HOME}',
  '${JWT_SECRET_KEY}',
  '${DOCLOOM_SECRET_}',
  '${DOCLOOM_SECRET_MISSING}',
  '${DOCLOOM_SECRET_EMPTY}',
  '${DOCLOOM_SECRET_KEY_HOSTS}',
  '${PATH}x',
])('%s is SECRET_NOT_FOUND, and the message contains reference and location', (text) => {
  const name = /\$\{.*\}/.exec(text)?.[0] ?? '';
  expect(() => resolveSecrets({ list: [{ token: text }] }, env, use)).toThrow(
    expect.objectContaining({
      code: 'SECRET_NOT_FOUND',
      message: expect.stringMatching(`(?=.*${name.replace(/[$\\{}]/g, '\\$&')})(?=.*/list/0/token)`),
    }),
  );
});

test('members of the prototype of env are not variables', () => {
  const inherited = Object.create({ DOCLOOM_SECRET_X: 'y' }) as Record<string, string>;
  expect(() => resolveSecrets({ api_key: '${DOCLOOM_SECRET_X}' }, inherited, use)).toThrow(/not set/);
});

test('other uses of ${ are text', () => {
  expect(resolveSecrets({ query: '${3,4} ${lower} $HOME' }, env, use)).toEqual({ query: '${3,4} ${lower} $HOME' });
});

test('the command line of a user may use their own secrets anywhere', () => {
  expect(resolveOwnSecrets({ a: ['Bearer ${DOCLOOM_SECRET_LOOSE}'] }, env)).toEqual({ a: ['Bearer k2'] });
});
