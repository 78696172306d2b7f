import { batchReads, batchWrites, shareNextResult } from './request-batching';

test('a call during a request joins the next request, together with all others', async () => {
  const answers: ((answer: number) => void)[] = [];
  const ask = shareNextResult(() => new Promise<number>((resolve) => answers.push(resolve)));
  const first = ask('a');
  const [second, third] = [ask('a'), ask('a')];
  const other = ask('b');
  expect(answers).toHaveLength(2);
  answers[0]?.(1);
  answers[1]?.(10);
  expect(await Promise.all([first, other])).toEqual([1, 10]);
  answers[2]?.(2);
  expect(await Promise.all([second, third])).toEqual([2, 2]);
  expect(answers).toHaveLength(3);
});

test('a failed request does not affect later callers', async () => {
  const failing = [true, false];
  const ask = shareNextResult(async () => {
    if (failing.shift()) throw new Error('away');
    return 'there';
  });
  const [first, second] = await Promise.allSettled([ask('a'), ask('a')]);
  expect(first).toMatchObject({ status: 'rejected' });
  expect(second).toMatchObject({ status: 'fulfilled', value: 'there' });
});

test('calls during a request are combined into one', async () => {
  const requests: string[][] = [];
  const look = batchReads(async (ids) => {
    requests.push(ids);
    return ids.filter((id) => id !== 'gone').map((_id) => ({ _id }));
  });
  const found = await Promise.all(['a', 'b', 'gone', 'b'].map((id) => look(id)));
  expect(found).toEqual([{ _id: 'a' }, { _id: 'b' }, undefined, { _id: 'b' }]);
  expect(requests).toEqual([['a'], ['b', 'gone']]);
});

test('calls during a write are combined in order, and each gets its own answer', async () => {
  const done: [string, number[]][] = [];
  const act = batchWrites(async (key, values: number[]) => {
    done.push([key, values]);
    return values.map((value) => value * 10);
  });
  const answers = await Promise.all([act('a', 1), act('a', 2), act('b', 3), act('a', 4)]);
  expect(answers).toEqual([10, 20, 30, 40]);
  expect(done).toEqual([
    ['a', [1]],
    ['b', [3]],
    ['a', [2, 4]],
  ]);
});
