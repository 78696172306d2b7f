import { isPartFull } from './part-size';

/** The numbers of documents in the parts of a listing. */
function listParts(sizes: readonly (number | undefined)[], chosen?: number): number[] {
  const parts: number[] = [];
  let documents = 0;
  let bytes = 0;
  for (const size of sizes) {
    if (isPartFull({ parts: parts.length, documents, bytes }, size, chosen)) {
      parts.push(documents);
      documents = 0;
      bytes = 0;
    }
    documents += 1;
    bytes += size ?? 0;
  }
  return [...parts, documents];
}

const repeat = <T>(count: number, size: T) => Array.from({ length: count }, () => size);

test('after eight parts of 32 documents, small files fill parts of 64', () => {
  expect(listParts(repeat(400, 10_000))).toEqual([...repeat(8, 32), 64, 64, 16]);
});

test('files of more than 1 MiB together, and files of unknown size, stay in parts of 32', () => {
  expect(listParts(repeat(320, 40_000))).toEqual(repeat(10, 32));
  expect(listParts(repeat(320, undefined))).toEqual(repeat(10, 32));
  expect(listParts(repeat(320, 25_000)).slice(8)).toEqual([41, 23]);
});

test('the size that the flow names is kept', () => {
  expect(listParts(repeat(400, 10), 20)).toEqual(repeat(20, 20));
  expect(listParts(repeat(300, 10), 100)).toEqual(repeat(3, 100));
});

test('a part holds 32 MiB, and a larger file alone', () => {
  const mib = 1024 * 1024;
  expect(listParts([20 * mib, 20 * mib, 100 * mib, mib, mib])).toEqual([1, 1, 1, 2]);
});
