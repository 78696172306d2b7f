import type { Plan, PlannedOperator } from '../../model/flow/plan';
import { listFinishedOperators } from './finished';
import type { OperatorStats } from './run-record';

const operator = (name: string, ...inputs: string[]): PlannedOperator => ({ name, type: name, queue: 'cpu', inputs });
const plan: Plan = {
  sources: [operator('ingest')],
  stages: [
    { scope: 'row', operators: [operator('extract', 'ingest'), operator('graph', 'extract')] },
    { scope: 'table', operators: [operator('dedup', 'graph')] },
    { scope: 'row', operators: [operator('chunk', 'dedup')] },
  ],
  batchSize: 2,
  maxConcurrentBatches: 1,
  failFast: false,
};
const stats = (name: string, rows: number, out: number, change: Partial<OperatorStats> = {}): OperatorStats => ({
  name,
  type: name,
  documents: rows,
  in: rows,
  out,
  failed: 0,
  skipped: 0,
  seconds: 1,
  parts: 1,
  metrics: {},
  started_at: '2026-01-01T00:00:00.000Z',
  ended_at: '2026-01-01T00:00:01.000Z',
  ...change,
});

test('operators that accepted every row are finished, the interrupted one is not', () => {
  const finishedOperators = listFinishedOperators(plan, [
    stats('ingest', 4, 4),
    stats('extract', 4, 3),
    stats('graph', 2, 2),
  ]);
  expect([...finishedOperators]).toEqual(['ingest', 'extract']);
});

test('an operator over all rows has finished when it has reported', () => {
  const before = [stats('ingest', 4, 4), stats('extract', 4, 4), stats('graph', 4, 4)];
  const running = stats('dedup', 0, 0, { parts: 0, ended_at: null });
  expect(listFinishedOperators(plan, [...before, running]).has('dedup')).toBe(false);
  expect([...listFinishedOperators(plan, [...before, stats('dedup', 4, 2)])]).toEqual([
    'ingest',
    'extract',
    'graph',
    'dedup',
  ]);
});

test('nothing has finished before the source has', () => {
  expect(
    listFinishedOperators(plan, [stats('ingest', 0, 0, { ended_at: null, parts: 0 }), stats('extract', 2, 2)]).size,
  ).toBe(0);
});
