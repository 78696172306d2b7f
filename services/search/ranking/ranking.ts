import type { User } from '../../../model/access';
import { AppError } from '../../../model/errors';
import { createAnswerError } from '../connection';
import { createFieldError } from '../fields';
import { toDocument, buildHighlighting, type Hit, type Hits, shownFields } from '../hits';
import {
  buildHeadSearch,
  type SearchLines,
  sendChecked,
  sendTogether,
  listSuspects,
  widenKnowledge,
} from '../knowledge';
import type { SearchRequest, SearchReply } from '../ports';
import { buildExplainBody, findPlaces } from '../refine/explain';
import { countMatches, readFacets } from '../refine/facets';
import { loadNeighbours } from '../refine/neighbours';
import { buildAccessRule, type PreparedSearch, prepareSearch } from '../request';
import { hasSearchableText, type TextKnowledge } from '../text-query';
import { measureCoverage } from './coverage';
import {
  combineScores,
  type Coverage,
  fuseRankings,
  computeVectorWeight,
  linearizeScores,
  type Ranked,
} from './fusion';
import { isMultilingual, listLanguages, listLanguageWarnings } from './model-languages';
import { buildComparison, buildGraphQuery } from './nearest';
import { createPassageLines, rankByFacts } from './passages';
import { readLanguage } from './read-language';
import { hasFewRecords, listReadableIndexes } from './readable';
import type { RankingTools } from './tools';
import {
  type EmbeddedGroup,
  embedAhead,
  embedForAll,
  groupIndexes,
  type GroupedIndexes,
  type IndexMapping,
  type VectorGroup,
} from './vectors';

/** The most hits of one ranking. It does not depend on the page, so that pages of one search do not overlap. */
export const rankingDepth = 1_000;
/**
 * Maximum number of vectors in a hybrid search. Each segment of an index searches for as many, which takes most of the time.
 */
export const hybridVectors = 200;

/**
 * A search by vectors, or by words and vectors together. Every ranking is filtered inside the engine, access rule
 * included, before it is cut to its depth; words and vectors are added up, vectors of several embedders fused by reciprocal rank.
 */
export async function searchRanked(tools: RankingTools, user: User, request: SearchRequest): Promise<SearchReply> {
  const asked = prepareSearch(user, request, tools.knowledge, tools.types);
  const { limit, offset } = asked;
  const query = validateQuery(request, asked);
  // Words are searched while the query is embedded.
  const words = rankByWords(tools, user, request, asked);
  const groups = findGroups(tools, request, { ...asked, text: query });
  const [{ prepared, text, byPassage }, { near, embedded, problems }, covered] = await Promise.all([
    words,
    rankByVectors(tools, user, request, { ...asked, text: query, indexes: groups }),
    readCoverage(tools, user, request, { words, groups }),
  ]);
  const byFacts = rankByFacts(byPassage, request);
  const combined =
    text === undefined
      ? fuseRankings(near)
      : combineScores(
          text,
          near.map((hits, position) => linearizeScores(hits, embedded[position]?.group.space)),
          {
            textDepth: rankingDepth,
            vectorWeight: computeVectorWeight(query, text, listLanguages(embedded, tools), covered),
          },
        );
  // Facts count twice: with equal weights, every second place went to records that only share common words with the question.
  const order = byFacts.order.length > 0 ? fuseRankings([combined, byFacts.order, byFacts.order]) : combined;
  const grouped = request.group ? groupByDocument(order) : order.map((best) => ({ best, records: 1 }));
  const page = grouped.slice(offset, offset + limit);
  const [documents, facets] = await Promise.all([
    page.length === 0
      ? []
      : readPage(tools, user, request, { ...prepared, placed: findPlaces(text, near), factsOf: byFacts.factsOf, page }),
    countFacets(tools, user, request, order),
  ]);
  const hasMore = offset + limit < grouped.length;
  const notes = listLanguageWarnings(query, { text, near, embedded }, tools);
  return describePage(prepared, { documents, total: order.length, hasMore, facets, problems, notes });
}

/** The hits by words, in the mode hybrid only, and those by passages of facts. `knowledge` is that of the search for words. */
async function rankByWords(
  tools: RankingTools,
  user: User,
  request: SearchRequest,
  asked: PreparedSearch,
): Promise<{ prepared: PreparedSearch; text?: Ranked[]; knowledge: TextKnowledge; byPassage: Ranked[][] }> {
  const passages = createPassageLines(tools.alias, user, asked, request);
  if (request.mode !== 'hybrid') {
    const byPassage = await fetchRankings(tools, passages);
    return { prepared: asked, knowledge: tools.knowledge, byPassage };
  }
  const searches = [buildTextSearch(tools.alias, user, asked, request), ...passages];
  const suspects = listSuspects(request);
  const checked = { user, alias: tools.alias, suspects, filter: asked.filter };
  const { answers, unknown } = await sendChecked(tools.send, searches, checked);
  const [first = [], ...byPassage] = readRankings(answers, tools);
  let found = { prepared: asked, text: first, knowledge: tools.knowledge };
  const searchAgain = async (knowledge: TextKnowledge) => {
    const prepared = prepareSearch(user, request, knowledge, tools.types);
    const [text = []] = await fetchRankings(tools, [buildTextSearch(tools.alias, user, prepared, request)]);
    return { prepared, text, knowledge };
  };
  if (unknown.length > 0) found = await searchAgain({ ...tools.knowledge, unknown });
  // As in the mode text, where nothing is found otherwise.
  if (found.text.length === 0) found = await searchAgain(widenKnowledge(tools.knowledge, request));
  return { ...found, byPassage };
}

/** How well the best hit by words covers the question; nothing without vectors, because then there is nothing to weigh. */
async function readCoverage(
  tools: RankingTools,
  user: User,
  request: SearchRequest,
  asked: { words: ReturnType<typeof rankByWords>; groups: Promise<GroupedIndexes> },
): Promise<Coverage> {
  const [{ text = [], knowledge }, { groups }] = await Promise.all([asked.words, asked.groups]);
  if (groups.length === 0) return {};
  const knowing = { ...tools, knowledge, isMultilingual: isMultilingual(groups, tools) };
  const coverage = await measureCoverage(knowing, user, request, text);
  return { coverage, isMultilingual: knowing.isMultilingual };
}

/** The indexes whose vectors are of use for the query. */
async function findGroups(
  tools: RankingTools,
  request: SearchRequest,
  asked: PreparedSearch & { text: string },
): Promise<GroupedIndexes> {
  const indexes = await readGroups(tools, asked, request, embedAhead(tools, asked.text));
  // Feature hashing only compares words, less well than the text search does; punctuation alone has no meaning.
  const isOfUse = ({ embedding }: VectorGroup) => hasSearchableText(asked.text) && embedding.type !== 'hashing';
  return request.mode === 'hybrid' ? { ...indexes, groups: indexes.groups.filter(isOfUse) } : indexes;
}

/**
 * The nearest hits of each embedder, and why indexes were left out. Throws in the mode vector if no embedder is available; in the mode
 * hybrid, a failing embedder must not hide the hits by words.
 */
async function rankByVectors(
  tools: RankingTools,
  user: User,
  request: SearchRequest,
  asked: PreparedSearch & { text: string; indexes: Promise<GroupedIndexes> },
): Promise<{ near: Ranked[][]; embedded: EmbeddedGroup[]; problems: AppError[] }> {
  const { groups, left } = await asked.indexes;
  const [{ embedded, failed }, isSmall] = await Promise.all([
    embedForAll(tools, asked.text, groups),
    groups.some(({ isComparable }) => isComparable) && hasFewRecords(tools, asked.filter),
  ]);
  const problems = [...left, ...failed];
  // An empty ranking is not an answer.
  if (request.mode === 'vector' && embedded.length === 0 && problems.length > 0) throw chooseProblem(problems);
  const depth = request.mode === 'hybrid' ? hybridVectors : rankingDepth;
  const isCompared = ({ isComparable }: VectorGroup) => isSmall && isComparable;
  const rank = async (isInGraph: boolean) => {
    const searches = embedded.map(({ group, vector }): SearchLines => {
      const build = isInGraph || !isCompared(group) ? buildGraphQuery : buildComparison;
      const query = build(group, { vector, depth, filter: asked.filter });
      return [buildHeadSearch(group.indexes, user), { ...query, ...buildRankedHits(request, depth) }];
    });
    return fetchRankings(tools, searches);
  };
  const near = await rank(false).catch((error: unknown) => {
    // A server may forbid scripts, and comparing is one.
    const isRefused = error instanceof AppError && error.code === 'VALIDATION_ERROR';
    if (isRefused && embedded.some(({ group }) => isCompared(group))) return rank(true);
    throw error;
  });
  return { near, embedded, problems };
}

/** The response of a ranked search. `problems` say why indexes were left out; `notes` are further warnings. */
export function describePage(
  { limit = 10, offset = 0 }: Pick<SearchRequest, 'limit' | 'offset'>,
  page: Pick<SearchReply, 'documents' | 'total' | 'facets'> & {
    hasMore: boolean;
    problems: readonly AppError[];
    notes: readonly string[];
  },
): SearchReply {
  const { documents, total, hasMore, facets, problems, notes } = page;
  const warnings = [...new Set([...problems.map(formatWarning), ...notes])];
  return {
    documents,
    total,
    limit,
    offset,
    has_more: hasMore,
    ...(facets ? { facets } : {}),
    ...(warnings.length > 0 ? { warnings } : {}),
  };
}

/** Sorts outages first, because they are temporary: later the search may work. */
export function chooseProblem(problems: readonly AppError[]): AppError | undefined {
  return problems.find(({ status }) => status >= 500) ?? problems.at(-1);
}

function formatWarning({ message }: AppError): string {
  return `An index was left out of the search by vectors. ${message}`;
}

/**
 * The query of a ranked search. Throws VALIDATION_ERROR for a request without one, with an order of its own, or for pages beyond the
 * depth of a ranking.
 */
export function validateQuery({ query, mode }: SearchRequest, { sort, limit, offset }: PreparedSearch): string {
  if (query === undefined || query.trim() === '')
    throw createFieldError('query', `The mode ${mode} needs a query; without one use the mode text.`);
  if (sort.length > 0)
    throw createFieldError('sort', `The mode ${mode} orders by similarity; sort belongs to the mode text.`);
  if (offset + limit > rankingDepth) {
    throw createFieldError(
      'offset',
      `offset plus limit is ${offset + limit}; in the mode ${mode} pages end at ${rankingDepth}. Narrow the search by filters.`,
    );
  }
  return query;
}

/** Groups of the indexes in which the filters leave readable records; other indexes are irrelevant. */
async function readGroups(
  tools: RankingTools,
  { filter }: PreparedSearch,
  { mode, embedding }: SearchRequest,
  ownDimension: Promise<number | undefined>,
): Promise<GroupedIndexes> {
  const { send, alias, mayAsk } = tools;
  const isRequired = mode !== 'hybrid' || embedding !== undefined;
  const [counted, mapped = {}] = (await Promise.all([
    isRequired ? listReadableIndexes(tools, filter) : undefined,
    send({
      method: 'GET',
      path: `/${encodeURIComponent(alias)}/_mapping`,
      query: { filter_path: '*.mappings._meta.embedding,*.mappings.properties.embedding' },
    }),
  ])) as [ReadonlySet<string> | undefined, Record<string, IndexMapping> | undefined];
  const all = groupIndexes(mapped, embedding, mayAsk);
  // Nothing is sent and nothing can fail, so unreadable indexes are not revealed.
  const isOwn = ({ embedding: { type, model_id: model } }: VectorGroup) =>
    type === 'hashing' || (type === tools.builtin.type && model === tools.builtin.model_id);
  if (!isRequired && all.left.length === 0 && all.groups.every(isOwn)) {
    const dimension = await ownDimension;
    if (all.groups.every((group) => group.embedding.type === 'hashing' || group.dimension === dimension)) return all;
  }
  const readable = counted ?? (await listReadableIndexes(tools, filter));
  const mappings = Object.fromEntries(Object.entries(mapped).filter(([name]) => readable.has(name)));
  const grouped = groupIndexes(mappings, embedding, mayAsk);
  // Words still find records without vectors; a search by vectors alone would be empty without a reason.
  const isAnswer = grouped.groups.length > 0 || grouped.left.length > 0 || readable.size === 0;
  if (isAnswer || !isRequired) return grouped;
  throw createFieldError(
    embedding === undefined ? 'mode' : 'embedding',
    `None of the indexes with documents that you may read holds vectors${embedding ? ' of this embedder' : ''}. Use the mode text.`,
  );
}

function buildTextSearch(alias: string, user: User, { query }: PreparedSearch, request: SearchRequest): SearchLines {
  const sort = [{ _score: { order: 'desc' } }, { id: { order: 'asc', unmapped_type: 'keyword' } }];
  return [buildHeadSearch([alias], user), { query, sort, ...buildRankedHits(request, rankingDepth, ['language']) }];
}

/** Reads columns only: for `_id`, the engine would decompress the stored text of each of a thousand records. */
function buildRankedHits(
  { group }: SearchRequest,
  size: number,
  fields: readonly string[] = [],
): Record<string, unknown> {
  const docvalue_fields = ['id', ...(group ? ['document_id'] : []), ...fields];
  return { size, stored_fields: '_none_', docvalue_fields, track_total_hits: false };
}

async function fetchRankings(tools: RankingTools, searches: readonly SearchLines[]): Promise<Ranked[][]> {
  return searches.length === 0 ? [] : readRankings(await sendTogether(tools.send, searches), tools);
}

function readRankings(
  answers: Awaited<ReturnType<typeof sendTogether>>,
  { address }: Pick<RankingTools, 'address'>,
): Ranked[][] {
  return answers.map((answer) => {
    if (answer.error) throw createAnswerError(answer, address);
    return answer.hits.hits.map(({ _index: index, _score, fields = {} }) => {
      const [id] = fields['id'] ?? [];
      const language = readLanguage(fields['language']?.[0]);
      return {
        ...{ index, id: String(id), score: _score ?? 0, ...findDocument(fields) },
        ...(language === undefined ? {} : { language }),
      };
    });
  });
}

function findDocument(fields: Hit['fields']): Pick<Ranked, 'document'> {
  const [document] = fields?.['document_id'] ?? [];
  return typeof document === 'string' ? { document } : {};
}

/** A ranked record that represents its document, and the number of ranked records of the document. */
interface Group {
  best: Ranked;
  records: number;
}

/** Each document once, at the position of its best record. */
export function groupByDocument(order: readonly Ranked[]): Group[] {
  const groups = new Map<string, Group>();
  for (const hit of order) {
    const group = groups.get(hit.document ?? hit.id);
    if (group) group.records += 1;
    else groups.set(hit.document ?? hit.id, { best: hit, records: 1 });
  }
  return [...groups.values()];
}

/** Ranked records as a query. The access rule is applied again: lists may have changed since the ranking. */
function restrictToHits(user: User, hits: readonly Ranked[]): Record<string, unknown> {
  const should = [...new Set(hits.map(({ index }) => index))].map((index) => {
    const values = hits.filter((hit) => hit.index === index).map(({ id }) => id);
    return { bool: { filter: [{ term: { _index: index } }, { ids: { values } }] } };
  });
  return { bool: { filter: [buildAccessRule(user)], should, minimum_should_match: 1 } };
}

/** Counted among the ranked records. */
async function countFacets({ send, alias, types }: RankingTools, user: User, request: SearchRequest, order: Ranked[]) {
  if (order.length === 0) return readFacets(request, undefined);
  return countMatches(send, alias, request, { types, query: restrictToHits(user, order) });
}

/** The documents of one page in its order. */
async function readPage(
  { send, alias }: RankingTools,
  user: User,
  request: SearchRequest,
  {
    fullText,
    placed,
    factsOf,
    page,
  }: Pick<PreparedSearch, 'fullText'> &
    Pick<ReturnType<typeof rankByFacts>, 'factsOf'> & { placed: ReturnType<typeof findPlaces>; page: readonly Group[] },
): Promise<SearchReply['documents']> {
  const ranked = page.map(({ best }) => best);
  const reply = (await send({
    method: 'POST',
    path: `/${encodeURIComponent(alias)}/_search`,
    query: { ignore_unavailable: true, allow_no_indices: true, allow_partial_search_results: false },
    body: {
      // Only explanations need the matched words.
      query: request.explain
        ? { bool: { filter: [restrictToHits(user, ranked)], should: fullText } }
        : restrictToHits(user, ranked),
      size: page.length,
      _source: shownFields,
      track_total_hits: false,
      ...buildHighlighting(request, fullText),
      ...buildExplainBody(request),
    },
  })) as Hits | undefined;
  const read = new Map(reply?.hits.hits.map((hit) => [JSON.stringify([hit._id, hit._index]), hit]));
  const hits: Hit[] = [];
  const documents = page.flatMap(({ best: { id, index, document }, records }) => {
    const hit = read.get(JSON.stringify([id, index]));
    if (!hit) return [];
    hits.push(hit);
    const response = toDocument(hit, request);
    const facts = factsOf({ id, index });
    return [
      {
        ...response,
        ...(facts.length > 0 ? { facts } : {}),
        ...(document === undefined ? {} : { group: { document_id: document, records } }),
        ...(response.explanation ? { explanation: { ...response.explanation, ...placed({ id, index }) } } : {}),
      },
    ];
  });
  const distance = request.expand ?? 0;
  return distance > 0
    ? loadNeighbours(send, encodeURIComponent(alias), { user, hits, documents, distance })
    : documents;
}
