import { operators } from '../../operators';
import { buildMetadata } from './operator-metadata';

const types = ['string', 'int32', 'int64', 'double', 'boolean', 'list', 'json', 'vector', 'timestamp'];

describe.each(operators.map((operator) => [operator.name, operator] as const))('%s', (_name, operator) => {
  const { features, attributes } = buildMetadata(operator);

  test('describes every column that it adds', () => {
    expect(Object.keys(features)).toEqual([...operator.writes]);
    const silent = Object.entries(features).filter(
      ([, { description, type }]) => !description || !types.includes(type),
    );
    expect(silent).toEqual([]);
  });

  test('has a type for every member of its configuration', () => {
    expect(Object.keys(attributes)).toEqual(Object.keys(operator.config.properties));
    expect(Object.values(attributes).filter(({ type }) => !type)).toEqual([]);
  });
});

test('columns that an operator describes take precedence over the common ones', () => {
  const [base] = operators;
  if (!base) throw new Error('There are no operators.');
  const columns = { score: { type: 'double', description: 'How good it is.', indexed: false } };
  expect(buildMetadata({ ...base, writes: ['score', 'id', 'unknown'], columns }).features).toMatchObject({
    score: {
      type: 'double',
      description: 'How good it is.',
      available_for_filter: true,
      available_for_vector_db: false,
    },
    id: { type: 'string', available_for_vector_db: true },
    unknown: { type: 'json', description: '' },
  });
});
