import jwt from 'jsonwebtoken';
import { createTokens } from './tokens';

const secret = 'a secret of at least thirty-two characters';
const alice = { username: 'alice', email: 'alice@example.org', full_name: 'Alice', groups: ['finance'] };
const tokens = createTokens({ secret, expireMinutes: 30 });
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const ours = { iss: 'docloom', aud: 'docloom' };
const inAnHour = Math.floor(Date.now() / 1000) + 3600;

test('an issued token returns the user', () => {
  expect(tokens.verify(tokens.issue(alice)).user).toEqual(alice);
});

test('a token has issuer, time of issue, expiry and its own id', () => {
  const claims = jwt.decode(tokens.issue(alice)) as jwt.JwtPayload;
  expect(claims).toMatchObject({ ...ours, username: 'alice' });
  expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(30 * 60);
  expect(claims.jti).not.toBe((jwt.decode(tokens.issue(alice)) as jwt.JwtPayload).jti);
});

test('a minimal token suffices: issuer, audience, user name and expiry', () => {
  const token = jwt.sign({ ...ours, username: 'bob', exp: inAnHour, extra: 1 }, secret);
  expect(tokens.verify(token).user).toEqual({ username: 'bob', email: '', full_name: '', groups: [] });
});

test('a verified token has its own id and expiry, even one without an id', () => {
  const token = tokens.issue(alice);
  const { jti, exp } = jwt.decode(token) as jwt.JwtPayload;
  expect(tokens.verify(token)).toMatchObject({ tokenId: jti, expiresAt: new Date((exp ?? 0) * 1000) });
  const nameless = ['bob', 'bib'].map((username) => jwt.sign({ ...ours, username, exp: inAnHour }, secret));
  const [one, another] = nameless.map((plain) => tokens.verify(plain).tokenId);
  expect(one).toHaveLength(43);
  expect(one).not.toBe(another);
});

test('a cached token is rejected once it has expired', () => {
  jest.useFakeTimers();
  try {
    const token = tokens.issue(alice);
    expect(tokens.verify(token)).toEqual(tokens.verify(token));
    jest.advanceTimersByTime(30 * 60_000);
    expect(() => tokens.verify(token)).toThrow(expect.objectContaining({ message: 'The token has expired.' }));
  } finally {
    jest.useRealTimers();
  }
});

test('a token signed with a former secret is valid; new ones use the current secret', () => {
  const former = 'the secret of last year, 32 characters';
  const rotated = createTokens({
    secret,
    previousSecrets: ['an even older one of 32 characters', former],
    expireMinutes: 5,
  });
  const old = createTokens({ secret: former, expireMinutes: 5 }).issue(alice);
  expect(rotated.verify(old).user).toEqual(alice);
  expect(() => tokens.verify(old)).toThrow(expect.objectContaining({ code: 'UNAUTHORIZED' }));
  expect(tokens.verify(rotated.issue(alice)).user).toEqual(alice);
  const expired = jwt.sign({ username: 'alice', exp: 1 }, former);
  expect(() => rotated.verify(expired)).toThrow(expect.objectContaining({ message: 'The token has expired.' }));
});

test.each([
  ['expired', jwt.sign({ username: 'alice', exp: 1 }, secret)],
  ['signed with another secret', jwt.sign({ username: 'alice', exp: inAnHour }, `${secret}!`)],
  ['signed with another algorithm', jwt.sign({ username: 'alice', exp: inAnHour }, secret, { algorithm: 'HS512' })],
  ['alg none', `${encode({ alg: 'none', typ: 'JWT' })}.${encode({ username: 'alice', exp: inAnHour })}.`],
  ['unsigned', jwt.sign({ username: 'alice', exp: inAnHour }, secret).replace(/[^.]*$/, '')],
  ['without a user name', jwt.sign({ email: 'alice@example.org', exp: inAnHour }, secret)],
  ['with an empty user name', jwt.sign({ username: '', exp: inAnHour }, secret)],
  ['without an expiry', jwt.sign({ username: 'alice' }, secret)],
  ['no token at all', 'nonsense'],
  ['empty', ''],
])('a token that is %s is rejected with UNAUTHORIZED', (_name, token) => {
  expect(() => tokens.verify(token)).toThrow(expect.objectContaining({ code: 'UNAUTHORIZED' }));
});

test('without a secret both functions report that JWT_SECRET_KEY is not set', () => {
  const none = createTokens({ secret: undefined, expireMinutes: 30 });
  const refusal = expect.objectContaining({
    code: 'SERVICE_UNAVAILABLE',
    message: expect.stringMatching(/JWT_SECRET_KEY/),
  });
  expect(() => none.issue(alice)).toThrow(refusal);
  expect(() => none.verify('anything')).toThrow(refusal);
});

test('tokens of another installation are rejected, even with the same key and audience', () => {
  const of = (identity: string | undefined) => createTokens({ secret, expireMinutes: 30, identity: () => identity });
  const [mine, theirs, unknown] = [of('mine'), of('theirs'), of(undefined)];
  expect(mine.verify(mine.issue(alice)).user).toEqual(alice);
  expect(() => mine.verify(theirs.issue(alice))).toThrow(expect.objectContaining({ code: 'UNAUTHORIZED' }));
  // Its own name, until the database has answered.
  expect(() => unknown.verify(mine.issue(alice))).toThrow(expect.objectContaining({ code: 'SERVICE_UNAVAILABLE' }));
  // Tokens of earlier versions contain no installation.
  expect(mine.verify(unknown.issue(alice)).user).toEqual(alice);
  const both = jwt.sign({ ...alice, aud: ['other', 'installation:mine'] }, secret, {
    issuer: 'docloom',
    expiresIn: 60,
  });
  expect(() => mine.verify(both)).toThrow(expect.objectContaining({ code: 'UNAUTHORIZED' }));
});

test('many groups are omitted if they are in the record of logins', () => {
  const groups = Array.from({ length: 1_000 }, (_, index) => `group-${index}`);
  const tokens = createTokens({ secret: 'a secret of at least thirty-two characters', expireMinutes: 5 });
  const user = { username: 'alice', email: '', full_name: '', groups };
  const short = tokens.verify(tokens.issue(user, { isRecorded: true }));
  expect([short.hasGroups, short.user.groups]).toEqual([false, []]);
  const whole = tokens.verify(tokens.issue(user));
  expect([whole.hasGroups, whole.user.groups]).toEqual([true, groups]);
  const few = tokens.verify(tokens.issue({ ...user, groups: ['a'] }, { isRecorded: true }));
  expect([few.hasGroups, few.user.groups]).toEqual([true, ['a']]);
});
