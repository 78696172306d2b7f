import type { Reader, User } from '../../model/access';
import type { StoredAccess } from '../../model/access-list';
import type { IndexEmbedding, QueryEmbedding } from '../../model/llm/index-embedding';
import type { DocumentReply, SearchReply, SuggestReply } from '../../model/search/wire';

export type { DocumentReply, SearchReply } from '../../model/search/wire';

/** A record to index: a chunk, or a whole document when the flow has no chunker. */
export interface IndexRecord extends StoredAccess {
  id: string;
  document_id: string;
  job_id: string;
  run_id: string;
  content: string;
  title: string;
  /** `language` (ISO 639-1) selects the analysis of the text. */
  metadata: Record<string, unknown>;
  created_at: string;
  updated_at: string;
  embedding?: number[];
}

/** The type of a field below `metadata`. */
export type FieldType = 'text' | 'number' | 'boolean' | 'date';

/** How an index is created. Without `vectorDimension`, it has no vectors. */
export interface IndexSpec {
  name: string;
  vectorDimension?: number;
  engine: 'lucene' | 'faiss' | 'nmslib';
  spaceType: string;
  m: number;
  efConstruction: number;
  /** The embedder of the vectors, if known; stored in the index. */
  embedding?: IndexEmbedding;
  /** The kind of vector index in stores other than OpenSearch, such as HNSW or IVF_FLAT. */
  indexType?: string;
  /** Number of lists into which the vectors are sorted (kinds IVF). */
  lists?: number;
  /** Number of parts of a vector, and bits per part (IVF_PQ). */
  cuts?: number;
  bits?: number;
  /** An alias that points at the index once the run is done. Until then, searches do not see the index. */
  alias?: string;
  /** Groups of synonyms in this index. Absent keeps those of an existing index. */
  synonyms?: readonly (readonly string[])[];
  /** Fields below `metadata` whose types are known, by path. */
  fields?: Readonly<Record<string, FieldType>>;
  /** The writer; required where indexes have owners. */
  writer?: IndexWriter;
}

/** Throws INDEX_NOT_OWNED for indexes whose alias may not be taken over. */
export type AdmitHolders = (holders: readonly string[]) => Promise<void>;

/** Who points an alias; stores get `admit` instead, to check the indexes that have it. */
export interface AliasClaim {
  writer?: IndexWriter;
  admit?: AdmitHolders;
}

/** The user and job that write into an index. */
export interface IndexWriter {
  runId: string;
  jobId: string;
  /** The owner of a new index. */
  owner: string;
  /** Users who must all be allowed to write; empty for administrators. */
  users: readonly string[];
  /** Further users who may write, if the owner sets them; undefined keeps the grants. */
  grants?: readonly string[];
  /** Start of the run, ISO 8601. Grants of a run that started later are kept. */
  startedAt?: string;
}

/** Another store than the configured search server, from a flow's `provider_config`. Undefined means the configured one. */
export interface SearchTarget {
  /** Absent for OpenSearch. For `lancedb`, which runs in the process, host and port are ignored. */
  provider?: 'milvus' | 'lancedb' | 'pgvector';
  /** Milvus only: used instead of name and password. */
  token?: string;
  /** The database of the store; OpenSearch has none. */
  database?: string;
  host: string;
  port: number;
  useSsl?: boolean;
  verifyCerts?: boolean;
  username?: string;
  password?: string;
}

/** A vector, and its reader. */
export interface NearestQuery {
  vector: readonly number[];
  reader: Reader;
  limit: number;
}
export interface NearestRecord {
  id: string;
  document_id: string;
  content: string;
}

export interface SearchRequest {
  query?: string;
  /** By field: a value, values of which one must match, or conditions (gt, gte, lt, lte, prefix, phrase, not, exists). */
  filters?: Record<string, unknown>;
  /** Indexes, jobs and documents to search. A record must match every given list. */
  scope?: {
    /** Names in the engine. */
    indexes?: readonly string[];
    jobs?: readonly (readonly string[])[];
    documents?: readonly (readonly string[])[];
  };
  /** Excludes the records of this document. */
  unlike?: string;
  /** Matches with more weight in the ranking by words. */
  boost?: {
    /** Factors by field. */
    fields?: Readonly<Record<string, number>>;
    /** Records as old as the half-life get half of the boost of new ones. */
    recency?: { field?: 'created_at' | 'updated_at'; half_life_days: number; weight?: number };
  };
  /** Orders the first hits by the operator's model. */
  rerank?: boolean;
  /** Explains each hit. */
  explain?: boolean;
  facets?: readonly { field: string; limit?: number; interval?: 'year' | 'month' | 'week' | 'day' }[];
  /** One hit for each document: its best record. */
  group?: boolean;
  /** Number of records to add before and after each hit. */
  expand?: number;
  sort?: Record<string, 'asc' | 'desc'>[];
  limit?: number;
  offset?: number;
  /** `text` (the default) by words, `vector` by the vectors of the indexes, `hybrid` by both. */
  mode?: 'text' | 'vector' | 'hybrid';
  /** The embedder of the query, if the indexes do not record theirs or only some should be searched. */
  embedding?: QueryEmbedding;
  /** Passages behind facts about the query, the nearest first: their records rise in the mode `hybrid`. */
  passages?: readonly FactPassageOfDocument[];
  highlight?: boolean;
  provenance?: boolean;
  /** Where to search: OpenSearch, if absent. */
  store?: 'opensearch' | 'pgvector';
}
/** A passage of a document that supports a fact of a graph. */
export interface FactPassageOfDocument {
  documentId: string;
  text: string;
  fact: HitFact;
}
/** The passage, and the nodes of the graph that it is about. */
export type HitFact = NonNullable<DocumentReply['facts']>[number];
/** The text typed so far. */
export interface SuggestRequest {
  text: string;
  limit?: number;
  scope?: SearchRequest['scope'];
  store?: SearchRequest['store'];
}
/** A completion: the title of a record, or the text with its last word completed. */
export type Suggestion = SuggestReply['suggestions'][number];
/** The number of matching records per value; for dates, per interval. */
export type Facet = NonNullable<SearchReply['facets']>[number];
/** A record next to a hit. */
export type HitNeighbour = NonNullable<DocumentReply['neighbours']>['before'][number];
/**
 * Explains a hit: the words that matched in its fields, in the form of the index, and its places in the rankings. Contains
 * no word frequencies, because they include documents that the reader may not read.
 */
export type HitReason = NonNullable<DocumentReply['explanation']>;
/** The position of a hit in its document, as far as the index knows. */
export type HitProvenance = NonNullable<DocumentReply['provenance']>;

/** Records of a document in the indexes, for all readers. */
export interface Holdings {
  records: number;
  /** Users in access lists of its records, with their number of records; most frequent first. */
  readers: { user: string; records: number }[];
  /** Principals that the access lists allow or deny, in the same form. */
  principals: { principal: string; records: number }[];
  denied: { principal: string; records: number }[];
  indexes: { name: string; records: number }[];
  /** From its newest record. */
  accessRule: string | undefined;
}

/** The access of one reader to the records of a document. */
export interface Judgement {
  records: number;
  /** Records that the reader may read. */
  readable: number;
  /** Records whose list includes the reader. */
  named: number;
  /** The principals of the reader that lists of the records allow and deny; at most ten of each. */
  allowedBy: string[];
  deniedBy: string[];
  /** Records with denials. */
  denying: number;
  /** Records that allow a group. */
  forGroups: number;
  accessRule: string | undefined;
}

/** Ignores access lists: for users who may know the readers of a document. */
export interface IndexHoldings {
  listHoldings(documentId: string): Promise<Holdings>;
  /** Why a reader may or may not read a document. */
  judge(documentId: string, reader: Reader): Promise<Judgement>;
}

/** The records to remove: those of these documents of one job, except those that `keepRunId` wrote. */
export interface RemovalScope {
  jobId: string;
  documentIds: readonly string[];
  keepRunId?: string;
  /** Called with the texts of the records before they are removed. Only OpenSearch calls it. */
  onTexts?: (texts: readonly string[]) => Promise<void>;
}

/** An index to be written, which may not exist yet, and the alias that is to point to it. */
export interface IndexName {
  name: string;
  alias?: string | undefined;
}

/** The document index. `get` and `search` always restrict to what the user may read. */
export interface Search {
  get(user: User, id: string, store?: SearchRequest['store']): Promise<DocumentReply | undefined>;
  search(user: User, request: SearchRequest, signal?: AbortSignal): Promise<SearchReply>;
  /**
   * Creates the index if it is missing, adds it to the read alias, checks the dimension of an existing one. Returns its UUID.
   */
  ensureIndex(spec: IndexSpec, target: SearchTarget | undefined, signal: AbortSignal): Promise<string>;
  /**
   * Throws INDEX_NOT_OWNED if the writer may not write to the index, or may not take over the alias. Undefined where indexes have
   * no owners.
   */
  checkWriter?(
    place: IndexName,
    target: SearchTarget | undefined,
    writer: IndexWriter,
    signal: AbortSignal,
  ): Promise<void>;
  /** Maps the names of existing indexes to their UUIDs. */
  findIndexUuids(
    names: readonly string[],
    target?: SearchTarget,
    signal?: AbortSignal,
  ): Promise<Record<string, string>>;
  /** Writes under the records' ids, retries failed items, and returns those that the index rejects. */
  bulkIndex(
    index: string,
    records: readonly IndexRecord[],
    target: SearchTarget | undefined,
    signal: AbortSignal,
  ): Promise<{ id: string; reason: string }[]>;
  /** Removes the records of these documents, except those of `keepRunId`. Returns their number. */
  removeDocuments(index: string, scope: RemovalScope, target?: SearchTarget): Promise<number>;
  refresh(index: string, target?: SearchTarget): Promise<void>;
  /**
   * Points the alias at this index instead of the previous one, which searches then no longer see. Atomic. An alias that another index
   * gets at the same time, without passing `admit`, stays with that index: the error of `admit` is thrown.
   */
  pointAlias(alias: string, index: string, target?: SearchTarget, claim?: AliasClaim): Promise<void>;
  /** Removes an index of the configured server with all its records; false where no index has both this name and this UUID. */
  dropIndex(name: string, uuid: string): Promise<boolean>;
  /** Identifies the server of a target by what the server says of itself, so that it is the same for every spelling of its host. */
  findServerId(target?: SearchTarget): Promise<string>;
  /** The indexes that an alias points at: name to UUID. */
  listAliasHolders(alias: string, target?: SearchTarget, signal?: AbortSignal): Promise<Record<string, string>>;
  /** Records of one index that the user may read, the nearest first. */
  findNearest(index: string, query: NearestQuery, target?: SearchTarget): Promise<NearestRecord[]>;
  /** SEARCH_CONNECTION_FAILED when the server does not answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
