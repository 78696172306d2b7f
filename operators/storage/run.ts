import { countNouns } from '../../model/count-nouns';
import { AppError, asAppError, errorCatalogue } from '../../model/errors';
import { getDocumentId, type Row, type RowFailure } from '../../model/flow/row';
import type { ExportFile, OpenExport } from '../../services/export/exports';
import type { OperatorContext, OperatorResult } from '../operator';
import { mapConcurrently } from '../rows/parallel';
import { readSource } from '../rows/row-source';
import { mayReach } from './audience';
import { type DocumentFormat, documentFormats, type RowFormat, rowFormats } from './formats';
import { defaultTemplate, buildName } from './names';
import { createTextDocument, listColumnsToWrite, selectColumns, writeDocument } from './outputs';
import { exportRecords } from './records';
import { getFileTarget, type StorageConfig } from './schema';

type Context = OperatorContext<'exports' | 'files'>;
/** Number of documents that are written at the same time. */
const maxConcurrentDocuments = 4;

/**
 * Writes one file per document and format, or one record per row, and returns the rows unchanged. Names and ids belong to documents: a
 * second attempt and a later run write the same files and records. Those of changed and removed documents are deleted when the part
 * and the run are settled.
 */
export async function run(rows: readonly Row[], config: StorageConfig, context: Context): Promise<OperatorResult> {
  if (rows.length === 0) return { rows: [] };
  const { audience } = config;
  const allDocuments = groupByDocument(rows);
  const documents = allDocuments.filter(
    ([, documentRows]) => !audience || documentRows.every((row) => mayReach(row, audience)),
  );
  const { failed, metrics } =
    config.destination === 'elasticsearch'
      ? await exportToIndex(documents, config, context)
      : await exportFiles(documents, config, context);
  const refused = new Set(failed.map(({ id }) => id));
  const withheld = allDocuments.length - documents.length;
  return {
    rows: rows.filter((row) => !refused.has(getDocumentId(row))),
    failed,
    metrics: {
      exported_documents: documents.length - failed.length,
      ...metrics,
      ...(withheld === 0 ? {} : { withheld_from_export: withheld }),
    },
    warnings:
      withheld === 0
        ? []
        : [
            `Did not export ${countNouns(withheld, 'document')}: not everybody in \`audience\` may read ${withheld === 1 ? 'it' : 'them'}.`,
          ],
  };
}

type Documents = readonly (readonly [string, Row[]])[];
interface Exported {
  failed: RowFailure[];
  metrics: Record<string, number>;
}

async function exportToIndex(documents: Documents, config: StorageConfig, context: Context): Promise<Exported> {
  const rows = documents.flatMap(([, documentRows]) => documentRows);
  const { failed, records } = await exportRecords(rows, config, context);
  return { failed: [...failed], metrics: { exported_records: records } };
}

async function exportFiles(documents: Documents, config: StorageConfig, context: Context): Promise<Exported> {
  const place = await context.services.exports.open(getFileTarget(config));
  try {
    const outcomes = await mapConcurrently(documents, maxConcurrentDocuments, context, ([id, documentRows], signal) =>
      exportDocument(id, documentRows, { config, place, context: { ...context, signal } }),
    );
    return {
      failed: outcomes.flatMap((outcome) => (typeof outcome === 'number' ? [] : [outcome])),
      metrics: {
        exported_files: outcomes.reduce<number>((sum, outcome) => sum + (typeof outcome === 'number' ? outcome : 0), 0),
      },
    };
  } finally {
    place.close();
  }
}

function groupByDocument(rows: readonly Row[]): [string, Row[]][] {
  const documents = new Map<string, Row[]>();
  for (const row of rows) documents.set(getDocumentId(row), [...(documents.get(getDocumentId(row)) ?? []), row]);
  return [...documents];
}

interface Work {
  config: StorageConfig;
  place: OpenExport;
  context: Context;
}

/** The number of files, or why the document has none. */
async function exportDocument(id: string, rows: readonly Row[], work: Work): Promise<number | RowFailure> {
  const { place, context } = work;
  const [first] = rows;
  if (!first) return 0;
  try {
    const files = await buildFiles(id, rows, work);
    for (const file of files) {
      context.signal.throwIfAborted();
      await place.write(file, { ...context.run, operator: context.operator });
    }
    return files.length;
  } catch (error) {
    context.signal.throwIfAborted();
    const { code, message } = asAppError(error, 'OPERATOR_EXECUTION_FAILED');
    if (errorCatalogue[code].scope !== 'document') throw error;
    return { id, name: first.name, code, message };
  }
}

async function buildFiles(id: string, rows: readonly Row[], { config, context }: Work): Promise<ExportFile[]> {
  const [first] = rows as [Row, ...Row[]];
  const template = config.name_template ?? defaultTemplate;
  const { formats = [] } = config;
  const whole = formats.filter((format): format is DocumentFormat => Object.hasOwn(documentFormats, format));
  const tables = formats.filter((format): format is RowFormat => Object.hasOwn(rowFormats, format));
  const buildFileName = (ext: string) => buildName(template, { ...first, id }, ext);
  const columns = listColumnsToWrite(rows, config.columns);
  const selected = tables.length === 0 ? [] : rows.map((row) => selectColumns(row, columns));
  return [
    ...(await writeWholeFiles(id, rows, { whole, buildFileName, context })),
    ...tables.map((format): ExportFile => {
      const { ext, mediaType } = rowFormats[format];
      const content = { rows: selected, columns, format };
      return { documentId: id, format, name: buildFileName(ext), mediaType, content };
    }),
  ];
}

/** If an operator has changed the text, the changed text is written, never the converted original. */
async function writeWholeFiles(
  id: string,
  rows: readonly Row[],
  {
    whole,
    buildFileName,
    context,
  }: { whole: readonly DocumentFormat[]; buildFileName: (ext: string) => string; context: Context },
): Promise<ExportFile[]> {
  if (whole.length === 0) return [];
  const [row] = rows as [Row, ...Row[]];
  if (rows.length > 1 || typeof row.chunk_index === 'number')
    throw new AppError(
      'OPERATOR_CONFIGURATION_INVALID',
      `'${context.operator}' gets chunks and cannot write ${whole.join(', ')}, which are formats of whole documents.`,
    );
  const source = await readSource(row, context);
  const document = typeof source === 'string' ? createTextDocument(row.name, source) : source;
  return whole.map((format): ExportFile => {
    const { ext, mediaType } = documentFormats[format];
    return { documentId: id, format, name: buildFileName(ext), mediaType, content: writeDocument(document, format) };
  });
}
