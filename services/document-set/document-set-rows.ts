import { createHash } from 'node:crypto';
import type { Collection, Filter } from 'mongodb';
import type { Reader } from '../../model/access';
import { toStoredAccess } from '../../model/access-list';
import { AppError } from '../../model/errors';
import type { Row } from '../../model/flow/row';
import { iterateBatches } from '../../model/lists/batches';
import { guard, isDuplicate, createWhenReady } from '../storage/mongo';
import type { ObjectStore } from '../storage/object-store-port';
import { createReadableFilter } from '../storage/readable';
import type { Duckdb } from '../table/duckdb';
import { rewriteSegment } from './document-set-purge';
import { listAllColumns, type RowShape, type SetColumns, buildShape } from './set-columns';
import { groupBySegment, type Place, putSegment, readPlaces, readSegment, type Shown } from './set-files';
import type { StoredDocument, StoredRow, StoredShape } from './set-records';

/** Counts of a set. Size and pages are summed over documents, however many chunks each has. */
export interface SetTotals {
  documents: number;
  rows: number;
  size: number;
  pages: number;
}

/** The origin of rows, so that a later run of the same job finds the rows of earlier runs. */
export interface RowOrigin {
  jobId: string;
  runId: string;
  operator: string;
  /** ISO 8601. Rows of later runs are sorted after those of earlier runs. */
  startedAt: string;
}

/** A page of rows; with `documentId`, of the rows of this document. */
export interface RowPageQuery {
  columns: readonly string[];
  limit: number;
  offset: number;
  documentId?: string;
}

/** Rows of documents of a job, except those of `keepRunId`. */
interface RowScope {
  jobId: string;
  documentIds: readonly string[];
  keepRunId?: string;
}

/** Maximum rows or ids in one database call. */
const pageSize = 1_000;
/** Rows per page of an export. */
const exportPageSize = 500;
/** Index entries that an export reads per query, because each query sorts. */
const placesPageSize = 20_000;

/**
 * Stores rows in immutable Parquet files with an index in MongoDB. A row that is written again moves to the new file. A file
 * without rows is deleted.
 */
export class DocumentSetRows {
  private readonly whenReady;
  private readonly files;

  constructor(
    private readonly deps: {
      rows: Collection<StoredRow>;
      documents: Collection<StoredDocument>;
      shapes: Collection<StoredShape>;
      store: ObjectStore;
      duckdb: Duckdb;
    },
  ) {
    this.whenReady = createWhenReady(async () => {
      await deps.rows.createIndex({ set_id: 1, allowed_users: 1, place: 1 });
      await deps.rows.createIndex({ set_id: 1, allowed_principals: 1, place: 1 });
      await deps.rows.createIndex({ set_id: 1, segment: 1 });
      await deps.rows.createIndex({ set_id: 1, document_id: 1 });
      await deps.rows.createIndex({ document_id: 1, set_id: 1 });
      await deps.documents.createIndex({ set_id: 1 });
    });
    this.files = { store: deps.store, duckdb: deps.duckdb };
  }

  /** As `remove`, and also rewrites the files that still contain text of the documents. */
  async purge(setId: string, scope: RowScope) {
    const keys = scope.documentIds.map((id) => `${setId}/${id}`);
    const storedDocuments: StoredDocument[] = [];
    for (const batch of iterateBatches(keys, pageSize))
      storedDocuments.push(...(await this.deps.documents.find({ _id: { $in: batch } }).toArray()));
    if (storedDocuments.length === 0) return 0;
    const removed = await this.remove(setId, scope);
    const segments = [...new Set(storedDocuments.flatMap((document) => document.segments))];
    const places = { rows: this.deps.rows, documents: this.deps.documents, files: this.files };
    for (const segment of segments)
      if (await this.deps.store.exists(segment)) await rewriteSegment(places, { setId, segment }, scope.documentIds);
    return removed;
  }

  /** Writes rows under their ids. A row with an existing id replaces it. */
  async write(setId: string, origin: RowOrigin, rows: readonly Row[]) {
    await this.whenReady();
    const unique = [...new Map(rows.map((row) => [row.id, row])).values()];
    const name = buildSegmentName(origin, unique);
    const segment = `sets/${setId}/${name}.parquet`;
    await putSegment(this.files, segment, unique);
    const entries = unique.map((row, position) => buildEntry(row, { setId, segment, origin, name, position }));
    await noteSegment(this.deps.documents, setId, segment, entries);
    await noteShapes(this.deps.shapes, setId, unique.map(buildShape));
    const before: string[] = [];
    for (const page of iterateBatches(entries, pageSize)) {
      const earlier = await this.deps.rows
        .find({ _id: { $in: page.map(({ _id }) => _id) } }, { projection: { segment: 1 } })
        .toArray();
      before.push(...earlier.map((entry) => entry.segment));
      await replaceAll(this.deps.rows, page);
    }
    // An earlier attempt of the same write may have been treated as replaced during this write, which deletes their common
    // file.
    if (!(await this.deps.store.exists(segment))) await putSegment(this.files, segment, unique);
    await this.dropUnused(
      setId,
      before.filter((earlier) => earlier !== segment),
    );
  }

  async removeAll(setId: string, keepFiles: boolean) {
    await this.deps.rows.deleteMany({ set_id: setId });
    await this.deps.documents.deleteMany({ set_id: setId });
    await this.deps.shapes.deleteMany({ set_id: setId });
    if (!keepFiles) await this.deps.store.removePrefix(`sets/${setId}/`);
  }

  /** Totals and columns of the rows that the user may read. */
  async view(user: Reader, setId: string): Promise<SetColumns & { totals: SetTotals }> {
    await this.whenReady();
    await this.addShapes(user, setId);
    const readable = { $match: createRowFilter(user, { set_id: setId }) };
    const [totals] = await this.deps.rows.aggregate<SetTotals>([readable, ...countDocuments]).toArray();
    const { documents: count = 0, rows: rowCount = 0, size = 0, pages = 0 } = totals ?? {};
    const keys = await this.deps.rows.aggregate<{ _id: string }>([readable, { $group: { _id: '$shape' } }]).toArray();
    const records = await this.deps.shapes.find({ _id: { $in: keys.map(({ _id }) => `${setId}/${_id}`) } }).toArray();
    return { ...listAllColumns(records), totals: { documents: count, rows: rowCount, size, pages } };
  }

  async setsWith(user: Reader, documentId: string, limit: number): Promise<string[]> {
    await this.whenReady();
    const newest = await this.deps.rows
      .aggregate<{ _id: string }>([
        { $match: createRowFilter(user, { document_id: documentId }) },
        { $group: { _id: '$set_id' } },
        { $sort: { _id: 1 } },
        { $limit: limit },
      ])
      .toArray();
    return newest.map(({ _id }) => _id);
  }

  async page(user: Reader, setId: string, query: RowPageQuery) {
    await this.whenReady();
    const { documentId } = query;
    const filter = createRowFilter(user, {
      set_id: setId,
      ...(documentId === undefined ? {} : { document_id: documentId }),
    });
    const totalRows = await this.deps.rows.countDocuments(filter);
    const places = await this.findPlaces(filter, query.limit, query.offset);
    return { rows: await this.readRows(user, setId, places, query.columns), totalRows };
  }

  /** Documents whose rows the user may all read. */
  async findReadableDocuments(user: Reader, setId: string, documentIds: readonly string[]): Promise<Set<string>> {
    await this.whenReady();
    const readableIds = new Set<string>();
    for (const ids of iterateBatches(documentIds, pageSize)) {
      const filter: Filter<StoredRow> = { set_id: setId, document_id: { $in: ids } };
      const projection = { document_id: 1 };
      const readable = await this.deps.rows.find(createRowFilter(user, filter), { projection }).toArray();
      const rows = new Set(readable.map(({ _id }) => _id));
      const closed = new Set<string>();
      for await (const { _id, document_id } of this.deps.rows.find(filter, { projection }))
        if (!rows.has(_id)) closed.add(document_id);
      for (const { document_id } of readable) if (!closed.has(document_id)) readableIds.add(document_id);
    }
    return readableIds;
  }

  /** All rows that the user may read, page by page. May include rows that are written during the read. */
  async *readAll(user: Reader, setId: string, columns: readonly string[]): AsyncGenerator<Shown[]> {
    await guard(this.whenReady);
    for (let after = ''; ;) {
      const filter = createRowFilter(user, { set_id: setId, place: { $gt: after } });
      const places = await guard(() => this.findPlaces(filter, placesPageSize, 0));
      const last = places.at(-1);
      if (!last) return;
      after = last.place;
      for (const page of iterateBatches(places, exportPageSize)) {
        yield await guard(() => this.readRows(user, setId, page, columns));
      }
    }
  }

  /** Deletes files without rows. */
  private async dropUnused(setId: string, segments: Iterable<string>) {
    for (const segment of new Set(segments))
      if (!(await this.deps.rows.findOne({ set_id: setId, segment }, { projection: { _id: 1 } })))
        await this.deps.store.removePrefix(segment);
  }

  private findPlaces(filter: Filter<StoredRow>, limit: number, offset: number) {
    return this.deps.rows
      .find(filter, { projection: { row_id: 1, segment: 1, place: 1 } })
      .sort({ place: 1 })
      .skip(offset)
      .limit(limit)
      .toArray();
  }

  private async readRows(user: Reader, setId: string, places: readonly Place[], columns: readonly string[]) {
    let wantedPlaces = places;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await readPlaces(this.files, wantedPlaces, columns);
      } catch (error) {
        // The file was replaced after the places were read; the index now names the new file.
        if (!(error instanceof AppError) || error.code !== 'TABLE_NOT_FOUND' || attempt >= 3) throw error;
      }
      const ids = places.map(({ row_id }) => `${setId}/${row_id}`);
      wantedPlaces = await this.findPlaces(createRowFilter(user, { _id: { $in: ids } }), ids.length, 0);
    }
  }

  /** Index entries of earlier versions have no shape; it is read from the files. */
  private async addShapes(user: Reader, setId: string) {
    const filter = createRowFilter(user, { set_id: setId, shape: { $exists: false } });
    for (;;) {
      const entries = await this.deps.rows
        .find(filter, { projection: { row_id: 1, segment: 1 } })
        .limit(exportPageSize)
        .toArray();
      if (entries.length === 0) return;
      const shapes = new Map<string, RowShape>();
      for (const [segment, ids] of groupBySegment(entries))
        for (const row of await readSegment(this.files, segment, ids)) shapes.set(row.id, buildShape(row));
      await noteShapes(this.deps.shapes, setId, [...shapes.values()]);
      await this.deps.rows.bulkWrite(
        entries.map(({ _id, row_id }) => ({
          updateOne: { filter: { _id }, update: { $set: { shape: shapes.get(row_id)?.key ?? '' } } },
        })),
        { ordered: false },
      );
    }
  }

  /** Removes the rows of these documents of a job, except those of `keepRunId`; returns their number. */
  async remove(setId: string, scope: RowScope) {
    await this.whenReady();
    let removed = 0;
    for (const documentIds of iterateBatches(scope.documentIds, pageSize)) {
      const keys = { _id: { $in: documentIds.map((id) => `${setId}/${id}`) } };
      const storedDocuments = await this.deps.documents.find(keys).toArray();
      const segments = [...new Set(storedDocuments.flatMap((document) => document.segments))];
      const { deletedCount } = await this.deps.rows.deleteMany({
        set_id: setId,
        document_id: { $in: documentIds },
        job_id: scope.jobId,
        ...(scope.keepRunId === undefined ? {} : { run_id: { $ne: scope.keepRunId } }),
      });
      removed += deletedCount;
      await this.dropUnused(setId, segments);
      const gone: string[] = [];
      for (const segment of segments) if (!(await this.deps.store.exists(segment))) gone.push(segment);
      if (gone.length > 0) await this.deps.documents.updateMany(keys, { $pullAll: { segments: gone } });
    }
    return removed;
  }
}

/** The rows that the user may read. */
function createRowFilter(user: Reader, filter: Filter<StoredRow>): Filter<StoredRow> {
  return { $and: [filter, createReadableFilter<StoredRow>(user)] };
}

/** Sums size and pages over documents, however many rows each has. */
const countDocuments = [
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
];

/** The same rows of the same operator and run get the same file name, so a repeated attempt overwrites its file. */
function buildSegmentName({ runId, operator }: RowOrigin, rows: readonly Row[]): string {
  const hash = createHash('sha256').update(JSON.stringify([runId, operator, rows.map(({ id }) => id)]));
  return hash.digest('hex').slice(0, 32);
}

function buildEntry(
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
    ...toStoredAccess({ ...row, allowed_users: [...new Set(row.allowed_users)] }),
    size: row.size ?? 0,
    pages: row.pages_processed ?? 0,
    shape: buildShape(row).key,
  };
}

async function noteShapes(
  shapes: Collection<StoredShape>,
  setId: string,
  rowShapes: readonly RowShape[],
): Promise<void> {
  const unique = [...new Map(rowShapes.map((shape) => [shape.key, shape])).values()];
  const write = () =>
    shapes.bulkWrite(
      unique.map(({ key, columns, vectors }) => {
        const _id = `${setId}/${key}`;
        return { replaceOne: { filter: { _id }, replacement: { _id, set_id: setId, columns, vectors }, upsert: true } };
      }),
      { ordered: false },
    );
  if (unique.length > 0) await retryDuplicate(write);
}

async function noteSegment(
  documents: Collection<StoredDocument>,
  setId: string,
  segment: string,
  entries: readonly Pick<StoredRow, 'document_id'>[],
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
  await retryDuplicate(write);
}

async function replaceAll(rows: Collection<StoredRow>, entries: readonly StoredRow[]): Promise<void> {
  const write = () =>
    rows.bulkWrite(
      entries.map((entry) => ({ replaceOne: { filter: { _id: entry._id }, replacement: entry, upsert: true } })),
      { ordered: false },
    );
  await retryDuplicate(write);
}

/** Repeats a write once: when two batches insert the same record at the same moment, the second attempt finds it. */
async function retryDuplicate(write: () => Promise<unknown>): Promise<void> {
  await write().catch((error: unknown) => {
    if (!isDuplicate(error)) throw error;
    return write();
  });
}
