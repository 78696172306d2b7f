import { sample } from 'fast-check';
import type { OperatorDefinition } from '../../../model/flow/operator';
import { validateFlow } from '../../../model/flow/validation';
import { operators } from '../../../operators/index';
import { users } from './documents';
import { buildFlow, drawRound, exceptions } from './flows';

const seed = 20_261_122;
const custom = { ...operators.find(({ name }) => name === 'noop'), name: 'mixing' } as OperatorDefinition;
const place = {
  name: 'canary-0',
  folder: '/docs',
  modelUrl: 'http://127.0.0.1:9',
  exportRoot: '/export',
  postgresPort: 5432,
};
const rounds = sample(drawRound(), { numRuns: 50, seed }).map((round) => round.map((drawn) => buildFlow(drawn, place)));

test('every drawn flow is valid', () => {
  for (const flow of rounds.flat()) expect(validateFlow(flow, [...operators, custom]).errors).toEqual([]);
});

/** The flows that get rows; the last has a fault. */
const getHands = (round: (typeof rounds)[number]) => round.slice(0, users.length);

test('every operator of the product is in some flow of each round, except those with a reason', () => {
  for (const round of rounds) {
    const types = new Set(getHands(round).flatMap(({ flow }) => flow.map(({ type }) => type)));
    const missing = operators.map(({ name }) => name).filter((name) => !types.has(name));
    expect(missing).toEqual(Object.keys(exceptions));
  }
});

test('every store and every kind of export is in some flow of each round', () => {
  const ends: string[] = [
    'document_set',
    'vectordb opensearch',
    'vectordb lancedb',
    'vectordb pgvector',
    'storage md',
    'storage jsonl',
  ];
  for (const round of rounds) {
    const drawn = getHands(round).flatMap(({ flow }) => flow.filter(({ name }) => name.startsWith('end')));
    const names = drawn.map(({ type, config = {} }) => {
      const { provider = '', formats: [format] = [''] } = config as { provider?: string; formats?: string[] };
      return `${type} ${provider}${format}`.trim();
    });
    expect(names.toSorted()).toEqual(ends.toSorted());
  }
});
