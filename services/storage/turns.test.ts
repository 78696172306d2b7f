import { MongoServerError } from 'mongodb';
import { pause } from '../pacing/pause';
import { createTurnsOf, type StoredTurns, type Turn } from './turns';

function createStoredTurns(...stored: Turn[]): StoredTurns & { all: Map<string, Turn> } {
  const all = new Map(stored.map((turn) => [turn._id, turn]));
  return {
    all,
    insertOne: async (turn) => {
      if (all.has(turn._id)) throw new MongoServerError({ code: 11_000 });
      all.set(turn._id, turn);
    },
    updateOne: async ({ _id = '', holder, until }, { $set }) => {
      const turn = all.get(_id);
      if (!turn || (until && turn.until >= until.$lt) || (holder !== undefined && turn.holder !== holder))
        return { modifiedCount: 0 };
      all.set(_id, { ...turn, ...$set });
      return { modifiedCount: 1 };
    },
    deleteOne: async ({ _id, holder }) => {
      if (all.get(_id)?.holder === holder) all.delete(_id);
    },
  };
}
const minute = { leaseMs: 60_000, renewalMs: 60_000, patienceMs: 60_000 };

test('of two users who claim a free alias at once, the second sees the first', async () => {
  const turns = createStoredTurns();
  const takeTurn = createTurnsOf(turns, minute);
  let owner: string | undefined;
  const take = (user: string) =>
    takeTurn('current', async () => {
      const seen = owner;
      await new Promise((resolve) => setImmediate(resolve));
      if (seen === undefined) owner = user;
      return seen;
    });
  expect(await Promise.all([take('alice'), take('bob')])).toEqual([undefined, 'alice']);
  expect([owner, turns.all.size]).toEqual(['alice', 0]);
});

test('the turn of a killed process is taken over after its time, not before', async () => {
  const left = { _id: 'current', holder: 'killed' };
  const work = async () => 'done';
  const valid = createStoredTurns({ ...left, until: Date.now() + 60_000 });
  await expect(createTurnsOf(valid, { ...minute, patienceMs: 0 })('current', work)).rejects.toMatchObject({
    code: 'CONFLICT',
  });
  expect(valid.all.size).toBe(1);
  const ended = createStoredTurns({ ...left, until: Date.now() - 1 });
  expect(await createTurnsOf(ended, { ...minute, patienceMs: 0 })('current', work)).toBe('done');
});

test('a turn lasts as long as its work', async () => {
  const takeTurn = createTurnsOf(createStoredTurns(), { leaseMs: 60, renewalMs: 10_000, patienceMs: 10_000 });
  const order: string[] = [];
  const work = (name: string, ms: number) =>
    takeTurn('current', async () => {
      order.push(`${name} begins`);
      await pause(ms);
      order.push(`${name} ends`);
    });
  await Promise.all([work('long', 300), work('short', 0)]);
  expect(order).toEqual(['long begins', 'long ends', 'short begins', 'short ends']);
});

test('a turn ends although its work goes on, if that takes too long', async () => {
  const takeTurn = createTurnsOf(createStoredTurns(), { leaseMs: 60, renewalMs: 90, patienceMs: 10_000 });
  let isOver = false;
  const slow = takeTurn('current', () => pause(2_000)).then(() => (isOver = true));
  expect(await takeTurn('current', async () => isOver)).toBe(false);
  await slow;
});

test('a failure ends the turn', async () => {
  const turns = createStoredTurns();
  const failing = createTurnsOf(turns, minute)('current', () => Promise.reject(new Error('refused')));
  await expect(failing).rejects.toThrow('refused');
  expect(turns.all.size).toBe(0);
});
