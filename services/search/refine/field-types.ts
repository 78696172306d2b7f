import type { User } from '../../../model/access';
import type { Send } from '../connection';
import type { FieldTypes } from '../fields';
import { buildAccessRule } from '../request';

/** The types of one field, each with the indexes that have it if they differ. */
type TypesOfField = Record<string, { indices?: string[] }>;

const emptyIfMissing = { ignore_unavailable: true, allow_no_indices: true };

/**
 * The types that fields have in records that the user may read. Fields of other records are left out, because errors about their
 * types would reveal their names. `index` is the encoded name of the read alias.
 */
export async function loadReadableTypes(
  send: Send,
  index: string,
  { user, paths }: { user: User; paths: readonly string[] },
): Promise<FieldTypes> {
  if (paths.length === 0) return new Map();
  const reply = (await send({
    method: 'GET',
    path: `/${index}/_field_caps`,
    // Commas separate names and asterisks are patterns. With another sign in their place, such a name is not found.
    query: { fields: paths.map((path) => path.replaceAll(/[,*]/g, '?')).join(','), ...emptyIfMissing },
  })) as { fields: Record<string, TypesOfField> } | undefined;
  const found = Object.entries(reply?.fields ?? {}).filter(([path]) => paths.includes(path));
  const entries = await Promise.all(
    found.map(async ([path, types]) => {
      const names = Object.keys(types);
      // Which index has a readable value matters only if the types differ; the first value is found in a fraction of the time.
      if (names.length === 1)
        return [path, new Set((await hasValue(send, index, { user, path })) ? names : [])] as const;
      const indexes = await listIndexesWithValues(send, index, { user, path });
      const readable = names.filter(
        (type) => indexes.length > 0 && (types[type]?.indices ?? indexes).some((name) => indexes.includes(name)),
      );
      const isElsewhere = Object.keys(types).some((type) => type !== 'unmapped' && !readable.includes(type));
      return [path, Object.assign(new Set(readable), isElsewhere ? { onlyIn: indexes } : {})] as const;
    }),
  );
  return new Map(entries.filter(([, types]) => types.size > 0));
}

interface Asked {
  user: User;
  path: string;
}

const buildQuery = ({ user, path }: Asked) => ({
  bool: { filter: [buildAccessRule(user), { exists: { field: path } }] },
});

/** Whether a record that the user may read has a value of the field. */
async function hasValue(send: Send, index: string, asked: Asked): Promise<boolean> {
  const reply = (await send({
    method: 'POST',
    path: `/${index}/_search`,
    query: { ...emptyIfMissing, allow_partial_search_results: false },
    body: { size: 0, track_total_hits: 1, terminate_after: 1, query: buildQuery(asked) },
  })) as { hits: { total: { value: number } } } | undefined;
  return (reply?.hits.total.value ?? 0) > 0;
}

/** The indexes in which a record that the user may read has a value of the field. */
async function listIndexesWithValues(send: Send, index: string, asked: Asked): Promise<string[]> {
  const reply = (await send({
    method: 'POST',
    path: `/${index}/_search`,
    query: { ...emptyIfMissing, allow_partial_search_results: false },
    body: {
      size: 0,
      track_total_hits: false,
      query: buildQuery(asked),
      aggs: { indexes: { terms: { field: '_index', size: 10_000 } } },
    },
  })) as { aggregations?: { indexes: { buckets: { key: string }[] } } } | undefined;
  return (reply?.aggregations?.indexes.buckets ?? []).map(({ key }) => key);
}
