import { contextFor, documentRow } from '../../test/support/operators/operator-test-support';
import { run } from './run';

test('the rows pass unchanged, in a new list', async () => {
  const rows = [documentRow('a', 'one'), documentRow('b', undefined)];
  const result = await run(rows, {}, contextFor());
  expect(result.rows).toEqual(rows);
  expect(result.rows).not.toBe(rows);
});

test('a wait ends when the run is cancelled', async () => {
  const controller = new AbortController();
  const waiting = run([documentRow('a', 'one')], { sleep_sec: 600 }, contextFor({}, { signal: controller.signal }));
  controller.abort();
  await expect(waiting).rejects.toThrow('abort');
});
