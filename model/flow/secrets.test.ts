import { isSecretName, mask, maskSecrets } from './secrets';

describe('maskSecrets', () => {
  test.each([
    'api_key',
    'apiKey',
    'API-KEY',
    'apikey',
    'openai_api_key',
    'password',
    'smtpPassword',
    'passphrase',
    'secret',
    'secrets',
    'secret_key',
    'secretAccessKey',
    'client_secret',
    'token',
    'access_token',
    'jwt_token',
    'bearerToken',
    'access_key',
    'aws_access_key_id',
    'private_key',
    'Authorization',
    'credentials',
  ])('%s is a secret', (name) => {
    expect(isSecretName(name)).toBe(true);
    expect(maskSecrets({ [name]: 'x' })).toEqual({ [name]: mask });
  });

  test.each([
    'token_limit',
    'max_tokens',
    'tokenizer',
    'docling_tokenizer',
    'key',
    'keywords',
    'username',
    'model_id',
    'secretary',
    'bypass',
  ])('%s is none', (name) => {
    expect(maskSecrets({ [name]: 'x' })).toEqual({ [name]: 'x' });
  });

  test('secrets are masked at any depth, in arrays, as numbers and below a secret member', () => {
    const flow = {
      flow: [{ config: { provider_config: { api_key: 'k', port: 1 }, credentials: { user: 'u', list: ['a', 7] } } }],
      password: 1234,
    };
    expect(maskSecrets(flow)).toEqual({
      flow: [
        { config: { provider_config: { api_key: mask, port: 1 }, credentials: { user: mask, list: [mask, mask] } } },
      ],
      password: mask,
    });
    expect(flow.password).toBe(1234);
  });

  test('a whole reference stays, a reference with text around it does not', () => {
    expect(
      maskSecrets({ api_key: '${DOCLOOM_SECRET_KEY}', token: 'x${DOCLOOM_SECRET_KEY}', password: '${HOME}' }),
    ).toEqual({
      api_key: '${DOCLOOM_SECRET_KEY}',
      token: mask,
      password: mask,
    });
  });

  test('passwords in URLs are masked, addresses without one are unchanged', () => {
    expect(maskSecrets({ uri: 'see mongodb://anna:geheim@db:27017/x and https://host:8080/a@b' })).toEqual({
      uri: `see mongodb://anna:${mask}@db:27017/x and https://host:8080/a@b`,
    });
  });

  test('secrets are masked at every repetition, after thousands of other names, and in members with long names', () => {
    const long = `${'x'.repeat(200)}_token`;
    const value = { api_key: 'a', name: 'a', [long]: 'a', headers: { 'X-Auth': 'a' } };
    const masked = { api_key: mask, name: 'a', [long]: mask, headers: { 'X-Auth': mask } };
    expect([maskSecrets(value), maskSecrets(value)]).toEqual([masked, masked]);
    const others = Object.fromEntries(Array.from({ length: 12_000 }, (_, index) => [`member_${index}`, 'a']));
    expect(maskSecrets(others)).toEqual(others);
    expect(maskSecrets(value)).toEqual(masked);
  });

  test('empty texts, booleans and null are unchanged', () => {
    expect(maskSecrets({ password: '', token: null, secret: true })).toEqual({
      password: '',
      token: null,
      secret: true,
    });
  });
});
