import { mapInParallel } from './map-in-parallel';

const nextTick = () => new Promise((resolve) => setImmediate(resolve));

test('results are in the order of the items, with no more than the limit at a time', async () => {
  let running = 0;
  let most = 0;
  const results = await mapInParallel([5, 1, 4, 2, 3], 2, async (item, index) => {
    running += 1;
    most = Math.max(most, running);
    for (let ticks = 0; ticks < item; ticks += 1) await nextTick();
    running -= 1;
    return `${index}:${item}`;
  });
  expect(results).toEqual(['0:5', '1:1', '2:4', '3:2', '4:3']);
  expect(most).toBe(2);
});

test('no item is started after an error', async () => {
  const started: number[] = [];
  const work = mapInParallel([1, 2, 3, 4, 5], 2, async (item) => {
    started.push(item);
    await nextTick();
    if (item === 2) throw new Error('refused');
    await nextTick();
  });
  await expect(work).rejects.toThrow('refused');
  for (let ticks = 0; ticks < 5; ticks += 1) await nextTick();
  expect(started).toEqual([1, 2]);
});

test('no items give no results', async () => {
  await expect(mapInParallel([], 3, async () => 1)).resolves.toEqual([]);
});
