import { findFinalOperators, type Plan, type PlannedOperator, findReachable } from './plan';

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

test('rows reach their readers through branches, and nothing else', () => {
  expect([...findReachable(plan, ['one'])].toSorted()).toEqual(['a', 'c', 'd', 'e', 'one', 'route']);
  expect([...findReachable(plan, ['two'])].toSorted()).toEqual(['b', 'c', 'd', 'two']);
});

test('a run that begins with tables of an earlier run reaches the readers of those tables', () => {
  const rest: Plan = { ...plan, stages: plan.stages.slice(1) };
  expect([...findReachable(rest, ['one', 'route.left'])]).toEqual(['one', 'route.left', 'c', 'd']);
  expect([...findReachable(rest, ['one', 'route.right'])]).toContain('e');
});

test('rows end where nothing reads them; a branch that is read is not an end', () => {
  expect(findFinalOperators(plan)).toEqual(['d', 'e']);
});
