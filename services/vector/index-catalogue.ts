import { isAdmin, type User } from '../../model/access';
import { createTimeLimit } from '../../model/time/time-limit';
import type { IndexFacts, IndexInspector } from '../search/index';
import type { StoredOwner } from '../search/index-owners';
import type { Search } from '../search/ports';
import { guard, type Mongo } from '../storage/mongo';

/** An index of the configured server that runs of this installation made. */
export interface OwnIndex extends Pick<IndexFacts, 'dimension' | 'embedding'> {
  name: string;
  uuid: string;
  owner: string;
  writers: string[];
  description: string | null;
  /** True if searches of the API include it. */
  is_searched: boolean;
}

export type IndexCatalogue = ReturnType<typeof createIndexCatalogue>;
type Engine = Pick<Search, 'listAliasHolders' | 'findIndexUuids' | 'dropIndex'> & Pick<IndexInspector, 'describeIndex'>;

/** The ids of owners of indexes in OpenSearch begin with this; `0` follows `/` in the order of strings. */
const opensearch = 'opensearch/';
const afterOpensearch = 'opensearch0';
const describeTimeoutMs = 9_000;

/** The indexes of the configured server that have an owner here or belong to the read alias. All others are hidden. */
export function createIndexCatalogue(mongo: Mongo, search: Engine, alias: string) {
  const owners = mongo.collection<StoredOwner>('index_owners');
  const listRecorded = async (filter: object = {}) => {
    const indexes = await guard(() =>
      owners.find({ ...filter, _id: { $gte: opensearch, $lt: afterOpensearch } }).toArray(),
    );
    const uuids = await search.findIndexUuids(indexes.map(({ name }) => name));
    // A record outlives its index, and does not refer to an index of the same name on another server.
    return indexes.filter(({ _id, name }) => _id === opensearch + uuids[name]);
  };
  const toOwnIndex = async (
    { _id, name, owner, writers, description }: StoredOwner,
    holders: Record<string, string>,
  ) => {
    const facts = await search.describeIndex(name, undefined, createTimeLimit(describeTimeoutMs));
    const uuid = _id.slice(opensearch.length);
    return {
      name,
      uuid,
      owner,
      writers,
      description: description ?? null,
      is_searched: Object.values(holders).includes(uuid),
      ...(facts?.dimension === undefined ? {} : { dimension: facts.dimension }),
      ...(facts?.embedding ? { embedding: facts.embedding } : {}),
    } satisfies OwnIndex;
  };
  const buildVisibleFilter = (user: User, adminGroups: readonly string[]) =>
    isAdmin(user, adminGroups) ? {} : { $or: [{ owner: user.username }, { writers: user.username }] };
  return {
    /** Names of indexes with records, of all owners. */
    async names(): Promise<string[]> {
      const holders = Object.keys(await search.listAliasHolders(alias));
      return [...new Set([...holders, ...(await listRecorded()).map(({ name }) => name)])];
    },
    /** By name: those that the user owns or may write into; all for administrators. */
    async list(user: User, adminGroups: readonly string[], page: { limit: number; offset: number }) {
      const visibleIndexes = (await listRecorded(buildVisibleFilter(user, adminGroups))).toSorted((a, b) =>
        a.name < b.name ? -1 : 1,
      );
      const holders = await search.listAliasHolders(alias);
      const items = visibleIndexes.slice(page.offset, page.offset + page.limit);
      return { items: await Promise.all(items.map((item) => toOwnIndex(item, holders))), total: visibleIndexes.length };
    },
    async get(user: User, adminGroups: readonly string[], name: string): Promise<OwnIndex | undefined> {
      const [index] = await listRecorded({ ...buildVisibleFilter(user, adminGroups), name });
      return index && toOwnIndex(index, await search.listAliasHolders(alias));
    },
    describe: (uuid: string, description: string | null): Promise<void> =>
      guard(async () => void (await owners.updateOne({ _id: opensearch + uuid }, { $set: { description } }))),
    /** Drops exactly this index. An index of the same name that was created later stays. */
    drop: ({ name, uuid }: Pick<OwnIndex, 'name' | 'uuid'>): Promise<boolean> => search.dropIndex(name, uuid),
  };
}
