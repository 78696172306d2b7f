import { Type } from '@sinclair/typebox';
import { AppError } from '../../../model/errors';
import type { SourceAccount, SourceGroup } from '../../../model/identity/map';
import type { SourceDirectory } from '../../identity/maps';
import { employeesGroup } from './claims';
import { type Graph, toLink } from './graph-api';

const id = Type.String({ pattern: '^[A-Za-z0-9-]{1,100}$' });
const maybeText = Type.Optional(Type.Union([Type.String(), Type.Null()]));
const User = Type.Object({
  id,
  userPrincipalName: maybeText,
  mail: maybeText,
  userType: maybeText,
  accountEnabled: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
});
const Group = Type.Object({ id, displayName: maybeText });
const Member = Type.Object({ '@odata.type': Type.Optional(Type.String()), id });
const Members = Type.Object({ value: Type.Array(Member), '@odata.nextLink': Type.Optional(Type.String()) });

/** The most entries of a page that Microsoft Graph returns. */
const pageSize = '999';
const maxAccounts = 2_000_000;
const maxGroups = 500_000;
/** Longer names and addresses are truncated. */
const maxTextLength = 256;

/**
 * Users and groups of a tenant, with groups in groups. Disabled users are left out. Throws SOURCE_RIGHTS_UNKNOWN if the members of
 * a group cannot be read.
 */
export async function readGraphDirectory(graph: Graph, signal: AbortSignal): Promise<SourceDirectory> {
  const { accounts, employees } = await readAccounts(graph, signal);
  const groups = await readMembers(graph, await readGroupNames(graph, signal), signal);
  return { accounts, groups: [...groups, { id: employeesGroup, members: employees }] };
}

/** The accounts that may sign in, and the ids of those that are no guests. */
async function readAccounts(graph: Graph, signal: AbortSignal) {
  const accounts: SourceAccount[] = [];
  const employees: string[] = [];
  const select = { $select: 'id,userPrincipalName,mail,userType,accountEnabled', $top: pageSize };
  for await (const users of graph.readPages(graph.buildUrl('/users', select), User, signal)) {
    for (const { id: userId, userPrincipalName, mail, userType, accountEnabled } of users) {
      if (accountEnabled === false) continue;
      accounts.push({
        id: userId,
        ...(userPrincipalName ? { name: userPrincipalName.slice(0, maxTextLength) } : {}),
        ...(mail ? { mail: mail.slice(0, maxTextLength) } : {}),
      });
      if (userType?.toLowerCase() === 'member') employees.push(userId);
    }
    if (accounts.length > maxAccounts) throw createTooManyError(graph, `${maxAccounts} accounts`);
  }
  return { accounts, employees };
}

/** The names of all groups by their id; undefined for groups without a name. */
async function readGroupNames(graph: Graph, signal: AbortSignal): Promise<Map<string, string | undefined>> {
  const names = new Map<string, string | undefined>();
  const url = graph.buildUrl('/groups', { $select: 'id,displayName', $top: pageSize });
  for await (const groups of graph.readPages(url, Group, signal)) {
    for (const { id: groupId, displayName } of groups)
      names.set(groupId, displayName?.slice(0, maxTextLength) || undefined);
    if (names.size > maxGroups) throw createTooManyError(graph, `${maxGroups} groups`);
  }
  return names;
}

async function readMembers(
  graph: Graph,
  names: ReadonlyMap<string, string | undefined>,
  signal: AbortSignal,
): Promise<SourceGroup[]> {
  const ids = [...names.keys()];
  const answers = await graph.readBatch(
    ids.map((groupId) => `/groups/${groupId}/members?$select=id&$top=${pageSize}`),
    Members,
    signal,
  );
  const groups: SourceGroup[] = [];
  for (const [index, groupId] of ids.entries()) {
    const answer = answers[index]!;
    if ('status' in answer) {
      // The group was deleted during the listing.
      if (answer.status === 404) continue;
      throw new AppError(
        'SOURCE_RIGHTS_UNKNOWN',
        `${graph.place} does not show the members of a group (${answer.status}). The application needs GroupMember.Read.All.`,
      );
    }
    const members = [...answer.value];
    const next = answer['@odata.nextLink'];
    if (next !== undefined)
      for await (const more of graph.readPages(toLink(graph, next), Member, signal)) members.push(...more);
    const listIds = (type: string) =>
      members.filter((member) => member['@odata.type'] === `#microsoft.graph.${type}`).map((member) => member.id);
    const name = names.get(groupId);
    groups.push({
      id: groupId,
      ...(name === undefined ? {} : { name }),
      members: listIds('user'),
      groups: listIds('group'),
    });
  }
  return groups;
}

function createTooManyError({ place }: Graph, limit: string): AppError {
  return new AppError('SOURCE_TOO_LARGE', `${place} has more than ${limit}, the most that are read.`);
}
