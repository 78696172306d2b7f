import type { Row } from '../../model/flow/row';
import { contextFor, documentRow } from '../../test/support/operators/operator-test-support';
import { chooseBands, createSigner, computeJaccard, listShingles } from './minhash';
import { run, runParts } from './run';

const words = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => `w${from + index}`).join(' ');
const original = words(0, 200);
const edited = `${words(0, 100)} something else ${words(102, 98)}`;

test('a near duplicate is dropped, and a text that shares little stays', async () => {
  const rows = [
    documentRow('a', original),
    documentRow('b', edited),
    documentRow('c', words(150, 200)),
    documentRow('d', `${original}!`),
  ];
  const { rows: kept, skipped, metrics } = await run(rows, {}, contextFor());
  expect(kept.map(({ id }) => id)).toEqual(['a', 'c']);
  expect(skipped?.map(({ id, reason }) => [id, reason])).toEqual([
    ['b', expect.stringMatching(/^Its text is nearly that of 'a\.md' \(0\.9\d\)$/)],
    ['d', "Its text is nearly that of 'a.md' (1.00)"],
  ]);
  expect(metrics).toEqual({ near_duplicates: 2 });
});

test('in mark mode all rows stay and name the most similar earlier row', async () => {
  const rows = [
    documentRow('a', original),
    documentRow('b', edited),
    documentRow('c', edited),
    documentRow('d', 'other words altogether'),
  ];
  const { rows: kept } = await run(rows, { action: 'mark' }, contextFor());
  expect(kept.map((row) => [row.id, row['near_duplicate_of']])).toEqual([
    ['a', null],
    ['b', 'a'],
    ['c', 'b'],
    ['d', null],
  ]);
  expect(kept[2]?.['near_duplicate_similarity']).toBe(1);
});

test('texts for other readers are not compared, not even for marking, unless configured', async () => {
  const rows = [
    documentRow('a', original, { allowed_users: ['alice'] }),
    documentRow('b', original, { allowed_users: ['bob'] }),
  ];
  const ids = async (config: object) => (await run(rows, config, contextFor())).rows.map(({ id }) => id);
  expect(await ids({})).toEqual(['a', 'b']);
  expect(await ids({ across_access_lists: true })).toEqual(['a']);
  const marked = await run(rows, { action: 'mark', across_access_lists: true }, contextFor());
  expect(marked.rows.map((row) => row['near_duplicate_of'])).toEqual([null, null]);
});

test('parts are compared with each other, and the memory grows with many rows', async () => {
  const rows = (prefix: string, from: number) =>
    Array.from({ length: 3_000 }, (_, index) => documentRow(`${prefix}${index}`, words((from + index) * 1_000, 30)));
  const parts = async function* (): AsyncGenerator<readonly Row[]> {
    yield rows('a', 0);
    yield rows('b', 3_000);
    yield [...rows('c', 0).slice(0, 2), documentRow('none', undefined), documentRow('empty', '')];
  };
  const kept: number[] = [];
  for await (const result of runParts(parts(), { num_permutations: 32 }, contextFor())) kept.push(result.rows.length);
  expect(kept).toEqual([3_000, 3_000, 2]);
});

test('signatures estimate the exact similarity', () => {
  const sign = createSigner(512);
  for (const shared of [20, 100, 180]) {
    const [one, other] = [listShingles(words(0, 200), 1), listShingles(words(200 - shared, 200), 1)];
    const exact = computeJaccard(one, other);
    expect(exact).toBeCloseTo(shared / (400 - shared), 6);
    expect(Math.abs(computeSimilarity(sign(one), sign(other)) - exact)).toBeLessThan(
      4 * Math.sqrt((exact * (1 - exact)) / 512),
    );
  }
});

test('bands find a pair at the threshold in 99 of 100 cases', () => {
  for (const threshold of [0.3, 0.5, 0.8, 0.95]) {
    const { bands, rows } = chooseBands(threshold, 128);
    expect(bands * rows).toBeLessThanOrEqual(128);
    expect(1 - (1 - threshold ** rows) ** bands).toBeGreaterThanOrEqual(0.99);
  }
});

/** The share of equal places. */
function computeSimilarity(item: Uint32Array, other: Uint32Array): number {
  let equal = 0;
  for (let place = 0; place < item.length; place += 1) if (item[place] === other[place]) equal += 1;
  return item.length === 0 ? 0 : equal / item.length;
}
