import { createOperatorCounter, createRegistry } from './metrics';

test('what operators did is counted by operator', async () => {
  const registry = createRegistry();
  const count = createOperatorCounter(registry);
  count('chunker', { in: 2, out: 40, failed: 0, seconds: 0.2 });
  count('chunker', { in: 3, out: 50, failed: 1, seconds: 2 });
  const lines = (await registry.metrics()).split('\n');
  expect(lines).toContain('docloom_operator_rows_total{operator="chunker",direction="in"} 5');
  expect(lines).toContain('docloom_operator_rows_total{operator="chunker",direction="out"} 90');
  expect(lines).toContain('docloom_operator_failed_documents_total{operator="chunker"} 1');
  expect(lines).toContain('docloom_operator_part_seconds_bucket{le="1",operator="chunker"} 1');
  expect(lines).toContain('docloom_operator_part_seconds_count{operator="chunker"} 2');
});
