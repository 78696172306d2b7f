import { describeBatch } from './plan';

test('batches are counted from 1, as in the Temporal UI; parts of several sources keep their names', () => {
  expect(describeBatch('p00000')).toBe('batch 1');
  expect(describeBatch('p01233')).toBe('batch 1,234');
  expect(describeBatch('mail-p00000')).toBe('mail-p00000');
});
