import { createLoginStates } from '../../../services/login/login-states';
import { createRevocations } from '../../../services/login/revocations';
import { createSessions } from '../../../services/login/sessions';
import { connectMongo } from '../../../services/storage/mongo';
import { useDatabase } from '../../support/system/database';

const mongo = useDatabase(['login_states', 'revoked_tokens', 'sessions']);
const user = { username: 'alice', email: '', full_name: '', groups: ['a.b', '$c'] };
let now = Date.now();
const clock = () => new Date(now);

describe('login states', () => {
  test('a secret can be taken once, even by many concurrent callers', async () => {
    const states = createLoginStates(mongo, clock);
    const secret = await states.put('code', { user }, 60);
    const taken = await Promise.all(Array.from({ length: 20 }, () => states.take('code', secret)));
    expect(taken.filter((value) => value !== undefined)).toEqual([{ user }]);
  });

  test('a secret of one kind cannot take a value of another', async () => {
    const states = createLoginStates(mongo, clock);
    const secret = await states.put('code', { user }, 60);
    expect(await states.take('state', secret)).toBeUndefined();
    expect(await states.take('code', secret)).toEqual({ user });
  });

  test('an expired value cannot be read, and the database removes it', async () => {
    const states = createLoginStates(mongo, clock);
    const secret = await states.put('code', { user }, 60);
    now += 60_000;
    expect(await states.take('code', secret)).toBeUndefined();
    const indexes = await mongo.collection('login_states').indexes();
    expect(indexes).toContainEqual(expect.objectContaining({ key: { expires_at: 1 }, expireAfterSeconds: 0 }));
  });
});

describe('sessions', () => {
  const use = (session_id: string, username: string) => ({
    session_id,
    username,
    issued_at: new Date(now).toISOString(),
    expires_at: new Date(now + 600_000).toISOString(),
    last_used_at: new Date(now).toISOString(),
    client_address: '127.0.0.1',
    user_agent: 'curl/8',
  });
  const page = { limit: 10, offset: 0 };

  test('are listed by their latest use, of one user or of all, until their tokens expire', async () => {
    const sessions = createSessions(mongo, clock);
    sessions.noteUse(use('one', 'alice'));
    expect(await sessions.get('one')).toMatchObject({ username: 'alice' });
    now += 1_000;
    sessions.noteUse(use('two', 'bob'));
    now += 59_000;
    sessions.noteUse(use('one', 'alice'));
    expect((await sessions.list(undefined, page)).items.map(({ session_id: id }) => id)).toEqual(['one', 'two']);
    expect(await sessions.list('bob', page)).toMatchObject({ total: 1, items: [{ username: 'bob' }] });
    now += 540_500;
    expect((await sessions.list(undefined, page)).total).toBe(1);
    expect(await sessions.get('one')).toBeUndefined();
    const indexes = await mongo.collection('sessions').indexes();
    expect(indexes).toContainEqual(expect.objectContaining({ key: { expires_at: 1 }, expireAfterSeconds: 0 }));
  });

  test('are written once a minute, and one that ended stays away although another process sees its token again', async () => {
    const [here, there] = [createSessions(mongo, clock), createSessions(mongo, clock)];
    const began = now;
    here.noteUse(use('three', 'alice'));
    now += 59_999;
    here.noteUse(use('three', 'alice'));
    expect((await here.get('three'))?.last_used_at).toBe(new Date(began).toISOString());
    await here.end('three');
    there.noteUse(use('three', 'alice'));
    expect(await there.get('three')).toBeUndefined();
    expect((await here.list('alice', page)).items.map(({ session_id: id }) => id)).not.toContain('three');
  });
});

describe('revocations', () => {
  test('apply at once in this process, within five seconds in others, and are idempotent', async () => {
    const [here, there] = [createRevocations(mongo, clock), createRevocations(mongo, clock)];
    expect([await here.isRevoked('one'), await there.isRevoked('one')]).toEqual([false, false]);
    await here.revoke('one', new Date(now + 60_000));
    await here.revoke('one', new Date(now + 60_000));
    expect([await here.isRevoked('one'), await there.isRevoked('one')]).toEqual([true, false]);
    now += 5_000;
    expect([await here.isRevoked('one'), await there.isRevoked('one')]).toEqual([true, true]);
    expect(await here.isRevoked('two')).toBe(false);
    const indexes = await mongo.collection('revoked_tokens').indexes();
    expect(indexes).toContainEqual(expect.objectContaining({ key: { expires_at: 1 }, expireAfterSeconds: 0 }));
  });

  test('of an older release, and those of the last seconds before a start, are known from the first request on', async () => {
    const tokens = mongo.collection<{ _id: string; expires_at: Date }>('revoked_tokens');
    await tokens.insertOne({ _id: 'old', expires_at: new Date(now + 60_000) });
    await createRevocations(mongo, clock).revoke('new', new Date(now + 60_000));
    const there = createRevocations(mongo, clock);
    expect([await there.isRevoked('old'), await there.isRevoked('new')]).toEqual([true, true]);
  });

  test('are read from the database once for many tokens, and refreshed without delaying a request', async () => {
    const there = createRevocations(mongo, clock);
    const counted = createRevocations(mongo, clock);
    const list = mongo.collection('revoked_tokens');
    const find = jest.spyOn(Object.getPrototypeOf(list) as typeof list, 'find');
    try {
      await Promise.all(Array.from({ length: 50 }, (_, index) => counted.isRevoked(`token-${index}`)));
      expect(find).toHaveBeenCalledTimes(1);
      await there.revoke('token-7', new Date(now + 60_000));
      now += 3_000;
      expect(await counted.isRevoked('token-7')).toBe(false);
      expect(find).toHaveBeenCalledTimes(2);
      while (!(await counted.isRevoked('token-7'))) await new Promise((resolve) => setImmediate(resolve));
    } finally {
      find.mockRestore();
    }
  });

  test('an unavailable database is an error, not an answer', async () => {
    const away = connectMongo('mongodb://127.0.0.1:1/x?serverSelectionTimeoutMS=50');
    await expect(createRevocations(away, clock).isRevoked('one')).rejects.toMatchObject({
      code: 'DATABASE_UNAVAILABLE',
    });
    await away.close();
  });
});
