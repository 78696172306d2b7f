import { everybody, type StoredAccess, toUserPrincipal } from '../../model/access-list';
import { AppError } from '../../model/errors';
import { findCollectionNameProblem } from '../../model/llm/index-name';
import type { IndexRecord, IndexSpec, Search } from '../search/ports';

/** A vector store other than OpenSearch, as used by the operator vectordb and at the end of runs. Every call names the target. */
export type VectorStore = Pick<
  Search,
  | 'ensureIndex'
  | 'findIndexUuids'
  | 'bulkIndex'
  | 'removeDocuments'
  | 'refresh'
  | 'pointAlias'
  | 'findServerId'
  | 'listAliasHolders'
  | 'findNearest'
  | 'close'
>;

/** The columns of a record in stores with flat rows. `metadata` is text or JSON there. */
export const recordColumns = [
  'id',
  'document_id',
  'job_id',
  'run_id',
  'content',
  'title',
  'metadata',
  'created_at',
  'updated_at',
] as const;

/** Throws SEARCH_INDEX_ERROR for a name that no collection can have. */
export function checkCollectionName(name: string): void {
  const problem = findCollectionNameProblem(name);
  if (problem) throw new AppError('SEARCH_INDEX_ERROR', problem);
}

/** Throws EMBEDDING_DIMENSION_MISMATCH when new vectors have a different length than those in the index. */
export function checkDimension(name: string, where: string, held: number | undefined, spec: IndexSpec): void {
  if (spec.vectorDimension === undefined || held === undefined || held === spec.vectorDimension) return;
  throw new AppError(
    'EMBEDDING_DIMENSION_MISMATCH',
    `The collection '${name}' ${where} holds vectors of ${held} dimensions, but the flow writes vectors of ${spec.vectorDimension} dimensions. Use the model that it was created with, or choose another index_name.`,
  );
}

/** The reason why a collection cannot hold the vector of a record; undefined if it can. */
export function findVectorProblem({ embedding }: IndexRecord, dimension: number | undefined): string | undefined {
  if (embedding === undefined || embedding.length === dimension) return undefined;
  return `its vector has ${embedding.length} dimensions, the collection ${dimension ?? 'none'}`;
}

/** Separates the records that a store can accept from those that it rejects, with the reason. */
export function splitRejected(
  records: readonly IndexRecord[],
  problemOf: (record: IndexRecord) => string | undefined,
): { taken: IndexRecord[]; refused: { id: string; reason: string }[] } {
  const ownRecords: IndexRecord[] = [];
  const refused: { id: string; reason: string }[] = [];
  for (const record of records) {
    const reason = problemOf(record);
    if (reason === undefined) ownRecords.push(record);
    else refused.push({ id: record.id, reason });
  }
  return { taken: ownRecords, refused };
}

/** Columns of principals, which collections of earlier versions lack. */
export const principalColumns = ['allowed_principals', 'denied_principals'] as const;

/**
 * The access list as one pair of lists, for stores that cannot check each of several lists. A record of several documents
 * keeps the readers that every list names in the same way, which may be fewer than may read all of them.
 */
export function flattenAccess({
  required_lists: required = [],
  ...list
}: StoredAccess): Required<Omit<StoredAccess, 'required_lists'>> {
  const isIn = (principal: string) =>
    required.every(({ principals }) => principals.includes(principal) || principals.includes(everybody));
  return {
    allowed_users: list.allowed_users.filter((user) => isIn(toUserPrincipal(user))),
    allowed_principals: (list.allowed_principals ?? []).filter(isIn),
    denied_principals: list.denied_principals ?? [],
  };
}

/** Keeps one connection for each key. A failed attempt is forgotten, so the next call tries again. */
export class Connections<T> {
  private readonly opened = new Map<string, Promise<T>>();

  open(key: string, connect: () => Promise<T>): Promise<T> {
    const opened = this.opened.get(key) ?? connect();
    this.opened.set(key, opened);
    opened.catch(() => this.opened.delete(key));
    return opened;
  }

  /** Closes all connections; errors are ignored. */
  async close(end: (connection: T) => unknown): Promise<void> {
    for (const opened of this.opened.values()) await opened.then(end).catch(() => undefined);
    this.opened.clear();
  }
}
