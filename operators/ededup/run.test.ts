import type { Row } from '../../model/flow/row';
import { contextFor, documentRow } from '../../test/support/operators/operator-test-support';
import { run, runParts } from './run';

async function* parts(...rows: Row[][]): AsyncGenerator<readonly Row[]> {
  yield* rows;
}
async function collect(rows: Row[][], config = {}) {
  const results = [];
  for await (const result of runParts(parts(...rows), config, contextFor())) results.push(result);
  return results;
}

test('the first of several rows with the same text stays, in whichever part', async () => {
  const results = await collect([
    [documentRow('a', 'one'), documentRow('b', 'two')],
    [documentRow('c', 'one')],
    [documentRow('d', 'One'), documentRow('e', 'two')],
  ]);
  expect(results.map(({ rows }) => rows.map(({ id }) => id))).toEqual([['a', 'b'], [], ['d']]);
  expect(results[1]?.skipped).toEqual([{ id: 'c', name: 'c.md', reason: "Its text is that of 'a.md'" }]);
  expect(results.map(({ metrics }) => metrics?.['duplicates_removed'])).toEqual([0, 1, 1]);
});

test('a copy for other readers stays, so that nobody loses a document, unless the flow disables it', async () => {
  const rows = [
    documentRow('a', 'one', { allowed_users: ['alice', 'bob'] }),
    documentRow('b', 'one', { allowed_users: ['bob', 'alice'] }),
    documentRow('c', 'one', { allowed_users: ['carol'] }),
  ];
  expect((await run(rows, {}, contextFor())).rows.map(({ id }) => id)).toEqual(['a', 'c']);
  expect((await run(rows, { across_access_lists: true }, contextFor())).rows.map(({ id }) => id)).toEqual(['a']);
});

test('rows without text are not duplicates; empty texts are', async () => {
  const rows = [documentRow('a', undefined), documentRow('b', undefined), documentRow('c', ''), documentRow('d', '')];
  expect((await run(rows, {}, contextFor())).rows.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
});

test('two texts of 10 MB that differ in the last character both stay', async () => {
  const text = 'é'.repeat(5_000_000);
  const rows = [documentRow('a', `${text}1`), documentRow('b', `${text}2`), documentRow('c', `${text}1`)];
  expect((await run(rows, {}, contextFor())).rows.map(({ id }) => id)).toEqual(['a', 'b']);
});
