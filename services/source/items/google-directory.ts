import { type TSchema, Type } from '@sinclair/typebox';
import { AppError } from '../../../model/errors';
import type { SourceAccount, SourceGroup } from '../../../model/identity/map';
import { addToList } from '../../../model/multi-map';
import type { SourceDirectory } from '../../identity/maps';
import { mapInParallel } from '../../pacing/map-in-parallel';
import { toDomainGroup } from './google-rights';
import { type JsonApi, readPages } from './json-api';

const nextPageToken = Type.Optional(Type.String());
const User = Type.Object({
  primaryEmail: Type.String({ minLength: 3, maxLength: 256 }),
  aliases: Type.Optional(Type.Array(Type.String())),
  suspended: Type.Optional(Type.Boolean()),
  archived: Type.Optional(Type.Boolean()),
});
const Group = Type.Object({ email: Type.String({ minLength: 3, maxLength: 256 }), name: Type.Optional(Type.String()) });
const Member = Type.Object({
  email: Type.Optional(Type.String()),
  type: Type.Optional(Type.String()),
  status: Type.Optional(Type.String()),
});
const UserPage = Type.Object({ users: Type.Optional(Type.Array(User)), nextPageToken });
const GroupPage = Type.Object({ groups: Type.Optional(Type.Array(Group)), nextPageToken });
const MemberPage = Type.Object({ members: Type.Optional(Type.Array(Member)), nextPageToken });

/** A page of a list: its items in `member`, and the token of the next page. */
type PageSchema<Member extends string, Item> = TSchema & {
  static: { [name in Member]?: Item[] } & { nextPageToken?: string };
};

const maxUsers = 2_000_000;
/** Groups whose members are read at the same time. */
const parallelGroups = 8;
/** Longer names are truncated. */
const maxNameLength = 256;

/** The API of the directory, and its address without a trailing slash. */
interface Directory {
  api: JsonApi;
  endpoint: string;
}

/**
 * Users and groups of a Google Workspace by their mail addresses, with groups in groups, and a group of each domain. Suspended users
 * are left out.
 */
export async function readGoogleDirectory(directory: Directory, signal: AbortSignal): Promise<SourceDirectory> {
  const accounts: SourceAccount[] = [];
  const primaryMails = new Map<string, string>();
  const mailsByDomain = new Map<string, string[]>();
  for await (const users of readAll(directory, { path: 'users', page: UserPage, member: 'users' }, signal)) {
    for (const { primaryEmail, aliases = [], suspended, archived } of users) {
      if (suspended || archived) continue;
      const mail = primaryEmail.toLowerCase();
      accounts.push({ id: mail, name: mail, mail });
      for (const alias of [mail, ...aliases]) primaryMails.set(alias.toLowerCase(), mail);
      addToList(mailsByDomain, toDomainGroup(mail.slice(mail.lastIndexOf('@') + 1)), mail);
    }
    if (accounts.length > maxUsers)
      throw new AppError('SOURCE_TOO_LARGE', `${directory.api.place} has more than ${maxUsers} users.`);
  }
  const names = new Map<string, string | undefined>();
  for await (const groups of readAll(directory, { path: 'groups', page: GroupPage, member: 'groups' }, signal))
    for (const { email, name } of groups) names.set(email.toLowerCase(), name?.slice(0, maxNameLength) || undefined);
  const groups: SourceGroup[] = await mapInParallel([...names], parallelGroups, async ([id, name]) => {
    const members = await readMembers(directory, id, { accounts, primaryMails }, signal);
    return { id, ...(name === undefined ? {} : { name }), ...members };
  });
  for (const [id, members] of mailsByDomain) groups.push({ id, members });
  return { accounts, groups };
}

async function readMembers(
  directory: Directory,
  group: string,
  { accounts, primaryMails }: { accounts: readonly SourceAccount[]; primaryMails: ReadonlyMap<string, string> },
  signal: AbortSignal,
): Promise<{ members: string[]; groups: string[] }> {
  const members = new Set<string>();
  const groups = new Set<string>();
  const path = `groups/${encodeURIComponent(group)}/members`;
  try {
    for await (const page of readAll(directory, { path, page: MemberPage, member: 'members' }, signal))
      for (const { email = '', type, status = 'ACTIVE' } of page) {
        const mail = email.toLowerCase();
        if (status !== 'ACTIVE') continue;
        if (type === 'CUSTOMER') for (const { id } of accounts) members.add(id);
        else if (type === 'GROUP' && mail !== '') groups.add(mail);
        else if (type === 'USER' && mail !== '') members.add(primaryMails.get(mail) ?? mail);
      }
  } catch (error) {
    // The group was deleted during the listing.
    if (!(error instanceof AppError) || error.code !== 'SOURCE_GONE') throw error;
  }
  return { members: [...members], groups: [...groups] };
}

async function* readAll<Member extends string, Item extends object>(
  { api, endpoint }: Directory,
  { path, page, member }: { path: string; page: PageSchema<Member, Item>; member: Member },
  signal: AbortSignal,
): AsyncGenerator<readonly Item[]> {
  yield* readPages<Item>(api.place, async (pageToken) => {
    const url = new URL(`${endpoint}/admin/directory/v1/${path}`);
    // The most that all three lists allow.
    url.searchParams.set('maxResults', '200');
    if (!path.includes('/')) url.searchParams.set('customer', 'my_customer');
    if (pageToken !== undefined) url.searchParams.set('pageToken', pageToken);
    const answer = await api.read(url, page, signal);
    if (!answer) throw new AppError('SOURCE_GONE', `A list of ${api.place} no longer exists.`);
    return { items: answer[member] ?? [], next: answer.nextPageToken };
  });
}
