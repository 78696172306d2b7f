import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { AppError } from '../../../model/errors';
import type { ConfluenceSettings } from '../../../model/source/online/confluence-source';
import { addQuery } from '../../cloud/cloud-store';
import { type JsonApi, readPages } from './json-api';

const id = Type.String({ pattern: '^[A-Za-z0-9-]{1,100}$' });
const Version = Type.Object({
  number: Type.Optional(Type.Integer()),
  createdAt: Type.Optional(Type.String({ maxLength: 100 })),
});
const defineMaybe = <Schema extends TSchema>(schema: Schema) => Type.Optional(Type.Union([schema, Type.Null()]));

/** A space of a site. */
export const Space = Type.Object({ id, key: Type.String() });
/** A page; `parentType` says whether its parent is a page, a folder or something else. */
export const PageFacts = Type.Object({
  id,
  title: Type.Optional(Type.String({ maxLength: 4_000 })),
  status: Type.Optional(Type.String()),
  spaceId: Type.Optional(Type.String()),
  parentId: defineMaybe(id),
  parentType: defineMaybe(Type.String()),
  version: Type.Optional(Version),
  body: Type.Optional(Type.Object({ storage: Type.Optional(Type.Object({ value: Type.String() })) })),
});
export type PageFacts = Static<typeof PageFacts>;
/** An attachment of a page. */
export const AttachmentFacts = Type.Object({
  id,
  title: Type.Optional(Type.String({ maxLength: 4_000 })),
  status: Type.Optional(Type.String()),
  mediaType: Type.Optional(Type.String({ maxLength: 300 })),
  fileSize: Type.Optional(Type.Number()),
  version: Type.Optional(Version),
});
export type AttachmentFacts = Static<typeof AttachmentFacts>;

/** A site as a flow names it, opened for one listing or one document. */
export interface OpenSite {
  api: JsonApi;
  settings: ConfluenceSettings;
  signal: AbortSignal;
}

/** Returns an address of the site; `path` begins with `/wiki/`. */
export function getSiteUrl({ settings }: OpenSite, path: string, query: Readonly<Record<string, string>> = {}): URL {
  const url = new URL(`${settings.siteUrl}${path}`);
  addQuery(url, query);
  return url;
}

/**
 * The results of a collection of the API v2. Of the link to the next page only the cursor is used. Throws SOURCE_GONE if the
 * collection does not exist.
 */
export async function* readResults<Schema extends TSchema>(
  site: OpenSite,
  path: string,
  { schema, query = {} }: { schema: Schema; query?: Readonly<Record<string, string>> },
): AsyncGenerator<readonly Static<Schema>[]> {
  const Answer = Type.Object({
    results: Type.Array(schema),
    _links: Type.Optional(Type.Object({ next: Type.Optional(Type.String()) })),
  });
  const { api, signal } = site;
  yield* readPages<Static<Schema>>(api.place, async (cursor) => {
    const url = getSiteUrl(site, path, { limit: '250', ...query, ...(cursor === undefined ? {} : { cursor }) });
    const page = await api.read(url, Answer, signal);
    if (!page) throw new AppError('SOURCE_GONE', `A collection of ${api.place} no longer exists.`);
    return { items: page.results, next: findCursor(page._links?.next) };
  });
}

function findCursor(link: string | undefined): string | undefined {
  // Links are relative to the site, which does not matter for the cursor.
  const anySite = 'https://site.invalid';
  if (link === undefined || !URL.canParse(link, anySite)) return undefined;
  return new URL(link, anySite).searchParams.get('cursor') ?? undefined;
}
