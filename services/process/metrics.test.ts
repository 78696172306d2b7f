import { countTasks, createOperatorCounter, createRegistry } from './metrics';

test('rows of operators are counted by operator', async () => {
  const registry = createRegistry();
  const count = createOperatorCounter(registry, ['chunker']);
  count('chunker', { in: 2, out: 40, failed: 0, seconds: 0.2 });
  count('chunker', { in: 3, out: 50, failed: 1, seconds: 2 });
  const lines = (await registry.metrics()).split('\n');
  expect(lines).toContain('docloom_operator_rows_total{operator="chunker",direction="in"} 5');
  expect(lines).toContain('docloom_operator_rows_total{operator="chunker",direction="out"} 90');
  expect(lines).toContain('docloom_operator_failed_documents_total{operator="chunker"} 1');
  expect(lines).toContain('docloom_operator_part_seconds_bucket{le="1",operator="chunker"} 1');
  expect(lines).toContain('docloom_operator_part_seconds_count{operator="chunker"} 2');
});

test('every operator starts at zero, so that its first failure is an increase', async () => {
  const registry = createRegistry();
  createOperatorCounter(registry, ['chunker']);
  const lines = (await registry.metrics()).split('\n');
  expect(lines).toContain('docloom_operator_rows_total{operator="chunker",direction="in"} 0');
  expect(lines).toContain('docloom_operator_failed_documents_total{operator="chunker"} 0');
  expect(lines).toContain('docloom_operator_part_seconds_count{operator="chunker"} 0');
});

test('tasks are counted once for all readers within five seconds; an unavailable database is queried again at once', async () => {
  const registry = createRegistry();
  let [time, asked, isAway] = [0, 0, false];
  const counts = async () => {
    asked += 1;
    if (isAway) throw new Error('away');
    return { pending: asked };
  };
  countTasks(registry, counts, () => time);
  const told = async () => /docloom_conversion_tasks\{state="pending"\} (\d+)/.exec(await registry.metrics())?.[1];
  expect(await Promise.all([told(), told()])).toEqual(['1', '1']);
  time = 4_999;
  expect(await told()).toBe('1');
  time = 5_000;
  isAway = true;
  expect(await told()).toBeUndefined();
  isAway = false;
  expect(await told()).toBe('3');
});
