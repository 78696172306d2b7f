import { Type } from '@sinclair/typebox';
import { toGroupPrincipal, toIdentityPrincipal } from '../../../model/access-list';
import { AppError, asAppError } from '../../../model/errors';
import type { RightsList } from '../../../model/source/rights/rights-list';
import { joinRights } from '../join-rights';
import type { EntryAccess } from '../source';
import { type OpenSite, PageFacts, readResults, getSiteUrl } from './confluence-pages';
import { readRoleReaders } from './confluence-roles';
import { isPlainId } from './cover';

const SpacePermission = Type.Object({
  principal: Type.Optional(Type.Object({ type: Type.Optional(Type.String()), id: Type.Optional(Type.String()) })),
  operation: Type.Optional(
    Type.Object({ key: Type.Optional(Type.String()), targetType: Type.Optional(Type.String()) }),
  ),
});
const Restriction = Type.Object({
  restrictions: Type.Object({
    user: Type.Optional(Type.Object({ results: Type.Array(Type.Object({ accountId: Type.Optional(Type.String()) })) })),
    group: Type.Optional(Type.Object({ results: Type.Array(Type.Object({ id: Type.Optional(Type.String()) })) })),
  }),
});

/** The parent of a page: a page, a folder or something else. */
interface Parent {
  id: string;
  type: string;
}

/** Restrictions per answer. */
const pageLimit = 100;
/** Answers that are read for one page. */
const maxPages = 1_000;
const maxDepth = 200;
/** Addresses of the possible parents of pages. */
const collections: Readonly<Record<string, string>> = {
  page: 'pages',
  folder: 'folders',
  whiteboard: 'whiteboards',
  database: 'databases',
  embed: 'embeds',
};

/**
 * Determines who may read pages: the permissions of the space, and the restrictions of the page and of all its
 * ancestors.
 */
export interface PageRights {
  readAccess(pageId: string): Promise<EntryAccess | AppError | undefined>;
}

/** Valid for one listing: each restriction is read once. `parents` are those of the listed pages. */
export function openPageRights(
  site: OpenSite,
  { map, spaceId, parents }: { map: string; spaceId: string; parents: ReadonlyMap<string, Parent | undefined> },
): PageRights {
  const restrictions = new Map<string, Promise<RightsList | undefined>>();
  const parentsOfOthers = new Map<string, Promise<Parent | undefined>>();
  let space: Promise<RightsList> | undefined;
  const findRestriction = (id: string) => {
    const restriction = restrictions.get(id) ?? readRestriction(site, id, map);
    restrictions.set(id, restriction);
    return restriction;
  };
  const findParent = async ({ id, type }: Parent) => {
    if (type === 'page' && parents.has(id)) return parents.get(id);
    const parent = parentsOfOthers.get(id) ?? readParent(site, { id, type });
    parentsOfOthers.set(id, parent);
    return await parent;
  };
  return {
    async readAccess(pageId) {
      try {
        space ??= readSpace(site, spaceId, map);
        const spaceList = await space;
        const pageRestriction = await findRestriction(pageId);
        const ancestorLists: RightsList[] = [];
        let ancestor = parents.get(pageId);
        for (let depth = 0; ancestor; depth += 1) {
          if (depth > maxDepth)
            throw new AppError(
              'ACCESS_LIST_INVALID',
              `The page is its own ancestor, or has more than ${maxDepth} ancestors.`,
            );
          const list = await findRestriction(ancestor.id);
          if (list) ancestorLists.push(list);
          ancestor = await findParent(ancestor);
        }
        return pageRestriction
          ? joinRights(pageRestriction, [spaceList, ...ancestorLists])
          : joinRights(spaceList, ancestorLists);
      } catch (error) {
        site.signal.throwIfAborted();
        const { code, message } = asAppError(error, 'EXTERNAL_SERVICE_ERROR');
        if (!['SOURCE_NOT_ALLOWED', 'SOURCE_GONE', 'ACCESS_LIST_INVALID', 'EXTERNAL_SERVICE_ERROR'].includes(code))
          throw error;
        return new AppError(
          'ACCESS_LIST_INVALID',
          `The permissions of the space or the restrictions of the page cannot be read, so nobody may read the document. ${message}`,
        );
      }
    },
  };
}

async function readSpace(site: OpenSite, spaceId: string, map: string): Promise<RightsList> {
  const allowed = new Set<string>(await readRoleReaders(site, spaceId, map));
  for await (const page of readResults(site, `/wiki/api/v2/spaces/${spaceId}/permissions`, { schema: SpacePermission }))
    for (const { principal, operation } of page) {
      if (operation?.key !== 'read' || operation.targetType !== 'space' || !isPlainId(principal?.id)) continue;
      if (principal.type === 'user') allowed.add(toIdentityPrincipal(map, principal.id));
      if (principal.type === 'group') allowed.add(toGroupPrincipal(map, principal.id));
    }
  return { allowed: [...allowed].toSorted(), denied: [] };
}

/** Undefined if everybody who may read its parent may read it. */
async function readRestriction(site: OpenSite, id: string, map: string): Promise<RightsList | undefined> {
  const allowed = new Set<string>();
  for (let page = 0; page < maxPages; page += 1) {
    const url = getSiteUrl(site, `/wiki/rest/api/content/${id}/restriction/byOperation/read`, {
      expand: 'restrictions.user,restrictions.group',
      start: String(page * pageLimit),
      limit: String(pageLimit),
    });
    const answer = await site.api.read(url, Restriction, site.signal);
    if (!answer) throw new AppError('SOURCE_GONE', 'The page or one of its ancestors no longer exists.');
    const { user = { results: [] }, group: groups = { results: [] } } = answer.restrictions;
    // A restriction to an unknown account still restricts everybody else.
    for (const { accountId } of user.results)
      allowed.add(toIdentityPrincipal(map, isPlainId(accountId) ? accountId : ''));
    for (const { id: group } of groups.results) allowed.add(toGroupPrincipal(map, isPlainId(group) ? group : ''));
    if (user.results.length < pageLimit && groups.results.length < pageLimit) break;
  }
  return allowed.size === 0 ? undefined : { allowed: [...allowed].toSorted(), denied: [] };
}

async function readParent(site: OpenSite, { id, type }: Parent): Promise<Parent | undefined> {
  const collection = Object.hasOwn(collections, type) ? collections[type] : undefined;
  const parent =
    collection && (await site.api.read(getSiteUrl(site, `/wiki/api/v2/${collection}/${id}`), PageFacts, site.signal));
  // Without it, restrictions further up would be unknown.
  if (!parent) throw new AppError('ACCESS_LIST_INVALID', 'An ancestor of the page cannot be read.');
  return toParent(parent);
}

/** The parent of a page; undefined at the top of the space. */
export function toParent({ parentId, parentType }: PageFacts): Parent | undefined {
  return parentId ? { id: parentId, type: parentType ?? 'page' } : undefined;
}
