import type { OperatorDefinition } from '../flow/operator';
import type { Plan } from '../flow/plan';
import { planSample } from './plan-sample';

const definitions = [
  { name: 'extract', stores: false },
  { name: 'index', stores: true },
] as unknown as OperatorDefinition[];
const operator = (name: string, type: string, inputs: string[]) => ({ name, type, queue: 'cpu' as const, inputs });
const getPlan = (stages: Plan['stages']): Plan => ({
  sources: [operator('ingest', 'ingest', [])],
  stages,
  batchSize: 32,
  maxConcurrentBatches: 4,
  failFast: false,
});

test('storing operators are left out, and operators after them read their input', () => {
  const { stages } = planSample(
    getPlan([
      { scope: 'row', operators: [operator('a', 'extract', ['ingest']), operator('first', 'index', ['a'])] },
      { scope: 'table', operators: [operator('second', 'index', ['first'])] },
      { scope: 'row', operators: [operator('b', 'extract', ['second', 'a'])] },
    ]),
    definitions,
  );
  expect(stages).toEqual([
    { scope: 'row', operators: [operator('a', 'extract', ['ingest'])] },
    { scope: 'row', operators: [operator('b', 'extract', ['a'])] },
  ]);
});

test('a plan of storing operators only still records the outcome of its documents', () => {
  const { stages } = planSample(
    getPlan([{ scope: 'row', operators: [operator('i', 'index', ['ingest'])] }]),
    definitions,
  );
  expect(stages).toEqual([{ scope: 'row', operators: [] }]);
});
