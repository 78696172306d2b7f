import type { AccessList } from '../../../model/access-list';
import { changeRecords } from '../access';
import type { SearchConnection } from '../connection';
import { joint } from './mark';

const from: AccessList = { allowed_users: ['anna'] };
const to: AccessList = { allowed_users: ['bert'] };

/** The record that is written to an index whose mapping has this version. */
async function rewrite(version: number): Promise<Record<string, unknown>> {
  const mappings: Record<string, unknown> = {
    '_meta.version': { _meta: { version } },
    'properties.language.type': { properties: { language: { type: 'keyword' }, words: { dynamic: 'true' } } },
  };
  const record = {
    id: 'a',
    job_id: 'job',
    document_id: 'a',
    content: 'Die Krankenversicherung zahlt.',
    title: '',
    metadata: { language: 'de' },
    allowed_users: ['anna'],
  };
  let written = '';
  const connection: SearchConnection = {
    address: 'here:9200',
    send: async ({ path, query, bulk = [] }) => {
      if (path.endsWith('_mapping')) {
        // Like the engine, answers only what the filter names.
        const asked = String(query?.['filter_path'])
          .split(',')
          .map((name) => mappings[name.replace('*.mappings.', '')]);
        return { status: 200, body: { index: { mappings: Object.assign({}, ...asked) as object } } };
      }
      if (path.endsWith('_search'))
        return { status: 200, body: { hits: { hits: [{ _id: 'a', _index: 'index', _source: record, sort: ['a'] }] } } };
      if (path.endsWith('_bulk')) {
        written = String(bulk[1]);
        return { status: 200, body: { errors: false, items: [{ index: { _id: 'a', status: 200 } }] } };
      }
      return { status: 200, body: {} };
    },
    close: async () => undefined,
  };
  const change = { jobId: 'job', documents: new Map([['a', { from, to }]]) };
  await changeRecords(connection, 'index', change, { timeoutMs: 1_000, maxRetries: 0 });
  return JSON.parse(written) as Record<string, unknown>;
}

test('a record with a new list keeps the marks of its compounds; an index of an earlier version gets none', async () => {
  expect(await rewrite(3)).toMatchObject({ words: { de: `Die Kranken${joint}versicherung zahlt.` } });
  expect(await rewrite(2)).toMatchObject({ words: { de: 'Die Krankenversicherung zahlt.' } });
});
