import { searchAttributeTypes } from '../../model/run/search-attributes';
import { ensureSearchAttributes } from './search-attributes';

test('the attributes are registered, and the frontend is asked whether it knows each of them', async () => {
  const calls: [string, unknown][] = [];
  const unknownToFrontend = new Error('Namespace default has no mapping defined for search attribute Owner');
  const ensure = ensureSearchAttributes(
    {
      operatorService: { addSearchAttributes: async (request) => void calls.push(['add', request]) },
      workflowService: {
        countWorkflowExecutions: async (request) => {
          calls.push(['count', request]);
          throw unknownToFrontend;
        },
      },
    },
    'default',
  );
  await expect(ensure).rejects.toBe(unknownToFrontend);
  const names = Object.keys(searchAttributeTypes);
  expect(calls).toEqual([
    ['add', { namespace: 'default', searchAttributes: expect.objectContaining({ Owner: 2, Documents: 3 }) }],
    ['count', { namespace: 'default', query: names.map((name) => `${name} IS NULL`).join(' AND ') }],
  ]);
});
