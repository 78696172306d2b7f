import { AppError } from '../../model/errors';
import type { AddressGuard } from '../net/address-guard';
import { findServerId, listAliasHolders, pointAliasTo } from '../search/alias';
import { sendBulk, buildWriteAction } from '../search/bulk';
import { connectSearch, findEngineError, type SearchConnection } from '../search/connection';
import type { IndexGate } from '../search/index-owners';
import type { IndexRecord, IndexWriter } from '../search/ports';
import { removeRecords } from '../search/removal';
import type { TakeTurn } from '../storage/turns';
import { buildExportMappings, exportSettings, isExportIndex, type MappedIndex } from './index-mapping';
import type { ExportTarget } from './place';

/** The target of an export to Elasticsearch. */
export type IndexTarget = Extract<ExportTarget, { kind: 'elasticsearch' }>;

/** The vectors of the records of a batch; undefined if they have none. */
export interface ExportVectors {
  dimension: number;
}

/** An index of Elasticsearch that records are exported to. */
export interface IndexPlace {
  key: string;
  /**
   * Creates the index if it is missing. Throws INDEX_NOT_OWNED if the writer may not write to it or take over its alias, and
   * EXPORT_NOT_ALLOWED if another program created it.
   */
  ensure(writer: IndexWriter, vectors: ExportVectors | undefined, signal: AbortSignal): Promise<void>;
  /** Writes records under their ids; returns those that the server rejects. */
  write(records: readonly IndexRecord[], signal: AbortSignal): Promise<{ id: string; reason: string }[]>;
  /** Removes the records of documents, except those of `keepRunId`. */
  remove(scope: { jobId: string; documentIds: readonly string[]; keepRunId?: string }): Promise<void>;
  /** Makes recent writes visible and points the alias at the index, if it exists. */
  finish(writer: IndexWriter): Promise<void>;
  close(): void;
}

const timeoutMs = 60_000;
const maxRetries = 5;

export interface IndexPlaceDeps {
  guard: AddressGuard;
  /** Knows the owners of indexes. */
  admit: IndexGate;
  takeTurn: TakeTurn;
}

/** Every connection passes the guard, which refuses the search server of this installation. */
export function openIndexPlace(target: IndexTarget, { guard, ...deps }: IndexPlaceDeps): IndexPlace {
  return new ElasticsearchIndex(target, connectSearch(target.server, guard), deps);
}

class ElasticsearchIndex implements IndexPlace {
  readonly key: string;
  private readonly path: string;

  constructor(
    private readonly target: IndexTarget,
    private readonly connection: SearchConnection,
    private readonly deps: Omit<IndexPlaceDeps, 'guard'>,
  ) {
    const { server, index } = target;
    this.key = `elasticsearch:${server.host.toLowerCase()}:${server.port}/${index}`;
    this.path = `/${encodeURIComponent(index)}`;
  }

  async ensure(writer: IndexWriter, vectors: ExportVectors | undefined, signal: AbortSignal) {
    await this.checkAlias(writer);
    const before = await this.read(signal);
    const isNew = before === undefined && (await this.create(vectors, signal));
    const present = before ?? (await this.read(signal));
    if (!present) throw new AppError('SEARCH_INDEX_ERROR', `${this.name} disappeared while it was created.`);
    await this.check(present, { writer, isNew });
    if (vectors) await this.ensureVectors(present, vectors, signal);
  }

  write(records: readonly IndexRecord[], signal: AbortSignal) {
    const actions = records.map((record) => buildWriteAction(record));
    return sendBulk(this.connection, this.target.index, actions, { timeoutMs, maxRetries, signal }).catch(refuse);
  }

  async remove(scope: { jobId: string; documentIds: readonly string[]; keepRunId?: string }) {
    const options = { timeoutMs, maxRetries, isFresh: false };
    await removeRecords(this.connection, this.target.index, scope, options).catch(refuse);
  }

  async finish(writer: IndexWriter) {
    const { alias, index } = this.target;
    const present = await this.read();
    if (!present) return;
    await this.check(present, { writer, isNew: false });
    await this.call({ method: 'POST', path: `${this.path}/_refresh` });
    if (alias === undefined) return;
    // In turns, so that of two users who claim a free alias at once the second sees the first.
    const server = await findServerId(this.home).catch(refuse);
    await this.deps.takeTurn(`the alias '${alias}' on ${server}`, async () => {
      // Again at the end: an account that may not read the id of the cluster takes another turn.
      await pointAliasTo(this.home, { alias, index, admit: () => this.checkAlias(writer) }).catch(refuse);
    });
  }

  close() {
    void this.connection.close();
  }

  private get home() {
    return { connection: this.connection, timeoutMs };
  }

  private call(call: Parameters<SearchConnection['send']>[0], signal?: AbortSignal, accept: readonly number[] = []) {
    return this.connection.send(call, { timeoutMs, accept, ...(signal ? { signal } : {}) }).catch(refuse);
  }

  private async read(signal?: AbortSignal): Promise<MappedIndex | undefined> {
    const { index } = this.target;
    const { status, body } = await this.call({ method: 'GET', path: this.path }, signal, [404]);
    if (status === 404) return undefined;
    // The name of an alias answers with the indexes behind it.
    const own = (body as Record<string, MappedIndex>)[index];
    if (own) return own;
    throw new AppError('EXPORT_NOT_ALLOWED', `'${index}' is an alias on ${this.address}; name an index.`);
  }

  private get address() {
    return this.connection.address;
  }

  private get name() {
    return `The index '${this.target.index}' on ${this.address}`;
  }

  private async check(present: MappedIndex, { writer, isNew }: { writer: IndexWriter; isNew: boolean }) {
    if (!isExportIndex(present))
      throw new AppError('EXPORT_NOT_ALLOWED', `${this.name} was not created by an export; choose another name.`);
    await this.deps.admit({ name: this.target.index, uuid: present.settings.index.uuid, isNew }, undefined, writer);
  }

  /** The alias may be taken over only from indexes that the writer may write to. */
  private async checkAlias(writer: IndexWriter) {
    const { alias, index } = this.target;
    if (alias === undefined) return;
    const holders = Object.keys(await listAliasHolders(this.home, alias).catch(refuse)).filter(
      (name) => name !== index,
    );
    for (const name of holders) {
      const { body } = await this.call({ method: 'GET', path: `/${encodeURIComponent(name)}` });
      const holder = (body as Record<string, MappedIndex>)[name];
      if (!holder || !isExportIndex(holder))
        throw new AppError(
          'EXPORT_NOT_ALLOWED',
          `The alias '${alias}' on ${this.address} belongs to an index that was not created by an export; choose another alias.`,
        );
      await this.deps.admit({ name, uuid: holder.settings.index.uuid }, undefined, writer);
    }
  }

  /** False if another worker or program created the index first. */
  private async create(vectors: ExportVectors | undefined, signal: AbortSignal): Promise<boolean> {
    const body = {
      settings: exportSettings,
      mappings: buildExportMappings(this.target.similarity, vectors?.dimension),
    };
    try {
      await this.call({ method: 'PUT', path: this.path, body }, signal);
      return true;
    } catch (error) {
      if (findEngineError(error)?.type === 'resource_already_exists_exception') return false;
      throw error;
    }
  }

  /** An index that was created by a batch without vectors gets its vector field with the first vector. */
  private async ensureVectors(present: MappedIndex, { dimension }: ExportVectors, signal: AbortSignal) {
    const dims = present.mappings.properties?.['embedding']?.dims;
    if (dims === dimension) return;
    if (dims !== undefined)
      throw new AppError(
        'EMBEDDING_DIMENSION_MISMATCH',
        `${this.name} holds vectors of ${dims} dimensions, but the flow writes vectors of ${dimension} dimensions. Choose another index.`,
      );
    const { properties } = buildExportMappings(this.target.similarity, dimension);
    const body = { properties: { embedding: properties['embedding'] } };
    await this.call({ method: 'PUT', path: `${this.path}/_mapping`, body }, signal);
  }
}

/** Credentials without write access end the run. */
function refuse(error: unknown): never {
  const { status } = findEngineError(error) ?? {};
  if (error instanceof AppError && (status === 401 || status === 403))
    throw new AppError('EXPORT_NOT_ALLOWED', error.message, {}, error.cause);
  throw error;
}
