import type { Row } from '../flow/row';
import { withCombinedAccess } from './combined-access';

const row = (id: string, content: string, allowed_users: string[], more: Partial<Row> = {}): Row => ({
  id,
  name: id,
  path: id,
  content,
  allowed_users,
  ...more,
});
const rows = [row('a', 'one', ['alice']), row('b', 'two', ['alice', 'bob']), row('c', 'three', ['bob', 'alice'])];
const fold = async (input: readonly Row[]) =>
  input.map((row) => ({ ...row, content: input.map(({ content }) => content).join(' ') }));
const measure = async (input: readonly Row[]) => input.map((item) => ({ ...item, length: item.content?.length }));
const access = ({ rows: results }: { rows: Row[] }) => results.map(({ id, allowed_users }) => [id, allowed_users]);

test('unchanged rows keep their readers, even when some are dropped', async () => {
  const { rows: results, combined } = await withCombinedAccess(rows, [rows[2] as Row, rows[0] as Row], fold);
  expect({ results, combined }).toEqual({ results: [rows[2], rows[0]], combined: 0 });
});

test('a row derived from one document keeps its readers', async () => {
  const outcome = await withCombinedAccess(rows, await measure(rows), measure);
  expect(access(outcome)).toEqual([['a', ['alice']], ['b', ['alice', 'bob']], ['c', ['bob', 'alice']]]); // prettier-ignore
  expect(outcome.combined).toBe(0);
});

test('a row derived from several documents can be read by those who may read all of them', async () => {
  const outcome = await withCombinedAccess(rows, await fold(rows), fold);
  expect(access(outcome)).toEqual([['a', ['alice']], ['b', ['alice']], ['c', ['alice']]]); // prettier-ignore
  expect(outcome.combined).toBe(3);
});

test('rows with one access list may be combined freely', async () => {
  const same = rows.slice(1);
  expect(access(await withCombinedAccess(same, await fold(same), fold))).toEqual([['b', ['alice', 'bob']], ['c', ['bob', 'alice']]]); // prettier-ignore
});

test('without a second run every changed row is treated as combined', async () => {
  expect((await withCombinedAccess(rows, await measure(rows))).combined).toBe(3);
});

test('column names identify documents too', async () => {
  const pivot = async (input: readonly Row[]) =>
    input.map((row) => ({ ...row, ...Object.fromEntries(input.map(({ content }) => [String(content), true])) }));
  const lists = access(await withCombinedAccess(rows, await pivot(rows), pivot));
  expect(lists).toEqual([['a', ['alice']], ['b', ['alice']], ['c', ['alice']]]); // prettier-ignore
});
