import { Type } from '@sinclair/typebox';

/** Query parameters of paged lists. */
export const paging = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 100, description: 'Entries on the page.' })),
  offset: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0, description: 'Entries before the page.' }),
  ),
};

/** Query parameters of lists of named and tagged resources. */
export const listing = {
  ...paging,
  name: Type.Optional(
    Type.String({ minLength: 1, maxLength: 256, description: 'Part of the name, in any letter case.' }),
  ),
  tags: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 256 }), {
      maxItems: 36,
      description: 'Repeatable; one of them must match.',
    }),
  ),
};

/** Query parameter of lists of named resources with an owner. */
export const resourceOrder = Type.Optional(
  Type.String({
    pattern: '^-?(name|created_on|modified_on|owner)$',
    description: 'name, created_on, modified_on or owner; a leading - for descending. Default -created_on.',
  }),
);

/** A page of a list: its items, its place in the list, and links to its neighbours. */
export function buildPage<Item>(url: URL, items: Item[], page: { limit: number; offset: number; total: number }) {
  const { limit, offset, total } = page;
  return { items, total, limit, offset, ...buildPageLinks(url, page) };
}

/** Links to the neighbouring pages. They keep all other query parameters. */
export function buildPageLinks(
  url: URL,
  page: { limit: number; offset: number; total: number },
): { first: string; next: string | null; prev: string | null } {
  const { limit, offset, total } = page;
  const buildLink = (position: number) => {
    const link = new URL(url);
    link.searchParams.set('offset', String(position));
    link.searchParams.set('limit', String(limit));
    return link.href;
  };
  const last = Math.max(0, Math.ceil(total / limit) - 1) * limit;
  return {
    first: buildLink(0),
    next: offset + limit < total ? buildLink(offset + limit) : null,
    // After the end, the previous page is the last one with results.
    prev: offset > 0 ? buildLink(offset >= total ? last : Math.max(0, offset - limit)) : null,
  };
}
