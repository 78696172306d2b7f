import type { TaskSummary } from '../../services/conversion/record';
import { createTaskCancels } from './cancels';

const never = new AbortController().signal;

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

function createStore(state: TaskSummary['state']) {
  const asked: (readonly string[])[] = [];
  const getMany = async (ids: readonly string[]) => {
    asked.push(ids);
    return ids.map((_id) => ({ _id, state }) as TaskSummary);
  };
  return { asked, getMany };
}

test('work that ends before the first query causes none', async () => {
  const store = createStore('success');
  await createTaskCancels(store).during('a', never, async () => undefined);
  await jest.advanceTimersByTimeAsync(5_000);
  expect(store.asked).toEqual([]);
});

test('work of a task that is no longer open is aborted, other work is not', async () => {
  for (const [state, isAborted] of [
    ['failure', true],
    ['started', false],
  ] as const) {
    const store = createStore(state);
    const work = createTaskCancels(store).during('a', never, async (signal) => {
      await new Promise((resolve) => setTimeout(resolve, 700));
      return signal.aborted;
    });
    await jest.advanceTimersByTimeAsync(5_000);
    expect(await work).toBe(isAborted);
    expect(store.asked).toEqual([['a']]);
  }
});
