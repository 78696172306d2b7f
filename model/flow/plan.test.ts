import { findFinalOperators, type Plan, type PlannedOperator, reachedFrom } from './plan';

const operator = (name: string, ...inputs: string[]): PlannedOperator => ({ name, type: name, queue: 'cpu', inputs });
const plan: Plan = {
  sources: [operator('one'), operator('two')],
  stages: [
    { scope: 'row', operators: [operator('a', 'one'), operator('b', 'two'), operator('route', 'a')] },
    { scope: 'table', operators: [operator('c', 'route.left', 'b')] },
    { scope: 'row', operators: [operator('d', 'c'), operator('e', 'route.right')] },
  ],
  batchSize: 4,
  maxConcurrentBatches: 2,
  failFast: false,
};

test('rows get to what reads them, through branches, and to nothing else', () => {
  expect([...reachedFrom(plan, ['one'])].toSorted()).toEqual(['a', 'c', 'd', 'e', 'one', 'route']);
  expect([...reachedFrom(plan, ['two'])].toSorted()).toEqual(['b', 'c', 'd', 'two']);
});

test('a run that begins with tables of an earlier one gets to what reads those', () => {
  const rest: Plan = { ...plan, stages: plan.stages.slice(1) };
  expect([...reachedFrom(rest, ['one', 'route.left'])]).toEqual(['one', 'route.left', 'c', 'd']);
  expect([...reachedFrom(rest, ['one', 'route.right'])]).toContain('e');
});

test('rows end where nobody takes them on; a branch that is taken is no end', () => {
  expect(findFinalOperators(plan)).toEqual(['d', 'e']);
});
