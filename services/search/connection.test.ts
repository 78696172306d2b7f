import { answerError } from './connection';

const answer = (reason: string) =>
  answerError(
    {
      status: 400,
      error: {
        type: 'search_phase_execution_exception',
        reason: 'all shards failed',
        root_cause: [{ type: 'query_shard_exception', reason }],
      },
    },
    'search:9200',
  ).message;

test('a text in a filter on numbers is named as such', () => {
  expect(answer('failed to create query: For input string: "abc"')).toBe(
    'The search server refuses this search: a filter on a field of numbers has the value "abc".',
  );
});

test('uninformative causes are left out if there are informative ones', () => {
  expect(answer('failed to parse date field [x]')).toBe(
    'The search server refuses this search: failed to parse date field [x].',
  );
  expect(answer('all shards failed')).toBe('The search server refuses this search: all shards failed.');
});
