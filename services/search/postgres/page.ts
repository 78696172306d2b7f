import type { PoolClient } from 'pg';
import type { User } from '../../../model/access';
import { writeReadableCondition, StatementValues } from '../../vector/pgvector-access';
import { toDocument } from '../hits';
import type { DocumentReply, HitReason, SearchRequest } from '../ports';
import { addNeighbours, findPlace, type Place } from '../refine/neighbours';
import { writeRecords, type Tables } from './tables';
import type { Term } from './terms';

/** A hit of a page, by the name of its table. */
export interface PageHit {
  index: string;
  id: string;
}
interface Row extends Pick<DocumentReply, 'id' | 'content' | 'title' | 'metadata' | 'created_at' | 'updated_at'> {
  index_name: string;
  passages: string | null;
  title_passage: string | null;
}

/** Marks in passages. Private-use characters; those of the text itself are removed before. */
const [opening, closing, boundary] = ['\uE000', '\uE001', '\uE002'];
const maxHighlighted = 100_000;
const getKey = (index: string, id: string) => JSON.stringify([index, id]);

/** The documents of a page in its order. The access rule applies here too. */
export async function readPage(
  client: PoolClient,
  tables: Tables,
  user: User,
  { request, hits, terms }: { request: SearchRequest; hits: readonly PageHit[]; terms: readonly Term[] },
): Promise<{ hit: PageHit; document: DocumentReply }[]> {
  if (hits.length === 0) return [];
  const values = new StatementValues();
  const selectedColumns = `index_name, id, content, title, metadata, created_at, updated_at`;
  const { rows } = await client.query<Row>(
    `SELECT ${selectedColumns}, ${formatPassages(request, terms, values)} FROM ${writeRecords(tables)} WHERE ${formatAmong(hits, values)} AND ${writeReadableCondition(user, values.add)}`,
    values.list,
  );
  const read = new Map(rows.map((row) => [getKey(row.index_name, row.id), row]));
  const words = request.explain ? await readWords(client, tables, hits, terms) : undefined;
  const pageDocuments = hits.flatMap((hit) => {
    const row = read.get(getKey(hit.index, hit.id));
    if (!row) return [];
    const { index_name: _index, id, passages: _passages, title_passage: _title, ...source } = row;
    const response = toDocument({ _id: id, _index: hit.index, _source: source }, { ...request, group: false });
    return [
      {
        hit,
        row,
        document: {
          ...response,
          ...(request.highlight ? { highlights: buildHighlights(row) } : {}),
          ...(words ? { explanation: { words: words.get(getKey(hit.index, id)) ?? [] } } : {}),
        },
      },
    ];
  });
  const distance = request.expand ?? 0;
  if (distance === 0) return pageDocuments;
  const places = pageDocuments.map(({ hit, row }) =>
    findPlace({ _index: hit.index, _source: { metadata: row.metadata } }),
  );
  const around = await readAround(client, tables, user, { places, distance });
  const documents = addNeighbours(
    pageDocuments.map(({ document }) => document),
    { places, around, distance },
  );
  return pageDocuments.map(({ hit, document }, at) => ({ hit, document: documents[at] ?? document }));
}

function formatAmong(hits: readonly PageHit[], { add }: StatementValues): string {
  const indexes = add(
    hits.map(({ index }) => index),
    'text[]',
  );
  const ids = add(
    hits.map(({ id }) => id),
    'text[]',
  );
  return `id = ANY(${ids}) AND (index_name, id) IN (SELECT * FROM unnest(${indexes}, ${ids}))`;
}

/** Columns with the passages of the content and the title that have words of the question. */
function formatPassages({ highlight }: SearchRequest, terms: readonly Term[], { add }: StatementValues): string {
  const wordTerms = terms.filter(({ kind }) => kind !== 'pair');
  if (!highlight || wordTerms.length === 0) return 'NULL AS passages, NULL AS title_passage';
  const query = add(wordTerms.map((term) => `(${term.query})`).join(' | '), 'tsquery');
  const marks = `StartSel=${opening}, StopSel=${closing}`;
  const clean = (text: string) => `translate(${text}, ${add(`${opening}${closing}${boundary}`, 'text')}, '')`;
  const headline = (text: string, options: string) =>
    `ts_headline(CASE analysis WHEN '' THEN 'simple' ELSE analysis END::regconfig, ${clean(text)}, ${query}, ${add(options, 'text')})`;
  return `${headline(`left(content, ${maxHighlighted})`, `${marks}, MaxFragments=3, MaxWords=40, MinWords=15, FragmentDelimiter=${boundary}`)} AS passages,
    ${headline('title', `${marks}, HighlightAll=true`)} AS title_passage`;
}

function buildHighlights({ passages, title_passage: title }: Row): Record<string, string[]> {
  const marked = (text: string | null) =>
    (text ?? '')
      .split(boundary)
      .filter((passage) => passage.includes(opening))
      .map((passage) => escapeHtml(passage.trim()).replaceAll(opening, '<em>').replaceAll(closing, '</em>'));
  const [contents, titles] = [marked(passages), marked(title)];
  return { ...(contents.length > 0 ? { content: contents } : {}), ...(titles.length > 0 ? { title: titles } : {}) };
}

function escapeHtml(text: string): string {
  const escapes: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#x27;',
    '/': '&#x2F;',
  };
  return text.replaceAll(/[&<>"'/]/g, (sign) => escapes[sign] ?? sign);
}

/** The words of the question that each hit has, by field. Without numbers that count other records. */
async function readWords(
  client: PoolClient,
  tables: Tables,
  hits: readonly PageHit[],
  terms: readonly Term[],
): Promise<Map<string, NonNullable<HitReason['words']>>> {
  const values = new StatementValues();
  const wordTerms = JSON.stringify(terms.filter(({ kind }) => kind !== 'pair'));
  const { rows } = await client.query<{ index_name: string; id: string; field: string; terms: string[] }>(
    `SELECT index_name, id, field, array_agg(DISTINCT term ->> 'text' ORDER BY term ->> 'text') AS terms
     FROM ${writeRecords(tables)}, jsonb_array_elements(${values.add(wordTerms, 'jsonb')}) AS term,
       (VALUES ('content', '{1,0,0,0}'::real[]), ('title', '{0,0,0,1}'), ('metadata', '{0,1,0,0}')) AS places (field, weights)
     WHERE ${formatAmong(hits, values)}
       AND CASE term ->> 'kind'
         WHEN 'words' THEN term -> 'analyses' ? analysis AND words @@ (term ->> 'query')::tsquery AND ts_rank(weights, words, (term ->> 'query')::tsquery) > 0.001
         ELSE exact @@ (term ->> 'query')::tsquery AND ts_rank(weights, exact, (term ->> 'query')::tsquery) > 0.001 END
     GROUP BY index_name, id, field ORDER BY field`,
    values.list,
  );
  const wordsByHit = new Map<string, NonNullable<HitReason['words']>>();
  for (const { index_name: index, id, field, terms: texts } of rows) {
    const matchedWords = wordsByHit.get(getKey(index, id)) ?? [];
    matchedWords.push({ field, terms: texts });
    wordsByHit.set(getKey(index, id), matchedWords);
  }
  return wordsByHit;
}

/** The readable records of the same documents that are at most `distance` from one of the places. */
async function readAround(
  client: PoolClient,
  tables: Tables,
  user: User,
  { places, distance }: { places: readonly (Place | undefined)[]; distance: number },
): Promise<(Place & { id: string; content: string })[]> {
  const usablePlaces = places.filter((place) => place !== undefined);
  if (usablePlaces.length === 0) return [];
  const values = new StatementValues();
  const list = (of: (place: Place) => string | number, type: string) => values.add(usablePlaces.map(of), type);
  const around = `unnest(${list(({ index }) => index, 'text[]')}, ${list(({ document }) => document, 'text[]')}, ${list(({ position }) => position, 'float8[]')}) AS place (name, document, position)`;
  const position =
    "CASE jsonb_typeof(metadata -> 'chunk_index') WHEN 'number' THEN (metadata ->> 'chunk_index')::float8 END";
  const { rows } = await client.query<{
    index: string;
    document: string;
    position: number;
    id: string;
    content: string;
  }>(
    `SELECT DISTINCT index_name AS index, document_id AS document, ${position} AS position, id, content
     FROM ${writeRecords(tables)} JOIN ${around} ON document_id = place.document AND index_name = place.name
       AND abs(${position} - place.position) <= ${values.add(distance, 'float8')}
     WHERE ${writeReadableCondition(user, values.add)}`,
    values.list,
  );
  return rows;
}
