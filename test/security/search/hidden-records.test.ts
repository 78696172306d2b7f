import { randomUUID } from 'node:crypto';
import { readConfig } from '../../../model/config';
import { createSearch } from '../../../services/search/search';
import { anna, cleanUp, never, person, record, spec } from '../../support/system/search-fixture';

/** The explanation of the access to a document of which others have records that its reader may not read. */
afterAll(cleanUp);

test('rule and principals come from the records that the reader may read', async () => {
  const name = `hidden-${randomUUID().slice(0, 8)}`;
  const search = createSearch(readConfig({ ...process.env, SEARCH_DEFAULT_INDEX: name }));
  const index = spec(`docs-${name}`);
  await search.ensureIndex(index, undefined, never);
  const shared = { document_id: 'shared', allowed_users: [] };
  const foreign = (id: string) =>
    record(id, {
      ...shared,
      allowed_principals: ['u:bert', 'g:all:staff'],
      denied_principals: ['u:anna'],
      metadata: { access_rule: 'source' },
    });
  const own = record('own', { ...shared, allowed_users: ['anna'], metadata: { access_rule: 'run_owner' } });
  const records = [own, foreign('one'), foreign('two'), foreign('three')];
  expect(await search.bulkIndex(index.name, records, undefined, never)).toEqual([]);
  await search.refresh(index.name);
  const principals = ['u:anna', 'g:all:staff'];
  expect(await search.judge('shared', { ...anna, principals })).toMatchObject({
    records: 4,
    readable: 1,
    allowedBy: [],
    accessRule: 'run_owner',
  });
  expect(await search.judge('shared', { ...person('bert'), principals: ['u:bert'] })).toMatchObject({
    readable: 3,
    allowedBy: ['u:bert'],
    accessRule: 'source',
  });
  expect(await search.judge('shared', { username: 'carl', principals: [] })).toMatchObject({
    readable: 0,
    accessRule: 'source',
  });
  await search.close();
});
