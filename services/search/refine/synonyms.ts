import type { Send } from '../connection';
import { rememberBriefly } from '../remember-briefly';
import { type Alternative, splitWords } from '../text-query';

/** Groups of texts that mean the same, by index. */
export type Synonyms = ReadonlyMap<string, readonly (readonly string[])[]>;

/** Further alternatives of a query are dropped: the engine allows 1,024 clauses. */
const maxAlternatives = 10;
/** Reads the synonyms of the indexes behind the read alias, and caches them for five seconds. */
export function createSynonyms(index: string): (send: Send) => Promise<Synonyms> {
  return rememberBriefly((send) => read(send, index));
}

async function read(send: Send, index: string): Promise<Synonyms> {
  const mappings = (await send({
    method: 'GET',
    path: `/${index}/_mapping`,
    query: { filter_path: '*.mappings._meta.synonyms' },
  })) as Record<string, { mappings?: { _meta?: { synonyms?: unknown } } }> | undefined;
  const entries = Object.entries(mappings ?? {}).map(([name, { mappings: mapping }]) => {
    return [name, listGroups(mapping?._meta?.synonyms)] as const;
  });
  return new Map(entries.filter(([, groups]) => groups.length > 0));
}

/** An index that Docloom did not create may contain anything there. */
function listGroups(value: unknown): string[][] {
  if (!Array.isArray(value)) return [];
  const groups = (value as unknown[]).filter((group): group is unknown[] => Array.isArray(group));
  return groups.map((group) => group.filter((text): text is string => typeof text === 'string'));
}

/**
 * Synonyms of the query in the records of each index: the other members of a group that contains one of its words. Only of indexes in
 * which rights and filters leave records; `readReadable` lists these, and is called if any index has synonyms of the query.
 */
export async function findReadableAlternatives(
  query: string,
  synonyms: Synonyms,
  readReadable: () => Promise<ReadonlySet<string>>,
): Promise<Alternative[]> {
  const found = listAlternatives(query, synonyms);
  if (found.length === 0) return [];
  const readable = await readReadable();
  return found
    .map(({ indexes, text }) => ({ indexes: indexes.filter((index) => readable.has(index)), text }))
    .filter(({ indexes }) => indexes.length > 0)
    .slice(0, maxAlternatives);
}

function listAlternatives(query: string, synonyms: Synonyms): Alternative[] {
  const phrase = ` ${splitWords(query, { isWhole: true }).join(' ')} `;
  const has = (text: string) => {
    const words = splitWords(text, { isWhole: true }).join(' ');
    return words !== '' && phrase.includes(` ${words} `);
  };
  const alternatives = new Map<string, Alternative>();
  for (const [index, groups] of synonyms) {
    for (const group of groups.filter((texts) => texts.some(has))) {
      for (const text of group.filter((value) => !has(value))) {
        const alternative = alternatives.get(text) ?? { indexes: [], text };
        alternative.indexes.push(index);
        alternatives.set(text, alternative);
      }
    }
  }
  return [...alternatives.values()];
}
