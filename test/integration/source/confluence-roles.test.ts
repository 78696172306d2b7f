import { createAddressGuard } from '../../../services/net/address-guard';
import type { SourceEntry } from '../../../services/source/source';
import { createSources } from '../../../services/source/sources';
import { type ConfluenceDouble, startConfluence } from '../../support/doubles/confluence';
import { confluenceConfig } from '../../support/sources/confluence';

/** The roles of spaces of Confluence, on a double of it. */
const { signal } = new AbortController();
let site: ConfluenceDouble;
beforeEach(async () => {
  site = await startConfluence();
  site.permissions = [
    { principal: { type: 'group', id: 'all-staff' }, operation: { key: 'read', targetType: 'space' } },
    { principal: { type: 'user', id: 'acc-1' }, operation: { key: 'read', targetType: 'space' } },
  ];
});
afterEach(() => site.stop());
const space = ['g:corp:all-staff', 'i:corp:acc-1'];

async function findHome(): Promise<SourceEntry | undefined> {
  const places = [`confluence://${new URL(site.server.origin).host}`];
  const rights = {
    list: async () => [{ map_id: 'corp', places, updated_at: '', updated_by: '', state: {} }],
    listMembers: async () => new Map<string, Set<string>>(),
  };
  const sources = createSources({ roots: [], guard: createAddressGuard(['127.0.0.1']), rights });
  for await (const entry of sources.list('confluence', confluenceConfig(site), signal))
    if (entry.name === 'Home.html') return entry;
  return undefined;
}

test('roles that include reading admit their users and groups; other roles, classes of accounts and sites without roles admit nobody', async () => {
  site.roles.set('r-reader', ['read/space', 'read/page']);
  site.roles.set('r-odd', ['create/page']);
  const assign = (principalType: string, principalId: string, roleId: string) =>
    site.assignments.push({ principal: { principalType, principalId }, roleId });
  assign('USER', 'acc-7', 'r-reader');
  assign('GROUP', 'guild', 'r-reader');
  assign('USER', 'acc-8', 'r-odd');
  assign('ACCESS_CLASS', 'all-licensed-users', 'r-reader');
  assign('USER', '*', 'r-reader');
  assign('GROUP', 'lost', 'r-removed');
  const readers = async () => (await findHome())?.allowedPrincipals;
  expect(await readers()).toEqual(space);
  site.roleMode = 'PRE_ROLES';
  expect(await readers()).toEqual(space);
  site.roleMode = 'ROLES';
  expect(await readers()).toEqual([...space, 'g:corp:guild', 'i:corp:acc-7'].toSorted());
  site.server.override(({ url }) => (url.pathname.endsWith('/role-assignments') ? { status: 403 } : undefined));
  expect((await findHome())?.failure?.code).toBe('ACCESS_LIST_INVALID');
});
