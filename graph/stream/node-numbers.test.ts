import { NodeLabels, NodeNumbers } from './node-numbers';

test('nodes are numbered in order of first occurrence, and the id 1 differs from the text "1"', () => {
  const numbers = new NodeNumbers();
  expect(['a', 1, '1', 'a', true, 'true', 2n ** 70n].map((key) => numbers.add(key))).toEqual([0, 1, 2, 0, 3, 4, 5]);
  expect([numbers.find('1'), numbers.find('b'), numbers.size]).toEqual([2, undefined, 6]);
});

test('a hundred thousand similar ids have different numbers, and others have none', () => {
  const numbers = new NodeNumbers();
  const key = (index: number) => `Company_${index.toString(16).padStart(16, '0')}`;
  for (let index = 0; index < 100_000; index++) numbers.add(key(index));
  expect(numbers.size).toBe(100_000);
  const wrong = { known: 0, unknown: 0 };
  for (let index = 0; index < 100_000; index++) {
    if (numbers.find(key(index)) !== index) wrong.known++;
    if (numbers.find(key(index + 100_000)) !== undefined) wrong.unknown++;
  }
  expect(wrong).toEqual({ known: 0, unknown: 0 });
});

test('if a node occurs twice, its last label counts', () => {
  const labels = new NodeLabels();
  labels.add('a', 'A');
  labels.add('b', 'B');
  labels.add('a', 'B');
  expect([labels.get('a'), labels.get('b'), labels.get('c')]).toEqual(['B', 'B', undefined]);
});
