import { randomUUID } from 'node:crypto';
import type { User } from '../../../model/access';
import { readConfig } from '../../../model/config';
import type { IndexRecord, IndexSpec, Search, SearchRequest } from '../../../services/search/ports';
import { createSearch } from '../../../services/search/search';

/** Distinguishes the indexes and aliases of one test file. */
export const mark = randomUUID().slice(0, 8);
export const alias = `read-${mark}`;
export const config = readConfig({
  ...process.env,
  SEARCH_DEFAULT_INDEX: alias,
  SEARCH_TIMEOUT: '20',
  SEARCH_MAX_RETRIES: '2',
  DOCLOOM_ALLOWED_HOSTS: '',
});
export const never = new AbortController().signal;
export const person = (username: string): User => ({ username, email: '', full_name: '', groups: [] });
export const anna = person('anna');
const server = `http://${config.SEARCH_HOST}:${config.SEARCH_PORT}`;
const made = new Set<string>();

/** A request that bypasses the service, to check its effect on the server. */
export async function raw<T>(method: string, path: string, body?: unknown): Promise<T> {
  const init =
    body === undefined
      ? { method }
      : { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  return (await (await fetch(`${server}${path}`, init)).json()) as T;
}

/** An index of this file; it is removed at its end. */
export function spec(name: string, vectorDimension?: number): IndexSpec {
  const full = `${name}-${mark}`;
  made.add(full);
  return {
    name: full,
    engine: 'lucene',
    spaceType: 'l2',
    m: 16,
    efConstruction: 100,
    ...(vectorDimension === undefined ? {} : { vectorDimension }),
  };
}

/** A record that anna may read. */
export function record(id: string, indexRecord: Partial<IndexRecord> = {}): IndexRecord {
  return {
    id,
    document_id: id,
    job_id: 'job',
    run_id: 'run',
    content: `content of ${id}`,
    title: `Title ${id}`,
    metadata: {},
    allowed_users: ['anna'],
    created_at: '2024-05-01T10:00:00Z',
    updated_at: '2024-05-02T10:00:00Z',
    ...indexRecord,
  };
}

/** A service with its own read alias, so that tests do not see each other's documents. */
export async function library(records: IndexRecord[]): Promise<{ search: Search; index: string }> {
  const name = `lib-${randomUUID().slice(0, 8)}`;
  const own = createSearch(readConfig({ ...process.env, SEARCH_DEFAULT_INDEX: name }));
  const indexSpec = spec(`docs-${name}`);
  await own.ensureIndex(indexSpec, undefined, never);
  expect(await own.bulkIndex(indexSpec.name, records, undefined, never)).toEqual([]);
  await own.refresh(indexSpec.name);
  return { search: own, index: indexSpec.name };
}

/** Ids of the documents that a search finds, in order. */
export const ids = async (service: Search, request: SearchRequest, user = anna) =>
  (await service.search(user, request)).documents.map(({ id }) => id);

/** Takes an index or alias of another name into the clean-up. */
export function remember(name: string): string {
  made.add(name);
  return name;
}

/** Removes every index of this file. */
export async function cleanUp(): Promise<void> {
  await fetch(`${server}/${[...made].join(',')}?ignore_unavailable=true`, { method: 'DELETE' });
}
