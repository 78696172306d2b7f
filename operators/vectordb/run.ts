import { getDocumentId, type Row } from '../../model/flow/row';
import type { OperatorContext, OperatorResult } from '../operator';
import { findEmbeddingBefore } from './embedding';
import { listFeatures } from './features';
import { detectLanguages } from './language';
import { findSearchTarget, buildVectorIndex } from './provider-config';
import { toRecord } from './record';
import { findFailures } from './rejected';
import { defaultColumn, type VectordbConfig } from './schema';
import { checkDimensions, readVector } from './vectors';
import { buildIndexWriter } from './writer';

type Context = OperatorContext<'search'>;

/**
 * Writes the rows under their ids. Returns the rows unchanged, except those of documents with a rejected record. Old records of a
 * changed document are deleted when its part is settled: only then is it known which documents had entries before, and a
 * search during the writes would make the index build its graphs repeatedly.
 */
export async function run(rows: readonly Row[], config: VectordbConfig, context: Context): Promise<OperatorResult> {
  const { search } = context.services;
  const target = findSearchTarget(config);
  const column = config.embeddings_column ?? defaultColumn;
  const vectors = rows.map((row) => readVector(row, column));
  const dimension = checkDimensions(rows, vectors, config.vector_dimension);
  const embedding =
    dimension === undefined ? undefined : findEmbeddingBefore(context.run.flow, context.operator, column);
  const features = listFeatures(config, context.declared?.() ?? new Map());
  await search.ensureIndex(
    {
      name: config.index_name,
      ...buildVectorIndex(config),
      ...(dimension === undefined ? {} : { vectorDimension: dimension }),
      ...(embedding ? { embedding } : {}),
      ...(config.alias === undefined ? {} : { alias: config.alias }),
      ...(config.synonyms ? { synonyms: config.synonyms } : {}),
      ...(features.length === 0
        ? {}
        : { fields: Object.fromEntries(features.map(({ field, type }) => [field, type])) }),
      writer: buildIndexWriter(context.run, config.writers),
    },
    target,
    context.signal,
  );
  const languages = detectLanguages(rows);
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
