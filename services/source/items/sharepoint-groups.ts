import { Type } from '@sinclair/typebox';
import { AppError } from '../../../model/errors';
import type { SourceAccount, SourceGroup } from '../../../model/identity/map';
import type { GraphAccount } from '../../../model/source/online/sharepoint-source';
import type { AddressGuard } from '../../net/address-guard';
import { employeesGroup, readClaim, buildSiteGroupId } from './claims';
import { isPlainId } from './cover';
import { toLink } from './graph-api';
import { findToken, type GraphTokens } from './graph-sign-in';
import { type JsonApi, openJsonApi, readPages } from './json-api';

const SiteId = Type.Object({ value: Type.String({ pattern: '^[0-9a-fA-F-]{36}$' }) });
const next = Type.Optional(Type.String({ maxLength: 20_000 }));
const Groups = Type.Object({
  value: Type.Array(Type.Object({ Id: Type.Integer(), Title: Type.Optional(Type.String()) })),
  'odata.nextLink': next,
});
const Users = Type.Object({
  value: Type.Array(Type.Object({ LoginName: Type.String({ maxLength: 1_000 }) })),
  'odata.nextLink': next,
});
/** The login name of a person. */
const personClaim = /^i:0#\.f\|membership\|(.+)$/i;
const maxGroups = 50_000;
/** Longer names are truncated. */
const maxNameLength = 256;

/** The application that sends the requests, and its credentials. */
export interface SiteGroupsDeps {
  account: GraphAccount;
  guard: AddressGuard;
  tokens: GraphTokens;
}

/**
 * The groups of a site of SharePoint and their members, which Microsoft Graph does not list. SharePoint accepts an application
 * with a certificate, or a user; it refuses secrets. Throws SOURCE_RIGHTS_UNKNOWN if members of a group cannot be read.
 */
export async function readSiteGroups(
  { account, guard, tokens }: SiteGroupsDeps,
  { site, accounts }: { site: string; accounts: readonly SourceAccount[] },
  signal: AbortSignal,
): Promise<SourceGroup[]> {
  const address = site.replace(/\/+$/, '');
  const resource = URL.canParse(address) ? new URL(address).origin : address;
  const api = openJsonApi({
    guard,
    base: address,
    authorize: async (requests, until, isRenewed) =>
      `Bearer ${await findToken({ account, resource }, { requests, tokens, isRenewed }, until)}`,
  });
  try {
    const siteId = await api.read(new URL(`${address}/_api/site/id`), SiteId, signal);
    if (!siteId) throw new AppError('SOURCE_NOT_FOUND', `The site '${site}' does not exist.`);
    const byName = new Map(accounts.flatMap(({ id, name }) => (name ? [[name.toLowerCase(), id] as const] : [])));
    const groups: SourceGroup[] = [];
    const pages = readPages(api.place, (link) => readPage(api, link ?? `${address}/_api/web/sitegroups`, signal));
    for await (const page of pages)
      for (const { Id, Title } of page) {
        if (groups.length === maxGroups) throw new AppError('SOURCE_TOO_LARGE', `${api.place} has too many groups.`);
        const names = await readMembers(api, `${address}/_api/web/sitegroups/getbyid(${Id})/users`, signal);
        groups.push({
          id: buildSiteGroupId(siteId.value, String(Id)),
          ...(Title ? { name: Title.slice(0, maxNameLength) } : {}),
          ...toMembers(names, { byName, everybody: accounts }),
        });
      }
    return groups;
  } finally {
    api.close();
  }
}

async function readPage(api: JsonApi, address: string, signal: AbortSignal) {
  const page = await api.read(toLink(api, address), Groups, signal);
  if (!page) throw new AppError('SOURCE_RIGHTS_UNKNOWN', `${api.place} does not list the groups of a site.`);
  return { items: page.value, next: page['odata.nextLink'] };
}

async function readMembers(api: JsonApi, first: string, signal: AbortSignal): Promise<string[]> {
  const names: string[] = [];
  const pages = readPages(api.place, async (link) => {
    const page = await api.read(toLink(api, link ?? first), Users, signal);
    // The group was deleted during the listing.
    return page ? { items: page.value, next: page['odata.nextLink'] } : { items: [] };
  });
  try {
    for await (const page of pages) names.push(...page.map(({ LoginName }) => LoginName));
    return names;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'SOURCE_NOT_ALLOWED') throw error;
    throw new AppError(
      'SOURCE_RIGHTS_UNKNOWN',
      `${api.place} does not show the members of a group. The application needs Sites.FullControl.All or Sites.Selected with full control.`,
    );
  }
}

/** People and groups of the directory; a name that is neither is left out, so that it grants nothing. */
function toMembers(
  names: readonly string[],
  { byName, everybody }: { byName: ReadonlyMap<string, string>; everybody: readonly SourceAccount[] },
): Required<Pick<SourceGroup, 'members' | 'groups'>> {
  const members = new Set<string>();
  const groups = new Set<string>();
  for (const name of names) {
    const [, person] = personClaim.exec(name) ?? [];
    const account = person === undefined ? undefined : byName.get(person.toLowerCase());
    if (isPlainId(account)) members.add(account);
    const claim = readClaim(name);
    if (claim === 'employees') groups.add(employeesGroup);
    else if (claim === 'everybody') for (const { id } of everybody) members.add(id);
    else if (claim !== undefined) groups.add(claim.group);
  }
  return { members: [...members], groups: [...groups] };
}
