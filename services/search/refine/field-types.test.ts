import type { SearchCall } from '../connection';
import { buildFilter } from '../filters';
import { buildFieldQuery } from '../text-query';
import { buildFacetAggregations, listIntervalFields } from './facets';
import { loadReadableTypes } from './field-types';

const user = { username: 'anna', email: '', full_name: '', groups: [], principals: ['u:anna'] };

/** An engine whose fields have values that the user may read in the given indexes. */
function createEngine(fields: Record<string, unknown>, readable: Record<string, string[]>) {
  const calls: SearchCall[] = [];
  const send = async (call: SearchCall) => {
    calls.push(call);
    if (call.path.endsWith('/_field_caps')) return { fields };
    const path = /"exists":\{"field":"([^"]+)"\}\}\]/.exec(JSON.stringify(call.body))?.[1] ?? '';
    const buckets = (readable[path] ?? []).map((key) => ({ key }));
    return 'aggs' in (call.body ?? {})
      ? { aggregations: { indexes: { buckets } } }
      : { hits: { total: { value: buckets.length > 0 ? 1 : 0 } } };
  };
  return { send, calls };
}

test('the types of a field are those of readable records only', async () => {
  const { send } = createEngine(
    {
      'metadata.year': { double: {} },
      'metadata.secret': { text: {} },
      'metadata.due': { date: { indices: ['own'] }, text: { indices: ['foreign'] } },
    },
    { 'metadata.year': ['own'], 'metadata.due': ['own'] },
  );
  const paths = ['metadata.year', 'metadata.secret', 'metadata.due', 'metadata.missing'];
  expect(await loadReadableTypes(send, 'documents', { user, paths })).toEqual(
    new Map([
      ['metadata.year', new Set(['double'])],
      ['metadata.due', Object.assign(new Set(['date']), { onlyIn: ['own'] })],
    ]),
  );
});

test('records are counted by index only for fields with several types', async () => {
  const fields = {
    'metadata.year': { double: {} },
    'metadata.due': { date: { indices: ['a'] }, text: { indices: ['b'] } },
  };
  const { send, calls } = createEngine(fields, { 'metadata.year': ['a'], 'metadata.due': ['a'] });
  await loadReadableTypes(send, 'documents', { user, paths: Object.keys(fields) });
  const bodies = calls.flatMap(({ body }) => (body ? [JSON.stringify(body)] : []));
  const counted = (body: string) => body.includes('"aggs"');
  expect(bodies.filter(counted).every((body) => body.includes('metadata.due'))).toBe(true);
  expect(bodies.filter((body) => !counted(body))).toHaveLength(1);
});

test('a name with an asterisk is no pattern', async () => {
  const { send, calls } = createEngine({ 'metadata.secret': { text: {} } }, { 'metadata.secret': ['own'] });
  expect(await loadReadableTypes(send, 'documents', { user, paths: ['metadata.s*'] })).toEqual(new Map());
  expect(calls.map(({ query }) => query?.['fields'])).toEqual(['metadata.s?']);
});

test('a range or an interval of a field without readable values is answered as for a field that does not exist', () => {
  expect(buildFilter('secret', { gt: 3 }, new Map())).toEqual({
    bool: { filter: [{ range: { 'metadata.secret.keyword': { gt: 3 } } }], must_not: [] },
  });
  const request = { facets: [{ field: 'secret', interval: 'month' as const }] };
  expect(listIntervalFields(request)).toEqual(['metadata.secret']);
  expect(JSON.stringify(buildFacetAggregations(request, new Map()))).toContain(
    '"terms":{"field":"metadata.secret.keyword"',
  );
});

test('an interval counts dates, and is refused for readable fields of other types', () => {
  const count = (field: string, ...types: string[]) =>
    buildFacetAggregations(
      { facets: [{ field, interval: 'year' }] },
      new Map(types.length > 0 ? [[`metadata.${field}`, new Set(types)]] : []),
    );
  expect(JSON.stringify(count('due', 'date'))).toContain('"date_histogram":{"field":"metadata.due"');
  expect(JSON.stringify(count('created_at'))).toContain('"date_histogram":{"field":"created_at"');
  for (const refused of [() => count('kind', 'text'), () => count('due', 'date', 'text'), () => count('title')])
    expect(refused).toThrow(
      expect.objectContaining({ code: 'VALIDATION_ERROR', message: expect.stringContaining('Leave out interval') }),
    );
});

test('phrases and boosts of fields of numbers match nothing instead of failing', () => {
  expect(JSON.stringify(buildFilter('amount', { phrase: 'tide gauge' }))).toContain('"lenient":true');
  expect(JSON.stringify(buildFieldQuery('metadata.amount', 'tide gauge', 2))).toContain('"lenient":true');
});
