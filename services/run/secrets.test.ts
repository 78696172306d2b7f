import { resolveSecrets } from './secrets';

const env = {
  DOCLOOM_SECRET_KEY: 'k1',
  DOCLOOM_SECRET_TRICK: '${DOCLOOM_SECRET_KEY}',
  DOCLOOM_SECRET_EMPTY: '',
  HOME: '/home/x',
};

describe('resolveSecrets', () => {
  test('references are replaced at any depth and inside longer texts', () => {
    const config = { a: '${DOCLOOM_SECRET_KEY}', b: [{ c: 'Bearer ${DOCLOOM_SECRET_KEY}!' }], n: 1, t: true, z: null };
    expect(resolveSecrets(config, env)).toEqual({ a: 'k1', b: [{ c: 'Bearer k1!' }], n: 1, t: true, z: null });
    expect(config.a).toBe('${DOCLOOM_SECRET_KEY}');
  });

  test('a secret that looks like a reference is not resolved again', () => {
    expect(resolveSecrets('${DOCLOOM_SECRET_TRICK}', env)).toBe('${DOCLOOM_SECRET_KEY}');
  });

  test.each([
    '${HOME}',
    '${JWT_SECRET_KEY}',
    '${DOCLOOM_SECRET_}',
    '${DOCLOOM_SECRET_MISSING}',
    '${DOCLOOM_SECRET_EMPTY}',
    '${PATH}x',
  ])('%s is SECRET_NOT_FOUND and the message names reference and place', (text) => {
    const name = /\$\{.*\}/.exec(text)?.[0] ?? '';
    expect(() => resolveSecrets({ a: [{ key: text }] }, env)).toThrow(
      expect.objectContaining({
        code: 'SECRET_NOT_FOUND',
        message: expect.stringMatching(`(?=.*${name.replace(/[$\\{}]/g, '\\$&')})(?=.*/a/0/key)`),
      }),
    );
  });

  test('members of the prototype of env are no variables', () => {
    expect(() =>
      resolveSecrets('${DOCLOOM_SECRET_X}', Object.create({ DOCLOOM_SECRET_X: 'y' }) as Record<string, string>),
    ).toThrow(/not set/);
  });

  test('other uses of ${ are text', () => {
    expect(resolveSecrets('${3,4} ${lower} $HOME', env)).toBe('${3,4} ${lower} $HOME');
  });
});
