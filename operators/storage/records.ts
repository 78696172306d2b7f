import { getDocumentId, type Row } from '../../model/flow/row';
import { defaultColumn } from '../embeddings/schema';
import type { OperatorContext, OperatorResult } from '../operator';
import { listFeatures } from '../vectordb/features';
import { detectLanguages } from '../vectordb/language';
import { toRecord } from '../vectordb/record';
import { findFailures } from '../vectordb/rejected';
import { checkDimensions, readVector } from '../vectordb/vectors';
import { buildIndexWriter } from '../vectordb/writer';
import { getElasticsearchTarget } from './elasticsearch';
import type { StorageConfig } from './schema';

/** Records per request; a request is never larger than 5 MB. */
const batchSize = 500;

/** What an export to an index did. */
export type RecordOutcome = Required<Pick<OperatorResult, 'failed'>> & { records: number };

/**
 * Writes one record per row, in the form that `vectordb` writes. A document with a rejected record fails. Records of changed and
 * removed documents are deleted when the part and the run are settled.
 */
export async function exportRecords(
  rows: readonly Row[],
  config: StorageConfig,
  context: OperatorContext<'exports'>,
): Promise<RecordOutcome> {
  if (rows.length === 0) return { failed: [], records: 0 };
  const { run, operator, signal, services } = context;
  const column = config.embeddings_column ?? defaultColumn;
  const vectors = rows.map((row) => readVector(row, column));
  const dimension = checkDimensions(rows, vectors, undefined);
  const features = listFeatures({}, context.declared?.() ?? new Map());
  const languages = detectLanguages(rows);
  const records = rows.map((row, index) =>
    toRecord(row, vectors[index], { run, language: languages.get(row.id), features }),
  );
  const index = await services.exports.openIndex(getElasticsearchTarget(config));
  const refused = new Map<string, string>();
  try {
    const writer = buildIndexWriter(run, config.writers);
    await index.ensure(writer, dimension === undefined ? undefined : { dimension }, signal);
    for (let from = 0; from < records.length; from += batchSize) {
      const batch = records.slice(from, from + batchSize);
      for (const { id, reason } of await index.write(batch, { ...run, operator }, signal)) refused.set(id, reason);
      context.progress(Math.min(from + batchSize, records.length), records.length);
    }
  } finally {
    index.close();
  }
  const failures = findFailures(rows, refused);
  const failed = [...failures.values()];
  return { failed, records: rows.filter((row) => !failures.has(getDocumentId(row))).length };
}
