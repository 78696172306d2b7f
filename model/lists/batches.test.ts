import { iterateBatches } from './batches';

test.each([
  { items: [], size: 2, batches: [] },
  { items: [1, 2], size: 2, batches: [[1, 2]] },
  { items: [1, 2, 3], size: 2, batches: [[1, 2], [3]] },
])('batches of $size of $items', ({ items, size, batches }) => {
  expect([...iterateBatches(items, size)]).toEqual(batches);
});
