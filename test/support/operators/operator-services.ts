import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createDocument } from '../../../document/builder';
import { documentToJson } from '../../../document/json/write';
import type { Row } from '../../../model/flow/row';
import type { OperatorServices } from '../../../operators/operator';
import { embedByHashing } from '../../../services/embedding/hashing';
import { createTokenizers } from '../../../services/embedding/tokenizers';
import { listDocumentClasses } from '../../../services/operator/document-classes';
import type { IndexRecord } from '../../../services/search/ports';
import type { SourceEntry } from '../../../services/source/sources';
import { createSqlRunner } from '../../../services/table/sql';
import { packageRoot } from './package-root';

/** Services for operators in benchmarks and tests: real unless they need a server, else in memory. `close` stops them. */
export interface FakeServices {
  services: OperatorServices;
  /** Indexed records, by index and record id. */
  indexed: Map<string, Map<string, IndexRecord>>;
  /** Rows written into document sets, by row id. */
  stored: Map<string, unknown>;
  /** Exported files, by name. */
  exported: Map<string, unknown>;
  close(): Promise<void>;
}

/** Each call creates its own services. A missing service fails with its name. */
export function fakeServices(): FakeServices {
  const sql = createSqlRunner();
  const indexed = new Map<string, Map<string, IndexRecord>>();
  const stored = new Map<string, unknown>();
  const exported = new Map<string, unknown>();
  const files = new Map<string, Uint8Array>();
  const getIndex = (name: string) => indexed.get(name) ?? indexed.set(name, new Map()).get(name)!;
  const services = {
    sql,
    tokenizers: createTokenizers({ modelsFolder: undefined }),
    embedder: {
      embed: async (
        texts: readonly string[],
        config: Record<string, unknown>,
        signal: AbortSignal,
        callbacks?: { progress?: (done: number) => void },
      ) => embedByHashing(texts, Number(config['dimension'] ?? 64), signal, callbacks?.progress),
    },
    llm: {
      // The first allowed value is always valid.
      chat: async (
        { schema }: { schema?: { schema: Record<string, unknown> } },
        _settings: unknown,
        signal: AbortSignal,
      ) => {
        signal.throwIfAborted();
        const value = schema ? firstValue(schema.schema) : undefined;
        return { text: schema ? JSON.stringify(value) : 'an answer', isTruncated: false, value };
      },
      embed: async (
        texts: readonly string[],
        _settings: unknown,
        options: { signal: AbortSignal; onBatch: (from: number, vectors: number[][]) => Promise<void> | void },
      ) => options.onBatch(0, await embedByHashing(texts, 64, options.signal)),
    },
    documentClasses: { list: listDocumentClasses },
    converter: {
      convert: async ({ bytes, name, signal }: { bytes: Uint8Array; name: string; signal: AbortSignal }) => {
        signal.throwIfAborted();
        const markdown = Buffer.from(bytes).toString('utf8');
        return {
          markdown,
          text: markdown,
          documentJson: getDocument(name, markdown),
          title: name,
          pages: 1,
          format: 'text',
        };
      },
      close: async () => undefined,
    },
    exportedFiles: { find: async () => new Map() },
    sources: {
      // Each path is a document.
      list: async function* (_provider: string, config: { paths?: string[] }, signal: AbortSignal) {
        for (const path of config.paths ?? []) {
          signal.throwIfAborted();
          yield getEntry(path);
        }
      },
      hash: async (_provider: string, { path }: { path: string }, _config: unknown, signal: AbortSignal) => {
        signal.throwIfAborted();
        return `hash of ${path}`;
      },
      read: async (_provider: string, path: string, _config: unknown, signal: AbortSignal) => {
        signal.throwIfAborted();
        return Buffer.from(`The text of ${path}.`);
      },
    },
    ledger: {
      lookup: async () => new Map(),
      markSeen: async () => undefined,
      listGone: async () => [],
      listMembers: async () => new Map(),
      listRemoved: async () => new Set(),
    },
    files: {
      put: async (key: string, bytes: Uint8Array) => void files.set(key, bytes),
      get: async (key: string) => files.get(key) ?? Promise.reject(new Error(`no file ${key}`)),
      exists: async (key: string) => files.has(key),
      list: async function* (prefix: string) {
        yield* [...files.keys()].filter((key) => key.startsWith(prefix));
      },
      removePrefix: async (prefix: string) => {
        for (const key of [...files.keys()]) if (key.startsWith(prefix)) files.delete(key);
      },
    },
    originals: { copy: () => undefined },
    members: { find: async () => ({ isContainer: false, members: [] }) },
    search: {
      findIndexUuids: async () => ({}),
      ensureIndex: async ({ name }: { name: string }, _target: unknown, signal: AbortSignal) => {
        signal.throwIfAborted();
        getIndex(name);
        return `uuid-${name}`;
      },
      bulkIndex: async (name: string, records: readonly IndexRecord[], _target: unknown, signal: AbortSignal) => {
        signal.throwIfAborted();
        for (const record of records) getIndex(name).set(record.id, record);
        return [];
      },
    },
    exports: {
      open: async () => ({
        key: 'memory',
        write: async ({ name, content }: { name: string; content: unknown }) => {
          exported.set(name, content);
          return name;
        },
        remove: async () => 0,
        close: () => undefined,
      }),
      listPlaceKeys: async () => [],
    },
    documentSets: {
      find: async () => ({ id: 'set' }),
      getOrCreate: async () => ({ set: { id: 'set' } }),
      write: async (_set: string, _origin: unknown, rows: readonly { id: string }[]) => {
        for (const row of rows) stored.set(row.id, row);
        return true;
      },
      removeRows: async () => undefined,
    },
  };
  return { services: services as unknown as OperatorServices, indexed, stored, exported, close: () => sql.close() };
}

/** One paragraph with the text. */
function getDocument(name: string, text: string): string {
  const builder = createDocument(name);
  builder.text('text', text);
  return documentToJson(builder.document);
}

function getEntry(path: string): SourceEntry {
  const [source, time] = ['file:/documents', '2025-01-01T00:00:00.000Z'];
  const known = { source, relativePath: path, path: `/documents/${path}`, name: path, mimetype: 'text/plain' };
  return { ...known, size: 60, modifiedTime: time, allowedUsers: ['alice', 'bob'], metadata: { extension: 'txt' } };
}

/** A value that fits a JSON Schema of the kinds that operators ask models for. */
function firstValue(schema: Record<string, unknown>): unknown {
  const { enum: values, const: constant, anyOf, type, properties, items } = schema;
  if (constant !== undefined) return constant;
  if (Array.isArray(values)) return values[0];
  if (Array.isArray(anyOf)) return firstValue(anyOf[0] as Record<string, unknown>);
  const kind: unknown = Array.isArray(type) ? type[0] : type;
  if (kind === 'object')
    return Object.fromEntries(
      Object.entries((properties ?? {}) as Record<string, Record<string, unknown>>).map(([name, member]) => [
        name,
        firstValue(member),
      ]),
    );
  if (kind === 'array') return items ? [firstValue(items as Record<string, unknown>)] : [];
  if (kind === 'integer' || kind === 'number') return 1;
  if (kind === 'boolean') return true;
  return kind === 'null' ? null : 'text';
}

/** Configurations that accept any row, for operators whose README example does not. */
export const anyRowConfigs: Readonly<Record<string, Record<string, unknown>>> = {
  branching: { branches: { named: { criteria_list: ["name <> ''"] }, all: {} } },
  embeddings: { type: 'hashing' },
  sql_filter: { criteria_list: ['id IS NOT NULL'] },
  // Documents without tables are skipped otherwise.
  table_rows: { output: 'column' },
};

/** Columns that an operator needs in addition to those of a document. */
export const furtherColumns: Readonly<Record<string, Partial<Row>>> = {
  entity_curation: { entities: { total: '$1,234.50' }, document_type: 'invoice' },
};

/** The configuration in the first JSON block of the README: an entry of a flow, or its `config`. */
export function getExample(name: string): Record<string, unknown> {
  const text = readFileSync(path.join(packageRoot, 'operators', name, 'README.md'), 'utf8');
  const block = JSON.parse(/```json\n([\s\S]*?)```/.exec(text)?.[1] ?? 'null') as Record<string, unknown>;
  return 'type' in block && 'name' in block ? ((block['config'] ?? {}) as Record<string, unknown>) : block;
}
