import type { Plan, PlannedOperator } from './plan';
import { planFrom } from './plan-rerun';

const operator = (name: string, ...inputs: string[]): PlannedOperator => ({ name, type: name, queue: 'cpu', inputs });
const plan: Plan = {
  sources: [operator('ingest')],
  stages: [
    { scope: 'row', operators: [operator('extract', 'ingest'), operator('lang', 'extract')] },
    { scope: 'table', operators: [operator('dedup', 'extract')] },
    { scope: 'row', operators: [operator('chunk', 'dedup'), operator('index', 'chunk', 'lang')] },
  ],
  batchSize: 4,
  maxConcurrentBatches: 2,
  failFast: false,
};
const names = (found: ReturnType<typeof planFrom>) =>
  found?.plan.stages.map(({ scope, operators }) => [scope, ...operators.map(({ name }) => name)]);

test('operators downstream run again; the tables of the others are copied', () => {
  const found = planFrom(plan, 'chunk');
  expect(names(found)).toEqual([['row', 'chunk', 'index']]);
  expect(found?.seeded).toEqual(['dedup', 'lang']);
});

test('an operator that reads a source needs only the tables of the source', () => {
  const found = planFrom(plan, 'extract');
  expect(names(found)).toEqual(names({ plan, seeded: [] }));
  expect(found?.seeded).toEqual([]);
});

test('a plan that would end with a stage over all rows gets a final stage over parts', () => {
  const short: Plan = { ...plan, stages: plan.stages.slice(0, 2) };
  expect(names(planFrom(short, 'dedup'))).toEqual([['table', 'dedup'], ['row']]);
});

test('a branch is treated as its operator', () => {
  const branched: Plan = {
    ...plan,
    stages: [{ scope: 'row', operators: [operator('split', 'ingest'), operator('index', 'split.left')] }],
  };
  expect(names(planFrom(branched, 'split'))).toEqual([['row', 'split', 'index']]);
  expect(planFrom(branched, 'index')?.seeded).toEqual(['split.left']);
});

test('there is no plan from an unknown operator or from a source', () => {
  expect(planFrom(plan, 'none')).toBeUndefined();
  expect(planFrom(plan, 'ingest')).toBeUndefined();
});
