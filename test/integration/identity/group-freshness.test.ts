import { Attribute, Change, Client as Directory } from 'ldapts';
import { type Client, createClient } from '../../../client';
import { readConfig } from '../../../model/config';
import { createTokens } from '../../../services/login/tokens';
import { createSearch } from '../../../services/search/search';
import { record } from '../../support/system/search-fixture';
import { createSystem, type System, until } from '../../support/system/system';

/** A user joins and leaves a group of the directory: searches show it within the promised seconds, and no document is touched. */
const secret = 'a secret of the test that is long enough';
const promisedSeconds = 2;
const group = `passing-${process.pid}`;
const dn = `cn=${group},${process.env['LDAP_BASE_DN']}`;
const getDn = (name: string) => `uid=${name},${process.env['LDAP_USER_DN']}`;
let system: System;
let alice: Client;
let directory: Directory;
const never = new AbortController().signal;

beforeAll(async () => {
  const settings = { JWT_SECRET_KEY: secret, DOCLOOM_GROUPS_CACHE_SECONDS: String(promisedSeconds) };
  system = createSystem(settings);
  const baseUrl = await system.startApi({ JWT_SECRET_KEY: secret });
  const tokens = createTokens({ secret, expireMinutes: 30 });
  alice = createClient({
    baseUrl,
    token: tokens.issue({ username: 'alice', email: '', full_name: '', groups: [group] }),
  });
  directory = new Directory({ url: process.env['LDAP_SERVER'] ?? '' });
  await directory.bind(process.env['LDAP_BIND_DN'] ?? '', process.env['LDAP_BIND_PASSWORD'] ?? '');
  await directory.add(dn, { objectClass: ['top', 'groupOfNames'], cn: group, member: getDn('carol') });
  await addRecord();
});
afterAll(async () => {
  await directory.del(dn).catch(() => undefined);
  await directory.unbind();
  const { SEARCH_HOST: host, SEARCH_PORT: port, SEARCH_DEFAULT_INDEX: index } = system.env;
  await fetch(`http://${host}:${port}/${index}-notices`, { method: 'DELETE' });
  await system.stop();
});

/** A document for the members of the group. */
async function addRecord(): Promise<void> {
  const search = createSearch(readConfig(system.env));
  const index = `${system.env['SEARCH_DEFAULT_INDEX']}-notices`;
  const notice = record('notice', { allowed_users: [], allowed_principals: [`g:login:${group}`], content: 'zebra' });
  await search.ensureIndex(
    { name: index, engine: 'lucene', spaceType: 'l2', m: 16, efConstruction: 100 },
    undefined,
    never,
  );
  await search.bulkIndex(index, [notice], undefined, never);
  await search.refresh(index);
  await search.close();
}

const finds = async () => (await alice.documents.search({ query: 'zebra', limit: 10, offset: 0 })).total === 1;
const change = (operation: 'add' | 'delete') =>
  directory.modify(
    dn,
    new Change({ operation, modification: new Attribute({ type: 'member', values: [getDn('alice')] }) }),
  );

/** Searches until the answer changes. Searches that begin after the promised time must have the new answer, however slow the machine. */
async function waitForAnswer(expected: boolean): Promise<void> {
  const changed = performance.now();
  await until(`the search ${expected ? 'finds' : 'no longer finds'} the document`, async () => {
    const isLate = performance.now() - changed > promisedSeconds * 1_000;
    const isFound = await finds();
    if (isLate && isFound !== expected) throw new Error(`a search begun after ${promisedSeconds} s has the old answer`);
    return isFound === expected;
  });
}

test('a search follows the groups of the directory within DOCLOOM_GROUPS_CACHE_SECONDS', async () => {
  for (let round = 0; round < 3; round += 1) {
    // This search also caches the groups from before the change, for as long as possible.
    expect(await finds()).toBe(false);
    await change('add');
    await waitForAnswer(true);
    expect(await finds()).toBe(true);
    await change('delete');
    await waitForAnswer(false);
  }
});

test('a group of the token does not count when the directory knows the user without it', async () => {
  expect(await finds()).toBe(false);
});
