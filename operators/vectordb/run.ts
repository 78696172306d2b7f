import { AppError } from '../../model/errors';
import { getDocumentId, type Row, type RowFailure } from '../../model/flow/row';
import type { OperatorContext, OperatorResult } from '../operator';
import { findEmbeddingBefore } from './embedding';
import { getFeatures } from './features';
import { getLanguages } from './language';
import { getSearchTarget, getVectorIndex } from './provider-config';
import { toRecord } from './record';
import { defaultColumn, type VectordbConfig } from './schema';
import { getIndexWriter } from './writer';

type Context = OperatorContext<'search'>;

/**
 * Writes the rows under their ids. Returns the rows unchanged, except those of documents with a rejected record. Old records of a
 * changed document are deleted when its part is settled: only then is it known which documents had entries before, and a
 * search during the writes would make the index build its graphs repeatedly.
 */
export async function run(rows: readonly Row[], config: VectordbConfig, context: Context): Promise<OperatorResult> {
  const { search } = context.services;
  const target = getSearchTarget(config);
  const column = config.embeddings_column ?? defaultColumn;
  const vectors = rows.map((row) => getVector(row, column));
  const dimension = getDimension(rows, vectors, config.vector_dimension);
  const embedding =
    dimension === undefined ? undefined : findEmbeddingBefore(context.run.flow, context.operator, column);
  const features = getFeatures(config, context.declared?.() ?? new Map());
  await search.ensureIndex(
    {
      name: config.index_name,
      ...getVectorIndex(config),
      ...(dimension === undefined ? {} : { vectorDimension: dimension }),
      ...(embedding ? { embedding } : {}),
      ...(config.alias === undefined ? {} : { alias: config.alias }),
      ...(config.synonyms ? { synonyms: config.synonyms } : {}),
      ...(features.length === 0
        ? {}
        : { fields: Object.fromEntries(features.map(({ field, type }) => [field, type])) }),
      writer: getIndexWriter(context.run, config.writers),
    },
    target,
    context.signal,
  );
  const languages = getLanguages(rows);
  const records = rows.map((row, index) =>
    toRecord(row, vectors[index], { run: context.run, language: languages.get(row.id), features }),
  );
  const refused = new Map<string, string>();
  const size = config.batch_size ?? 500;
  for (let from = 0; from < records.length; from += size) {
    for (const { id, reason } of await search.bulkIndex(
      config.index_name,
      records.slice(from, from + size),
      target,
      context.signal,
    ))
      refused.set(id, reason);
    context.progress(Math.min(from + size, records.length), records.length);
  }
  const failures = findFailures(rows, refused);
  return {
    rows: rows.filter((row) => !failures.has(getDocumentId(row))),
    failed: [...failures.values()],
    metrics: {
      total_chunks_to_index: rows.length,
      chunks_indexed_successfully: rows.length - refused.size,
      chunks_failed_to_index: refused.size,
    },
  };
}

function getVector(row: Row, column: string): number[] | undefined {
  const value = row[column];
  if (value === undefined || value === null) return undefined;
  const isVector =
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((value) => typeof value === 'number' && Number.isFinite(value));
  if (isVector) return value as number[];
  throw new AppError(
    'OPERATOR_EXECUTION_FAILED',
    `The column '${column}' of '${row.name}' holds no vector of numbers but a value of the type ${Array.isArray(value) ? 'list' : typeof value}.`,
  );
}

/** The configured dimension, else that of the first vector. Every vector must match it. */
function getDimension(
  rows: readonly Row[],
  vectors: readonly (number[] | undefined)[],
  configured: number | undefined,
): number | undefined {
  const expected = configured ?? vectors.find((vector) => vector !== undefined)?.length;
  const wrong = vectors.findIndex((vector) => vector !== undefined && vector.length !== expected);
  if (wrong === -1) return expected;
  const origin = configured === undefined ? 'the first vector of the batch has' : 'vector_dimension is';
  throw new AppError(
    'EMBEDDING_DIMENSION_MISMATCH',
    `The vector of '${rows[wrong]?.name}' has ${vectors[wrong]?.length} dimensions; ${origin} ${expected}.`,
  );
}

/** One failure per document, with the first reason and the number of rejected records. */
function findFailures(rows: readonly Row[], refused: ReadonlyMap<string, string>): Map<string, RowFailure> {
  const failures = new Map<string, RowFailure>();
  for (const row of rows) {
    const reason = refused.get(row.id);
    const id = getDocumentId(row);
    if (reason === undefined || failures.has(id)) continue;
    const count = rows.filter((other) => getDocumentId(other) === id && refused.has(other.id)).length;
    failures.set(id, {
      id,
      name: row.name,
      code: 'SEARCH_INDEX_ERROR',
      message: `The index refused ${count} record${count === 1 ? '' : 's'} of the document: ${reason}`,
    });
  }
  return failures;
}
