import { describeConfig, readConfig } from '.';

const good = 'a random secret of 32 characters';

test.each([
  ['short', 'JWT_SECRET_KEY', 'short'],
  ['of one character', 'JWT_SECRET_KEY', 'x'.repeat(64)],
  ['of few characters', 'JWT_SECRET_KEY', '1234567'.repeat(6)],
  ['short, a former one', 'JWT_PREVIOUS_SECRET_KEYS', `${good},short`],
])('a secret that is %s is rejected, and not repeated', (_name, name, value) => {
  const refusal = (() => {
    try {
      return readConfig({ [name]: value });
    } catch (error) {
      return error as Error;
    }
  })();
  expect(refusal).toMatchObject({ code: 'INVALID_CONFIGURATION', message: expect.stringContaining(name) });
  expect(`${JSON.stringify(refusal)} ${(refusal as Error).message}`).not.toContain(value);
});

test('valid secrets are accepted, and masked when settings are shown', () => {
  const env = { JWT_SECRET_KEY: good, JWT_PREVIOUS_SECRET_KEYS: `${good}1, ${good}2`, OAUTH2_CLIENT_SECRET: 'client' };
  expect(readConfig(env).JWT_PREVIOUS_SECRET_KEYS).toEqual([`${good}1`, `${good}2`]);
  const shown = describeConfig(env).filter(({ name }) => name in env);
  expect(shown.map(({ value }) => value)).toEqual(['********', '********', '********']);
});
