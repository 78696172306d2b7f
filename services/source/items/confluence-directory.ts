import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { AppError } from '../../../model/errors';
import type { SourceAccount, SourceGroup } from '../../../model/identity/map';
import type { SourceDirectory } from '../../identity/maps';
import { type OpenSite, getSiteUrl } from './confluence-pages';
import { readPages } from './json-api';

const Group = Type.Object({
  id: Type.String({ pattern: '^[A-Za-z0-9_-]{1,100}$' }),
  name: Type.Optional(Type.String()),
});
const Member = Type.Object({
  accountId: Type.String({ minLength: 1, maxLength: 256 }),
  email: Type.Optional(Type.Union([Type.String(), Type.Null()])),
});

const pageLimit = 200;
/** Longer names and addresses are truncated. */
const maxTextLength = 256;

/**
 * The groups of a site and their members. Accounts have no names here, because people choose their display names and
 * could choose that of another login. Mail addresses count if the site shows them.
 */
export async function readConfluenceDirectory(site: OpenSite): Promise<SourceDirectory> {
  const accounts = new Map<string, SourceAccount>();
  const groups: SourceGroup[] = [];
  for await (const groupPage of readAll(site, '/wiki/rest/api/group', Group))
    for (const { id, name } of groupPage) {
      const members: string[] = [];
      try {
        for await (const page of readAll(site, `/wiki/rest/api/group/${id}/membersByGroupId`, Member))
          for (const { accountId, email } of page) {
            members.push(accountId);
            accounts.set(accountId, { id: accountId, ...(email ? { mail: email.slice(0, maxTextLength) } : {}) });
          }
      } catch (error) {
        // The group was deleted during the listing.
        if (error instanceof AppError && error.code === 'SOURCE_GONE') continue;
        throw error;
      }
      groups.push({ id, ...(name ? { name: name.slice(0, maxTextLength) } : {}), members });
    }
  return { accounts: [...accounts.values()], groups };
}

/** Collections of the API v1 are numbered. A page that is not full is the last one. */
async function* readAll<Schema extends TSchema>(
  site: OpenSite,
  path: string,
  schema: Schema,
): AsyncGenerator<readonly Static<Schema>[]> {
  const Answer = Type.Object({ results: Type.Array(schema), limit: Type.Optional(Type.Integer({ minimum: 1 })) });
  const { api, signal } = site;
  yield* readPages<Static<Schema>>(api.place, async (start = '0') => {
    const answer = await api.read(getSiteUrl(site, path, { start, limit: String(pageLimit) }), Answer, signal);
    if (!answer) throw new AppError('SOURCE_GONE', `A list of ${api.place} no longer exists.`);
    // The server may return fewer items than requested.
    const { results, limit = pageLimit } = answer;
    const isLast = results.length < Math.min(limit, pageLimit);
    return { items: results, next: isLast ? undefined : String(Number(start) + results.length) };
  });
}
