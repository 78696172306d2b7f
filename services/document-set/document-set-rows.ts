import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import path from 'node:path';
import type { Collection, Filter } from 'mongodb';
import type { User } from '../../model/access';
import { hiddenColumns, isVector } from '../../model/document-set/document-set';
import { AppError } from '../../model/errors';
import type { Row } from '../../model/flow/row';
import { type Duckdb, toRows, writeLines } from '../table/duckdb';
import { guard, isDuplicate, onceReady } from '../storage/mongo';
import type { ObjectStore } from '../storage/object-store';
import { extraColumn, quoteName, quoteText, standardKinds } from '../table/row-columns';
import { withTemporaryFolder } from '../storage/temporary-folder';

/** The entry of a row: which file holds it, and what the server must know of it without opening that file. */
export interface StoredRow {
  /** `<set id>/<row id>`, so that a row is there once. */
  _id: string;
  set_id: string;
  row_id: string;
  document_id: string;
  job_id: string;
  run_id: string;
  /** Key of the Parquet file. */
  segment: string;
  /** Sorts rows as they were stored. */
  place: string;
  allowed_users: string[];
  size: number;
  pages: number;
}

/** In which files rows of a document may be, so that they are found without an index that the embedded database lacks. */
export interface StoredDocument {
  /** `<set id>/<document id>`. */
  _id: string;
  set_id: string;
  segments: string[];
}

/** Counts of a set; size and pages are those of its documents, however many chunks each has. */
export interface SetTotals {
  documents: number;
  rows: number;
  size: number;
  pages: number;
}

/** Where rows come from, so that a later run of the same job finds what it wrote. */
export interface RowOrigin {
  jobId: string;
  runId: string;
  operator: string;
  /** ISO 8601; rows of later runs come after those of earlier ones. */
  startedAt: string;
}

/** Which columns of rows are wanted: those named, else all, and vectors only when asked for. */
export interface ColumnChoice {
  columns?: readonly string[];
  vectors?: boolean;
}

export type SetRows = ReturnType<typeof createDocumentSetRows>;
type Asker = Pick<User, 'username'>;
type Shown = Record<string, unknown>;
type Place = Pick<StoredRow, 'row_id' | 'segment' | 'place'>;

/** Rows or ids that one call to the database names. */
const pageSize = 1_000;
/** Rows of one page of an export. */
const exportPage = 500;
/** Places that an export asks for at once; each asking is a sort. */
const placesPage = 20_000;

/**
 * Rows as Parquet files that are never changed, with an index of them in MongoDB. A row that is written again moves to the
 * new file; a file that no row is in any more is removed.
 */
export function createDocumentSetRows({
  rows,
  documents,
  store,
  duckdb,
}: {
  rows: Collection<StoredRow>;
  documents: Collection<StoredDocument>;
  store: ObjectStore;
  duckdb: Duckdb;
}) {
  const ready = onceReady(async () => {
    await rows.createIndex({ set_id: 1, allowed_users: 1, place: 1 });
    await documents.createIndex({ set_id: 1 });
  });
  const files = { store, duckdb };
  /** Removes files that no row is in. By the ids in the file, since the embedded database has no index of segments. */
  const dropUnused = async (setId: string, segments: Iterable<string>) => {
    for (const segment of new Set(segments)) {
      const ids = await idsIn(files, segment);
      const entries = await rows
        .find({ _id: { $in: ids.map((id) => `${setId}/${id}`) } }, { projection: { segment: 1 } })
        .toArray();
      if (!entries.some((entry) => entry.segment === segment)) await store.removePrefix(segment);
    }
  };
  const placesOf = (filter: Filter<StoredRow>, limit: number, offset: number) =>
    rows
      .find(filter, { projection: { row_id: 1, segment: 1, place: 1 } })
      .sort({ place: 1 })
      .skip(offset)
      .limit(limit)
      .toArray();
  const readRows = async (user: Asker, setId: string, places: readonly Place[], columns: readonly string[]) => {
    let wanted = places;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await readPlaces(files, wanted, columns);
      } catch (error) {
        // A file that was replaced since the places were read: the index names the new one.
        if (!(error instanceof AppError) || error.code !== 'TABLE_NOT_FOUND' || attempt >= 3) throw error;
      }
      const ids = places.map(({ row_id }) => `${setId}/${row_id}`);
      wanted = await placesOf({ _id: { $in: ids }, allowed_users: user.username }, ids.length, 0);
    }
  };

  return {
    /** Writes rows under their ids and gives the names of their columns, and which of them are vectors. */
    async write(setId: string, origin: RowOrigin, given: readonly Row[]) {
      await ready();
      const unique = [...new Map(given.map((row) => [row.id, row])).values()];
      const name = segmentName(origin, unique);
      const segment = `sets/${setId}/${name}.parquet`;
      await putSegment(files, segment, unique);
      const entries = unique.map((row, position) => entryOf(row, { setId, segment, origin, name, position }));
      await noteSegment(documents, setId, segment, entries);
      const before: string[] = [];
      for (let from = 0; from < entries.length; from += pageSize) {
        const page = entries.slice(from, from + pageSize);
        const earlier = await rows
          .find({ _id: { $in: page.map(({ _id }) => _id) } }, { projection: { segment: 1 } })
          .toArray();
        before.push(...earlier.map((entry) => entry.segment));
        await replaceAll(rows, page);
      }
      // An earlier attempt of the same write may have been taken for replaced while this one wrote.
      if (!(await store.exists(segment))) await putSegment(files, segment, unique);
      await dropUnused(
        setId,
        before.filter((earlier) => earlier !== segment),
      );
      return columnsIn(unique);
    },
    /** Removes the rows of these documents of a job, except those of `keepRunId`; gives how many. */
    async remove(setId: string, scope: { jobId: string; documentIds: readonly string[]; keepRunId?: string }) {
      let removed = 0;
      for (let from = 0; from < scope.documentIds.length; from += pageSize) {
        const documentIds = scope.documentIds.slice(from, from + pageSize);
        const keys = { _id: { $in: documentIds.map((id) => `${setId}/${id}`) } };
        const known = await documents.find(keys).toArray();
        const segments = [...new Set(known.flatMap((document) => document.segments))];
        for (const segment of segments) {
          const ids = await idsIn(files, segment, new Set(documentIds));
          // Conditions beside the ids would make the embedded database look at every row.
          const entries = await rows.find({ _id: { $in: ids.map((id) => `${setId}/${id}`) } }).toArray();
          const old = entries.filter(
            (entry) => entry.job_id === scope.jobId && entry.segment === segment && entry.run_id !== scope.keepRunId,
          );
          if (old.length > 0)
            removed += (await rows.deleteMany({ _id: { $in: old.map(({ _id }) => _id) } })).deletedCount;
        }
        await dropUnused(setId, segments);
        const gone: string[] = [];
        for (const segment of segments) if (!(await store.exists(segment))) gone.push(segment);
        if (gone.length > 0) await documents.updateMany(keys, { $pullAll: { segments: gone } });
      }
      return removed;
    },
    async removeAll(setId: string, keepFiles: boolean) {
      await rows.deleteMany({ set_id: setId });
      await documents.deleteMany({ set_id: setId });
      if (!keepFiles) await store.removePrefix(`sets/${setId}/`);
    },
    async totals(setId: string): Promise<SetTotals> {
      const [totals] = await rows
        .aggregate<SetTotals>([
          { $match: { set_id: setId } },
          { $group: { _id: '$document_id', rows: { $sum: 1 }, size: { $max: '$size' }, pages: { $max: '$pages' } } },
          {
            $group: {
              _id: null,
              documents: { $sum: 1 },
              rows: { $sum: '$rows' },
              size: { $sum: '$size' },
              pages: { $sum: '$pages' },
            },
          },
        ])
        .toArray();
      const { documents = 0, rows: count = 0, size = 0, pages = 0 } = totals ?? {};
      return { documents, rows: count, size, pages };
    },
    /** The columns that `choice` means of those a set has. */
    choose,
    async page(user: Asker, setId: string, query: { columns: readonly string[]; limit: number; offset: number }) {
      await ready();
      const filter: Filter<StoredRow> = { set_id: setId, allowed_users: user.username };
      const totalRows = await rows.countDocuments(filter);
      const places = await placesOf(filter, query.limit, query.offset);
      return { rows: await readRows(user, setId, places, query.columns), totalRows };
    },
    /** Every row that the user may read, page by page; rows that are written meanwhile may be among them. */
    async *readAll(user: Asker, setId: string, columns: readonly string[]): AsyncGenerator<Shown[]> {
      await guard(ready);
      for (let after = ''; ;) {
        const filter: Filter<StoredRow> = { set_id: setId, allowed_users: user.username, place: { $gt: after } };
        const places = await guard(() => placesOf(filter, placesPage, 0));
        const last = places.at(-1);
        if (!last) return;
        after = last.place;
        for (let from = 0; from < places.length; from += exportPage) {
          const page = places.slice(from, from + exportPage);
          yield await guard(() => readRows(user, setId, page, columns));
        }
      }
    },
  };
}

interface Files {
  store: ObjectStore;
  duckdb: Duckdb;
}

/** The same rows of the same operator and run have the same file, so that a repeated attempt writes it again. */
function segmentName({ runId, operator }: RowOrigin, rows: readonly Row[]): string {
  const hash = createHash('sha256').update(JSON.stringify([runId, operator, rows.map(({ id }) => id)]));
  return hash.digest('hex').slice(0, 32);
}

function entryOf(
  row: Row,
  at: { setId: string; segment: string; origin: RowOrigin; name: string; position: number },
): StoredRow {
  return {
    _id: `${at.setId}/${row.id}`,
    set_id: at.setId,
    row_id: row.id,
    document_id: row.document_id ?? row.id,
    job_id: at.origin.jobId,
    run_id: at.origin.runId,
    segment: at.segment,
    place: `${at.origin.startedAt}/${at.name}/${String(at.position).padStart(8, '0')}`,
    allowed_users: [...new Set(row.allowed_users)],
    size: row.size ?? 0,
    pages: row.pages_processed ?? 0,
  };
}

async function noteSegment(
  documents: Collection<StoredDocument>,
  setId: string,
  segment: string,
  entries: readonly StoredRow[],
): Promise<void> {
  const ids = [...new Set(entries.map(({ document_id }) => document_id))];
  const write = () =>
    documents.bulkWrite(
      ids.map((id) => ({
        updateOne: {
          filter: { _id: `${setId}/${id}` },
          update: { $addToSet: { segments: segment }, $setOnInsert: { set_id: setId } },
          upsert: true,
        },
      })),
      { ordered: false },
    );
  await write().catch((error: unknown) => {
    if (!isDuplicate(error)) throw error;
    return write();
  });
}

async function replaceAll(rows: Collection<StoredRow>, entries: readonly StoredRow[]): Promise<void> {
  const write = () =>
    rows.bulkWrite(
      entries.map((entry) => ({ replaceOne: { filter: { _id: entry._id }, replacement: entry, upsert: true } })),
      { ordered: false },
    );
  await write().catch((error: unknown) => {
    // Two batches that insert one row at the same moment: the second time it is there.
    if (!isDuplicate(error)) throw error;
    return write();
  });
}

async function putSegment({ store, duckdb }: Files, key: string, rows: readonly Row[]): Promise<void> {
  await withTemporaryFolder(async (folder) => {
    const parquet = path.join(folder, 'rows.parquet');
    const { select } = await writeLines(path.join(folder, 'rows.ndjson'), rows);
    await duckdb.use((connection) =>
      connection.run(`COPY (${select}) TO ${quoteText(parquet)} (FORMAT parquet, COMPRESSION zstd)`),
    );
    await store.put(key, createReadStream(parquet));
  });
}

/** The rows at these places, in their order, with these columns. */
async function readPlaces(files: Files, places: readonly Place[], columns: readonly string[]): Promise<Shown[]> {
  const bySegment = new Map<string, string[]>();
  for (const { segment, row_id } of places) bySegment.set(segment, [...(bySegment.get(segment) ?? []), row_id]);
  const found = new Map<string, Row>();
  for (const [segment, ids] of bySegment) {
    for (const row of await readSegment(files, segment, ids, columns)) found.set(row.id, row);
  }
  return places.flatMap(({ row_id }) => {
    const row = found.get(row_id);
    return row ? [shown(row, columns)] : [];
  });
}

function readSegment({ store, duckdb }: Files, key: string, ids: readonly string[], columns: readonly string[]) {
  return store.withFile(key, (file) =>
    duckdb.use(async (connection) => {
      const source = `read_parquet(${quoteText(file)})`;
      const described = await connection.runAndReadAll(`DESCRIBE SELECT * FROM ${source}`);
      const there = described.getRows().map(([name]) => String(name));
      const wanted = there.filter((name) => name === 'id' || name === extraColumn || columns.includes(name));
      const reader = await connection.runAndReadAll(
        `SELECT ${wanted.map(quoteName).join(', ')} FROM ${source} WHERE id IN (${ids.map(quoteText).join(', ')})`,
      );
      return toRows(reader, reader.getRows());
    }),
  );
}

/** The ids of the rows of a file, only those of `documents` when they are given; none when the file is gone. */
async function idsIn({ store, duckdb }: Files, key: string, documents?: ReadonlySet<string>): Promise<string[]> {
  if (!(await store.exists(key))) return [];
  return store.withFile(key, (file) =>
    duckdb.use(async (connection) => {
      const source = `read_parquet(${quoteText(file)})`;
      const described = await connection.runAndReadAll(`DESCRIBE SELECT * FROM ${source}`);
      const isChunked = described.getRows().some(([name]) => name === 'document_id');
      const document = isChunked ? 'coalesce(document_id, id)' : 'id';
      const reader = await connection.runAndReadAll(`SELECT id, ${document} FROM ${source}`);
      const found = reader.getRows().map(([id, owner]) => [String(id), String(owner)] as const);
      return found.flatMap(([id, owner]) => (!documents || documents.has(owner) ? [id] : []));
    }),
  );
}

function shown(row: Row, columns: readonly string[]): Shown {
  const entries = columns
    .filter((name) => row[name] !== undefined)
    .map((name) => [name, clean(name, row[name])] as const);
  return Object.fromEntries(entries);
}

/** Access lists that a source put into the metadata are nobody's business either. */
function clean(column: string, value: unknown): unknown {
  if (column !== 'metadata' || typeof value !== 'object' || value === null) return value;
  const { allowed_users: _own, ...rest } = value as Record<string, unknown>;
  return rest;
}

function columnsIn(rows: readonly Row[]): { columns: string[]; vectors: string[] } {
  const columns = new Set<string>();
  const vectors = new Set<string>();
  for (const row of rows) {
    for (const [name, value] of Object.entries(row)) {
      if (value === undefined || value === null) continue;
      columns.add(name);
      if (isVector(name, value)) vectors.add(name);
    }
  }
  return { columns: [...columns], vectors: [...vectors] };
}

function choose(columns: readonly string[], vectors: readonly string[], choice: ColumnChoice): string[] {
  const standard = Object.keys(standardKinds);
  const open = columns.filter((name) => !hiddenColumns.includes(name));
  const available = [
    ...standard.filter((name) => open.includes(name)),
    ...open.filter((name) => !standard.includes(name)).toSorted(),
  ];
  if (!choice.columns) return available.filter((name) => choice.vectors || !vectors.includes(name));
  const unknown = choice.columns.filter((name) => !available.includes(name));
  if (unknown.length > 0) {
    throw new AppError(
      'VALIDATION_ERROR',
      `The set has no column ${unknown.map((name) => `'${name}'`).join(', ')}; it has: ${available.join(', ') || 'none yet'}.`,
      { target: { type: 'parameter', name: 'columns' } },
    );
  }
  return [...new Set(choice.columns)];
}
