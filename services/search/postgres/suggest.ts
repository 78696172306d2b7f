import type { PoolClient } from 'pg';
import type { User } from '../../../model/access';
import { StatementValues } from '../../vector/pgvector-access';
import { foldWord, splitText } from '../../vector/pgvector-words';
import type { Hits } from '../hits';
import type { Suggestion, SuggestRequest } from '../ports';
import { listCompletedWords, isOpenWord, markWords, maxRecords, listSuggestions } from '../refine/suggest';
import { formatPhrase } from './conditions';
import { writeRecords, formatRestrictions, type Tables } from './tables';

/** Number of characters of a record in which completions are looked for. */
const maxLookedAt = 20_000;

/** Completions from the records that the user may read, by the same rules as those of OpenSearch. */
export async function suggest(
  client: PoolClient,
  tables: Tables,
  user: User,
  request: SuggestRequest,
): Promise<Suggestion[]> {
  const words = listCompletedWords(request).flatMap(splitText).map(foldWord);
  const last = words.at(-1);
  if (last === undefined || tables.size === 0) return [];
  const values = new StatementValues();
  const { add } = values;
  const isOpen = isOpenWord(request);
  const has = (word: string, weights: string, isPrefix: boolean) =>
    `exact @@ ${add(formatPhrase([word], weights, isPrefix), 'tsquery')}`;
  const conditions = [
    formatRestrictions(user, request, values),
    ...words.slice(0, -1).map((word) => has(word, 'AD', false)),
    has(last, 'AD', isOpen),
  ];
  const { rows } = await client.query<{ id: string; title: string; content: string }>(
    `SELECT id, title, left(content, ${maxLookedAt}) AS content FROM ${writeRecords(tables)} WHERE ${conditions.join(' AND ')}
     ORDER BY ${has(last, 'A', isOpen)} DESC, id COLLATE "C" LIMIT ${maxRecords}`,
    values.list,
  );
  const hits: Hits['hits']['hits'] = rows.map(({ id, title, content }) => ({
    _id: id,
    _index: '',
    _source: { title },
    highlight: { content: markWords(content, last) },
  }));
  return listSuggestions({ hits: { total: { value: hits.length }, hits } }, request);
}
