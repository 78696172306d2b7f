import path from 'node:path';
import { countNouns } from '../../model/count-nouns';
import { asAppError, errorCatalogue } from '../../model/errors';
import type { Row, RowFailure, RowSkip } from '../../model/flow/row';
import { getUsageMetrics } from '../../model/llm/model-host';
import type { RemoteConversion } from '../../model/page/remote-conversion';
import type { Conversion } from '../../model/review/conversion';
import { findDoubts } from '../../model/review/quality';
import type { Converted, OcrRequest } from '../../services/conversion/converter';
import { createEntityExtractor, type EntityExtractor } from '../facts/entities';
import type { OperatorContext, OperatorResult } from '../operator';
import { mapConcurrently } from '../rows/parallel';
import { getVersion, keepFailed, keepForms, readCorrection } from './kept-forms';
import { createPageProgress, type PageProgress } from './page-progress';
import { createDocumentPages, type DocumentPages, buildRunPagesPrefix } from './page-store';
import { createByteReader } from './read-source';
import { defaultTimeoutSeconds, type ExtractConfig, getTextProvider } from './schema';
import { findVisionOptions } from './vision';

type Context = OperatorContext<
  'sources' | 'members' | 'converter' | 'remoteConverter' | 'files' | 'originals' | 'llm' | 'documentClasses'
>;

/** Number of documents in progress: enough to keep the conversion threads busy while others are read and written. */
const concurrency = 4;

/** Why a document without text is skipped. */
export const emptyReason = 'Extracted content is empty';

type Outcome =
  | { row: Row; warnings?: string[]; conversion: Conversion }
  | { failed: RowFailure }
  | { skipped: RowSkip };

/**
 * Converts documents to text, in input order. A failed document does not affect the others. Stores the full document under
 * `document_ref`.
 */
export async function run(rows: readonly Row[], config: ExtractConfig, context: Context): Promise<OperatorResult> {
  const entities = createEntityExtractor(config, context);
  const readBytes = createByteReader(rows, context);
  const pageStores: DocumentPages[] = [];
  const pageProgress = createPageProgress(context);
  const outcomes = await mapConcurrently(rows, concurrency, context, (row, signal) => {
    const pages = createDocumentPages(
      context.services.files,
      buildRunPagesPrefix(context.run, context.operator, row.id),
    );
    pageStores.push(pages);
    return extract(row, { config, context: { ...context, signal }, readBytes, entities, pages, pageProgress });
  });
  // Not earlier: an attempt that is killed before the last document converts all of them again.
  for (const pages of pageStores) if (pages.isUsed()) await pages.remove();
  const extracted = outcomes.flatMap((outcome) => ('row' in outcome ? [outcome.row] : []));
  return {
    rows: extracted,
    failed: outcomes.flatMap((outcome) => ('failed' in outcome ? [outcome.failed] : [])),
    skipped: outcomes.flatMap((outcome) => ('skipped' in outcome ? [outcome.skipped] : [])),
    conversions: outcomes.flatMap((outcome) => ('row' in outcome ? [outcome.conversion] : [])),
    warnings: [
      ...(entities ? listWarnings(entities) : []),
      ...outcomes.flatMap((outcome) => ('row' in outcome ? (outcome.warnings ?? []) : [])),
    ],
    metrics: {
      total_pages_converted: extracted.reduce((sum, row) => sum + (row.pages_processed ?? 0), 0),
      ...(entities
        ? {
            entities_found: entities.counts.found,
            entities_without_evidence: entities.counts.unproven,
            documents_without_class: entities.counts.withoutClass,
            ...getUsageMetrics(entities.usage),
          }
        : {}),
    },
  };
}

function listWarnings({ counts: { unknownClass, unread } }: EntityExtractor): string[] {
  return [
    ...(unknownClass > 0
      ? [`${countNouns(unknownClass, 'document')} of no known document class got no entities.`]
      : []),
    ...(unread > 0
      ? [
          `${countNouns(unread, 'document')} had more text than max_requests sections of max_doc_chars characters; the rest was not searched for entities.`,
        ]
      : []),
  ];
}

interface Work {
  config: ExtractConfig;
  context: Context;
  readBytes: (row: Row) => Promise<Uint8Array>;
  entities: EntityExtractor | undefined;
  pages: DocumentPages;
  pageProgress: PageProgress;
}

async function extract(row: Row, work: Work): Promise<Outcome> {
  const { signal } = work.context;
  try {
    return await convert(row, work);
  } catch (error) {
    signal.throwIfAborted();
    const failure = asAppError(error, 'CONVERSION_FAILED');
    // An unavailable store is not the document's fault: the activity retries.
    if (errorCatalogue[failure.code].scope !== 'document') throw failure;
    return { failed: { id: row.id, name: row.name, code: failure.code, message: failure.message } };
  }
}

async function convert(
  row: Row,
  { config, context, readBytes, entities, pages, pageProgress }: Work,
): Promise<Outcome> {
  const bytes = await readBytes(row);
  // Copied before the conversion, which may transfer the bytes to a thread.
  const original = context.services.originals.copy(bytes);
  const correction = await readCorrection(row, context);
  const converted = correction
    ? await convertCorrection(row, correction, { config, context })
    : await convertBytes(row, bytes, { config, context, pages, pageProgress })
        .catch(async (error: unknown) => {
          await keepFailed(row, original, { error, context });
          throw error;
        })
        .finally(() => pageProgress.end(row.id));
  if (converted.text.trim() === '') return { skipped: { id: row.id, name: row.name, reason: emptyReason } };
  const documentRef = await keepForms(row, { ...converted, original }, context);
  const column = config.text_extraction?.doc_column;
  const extracted = {
    ...row,
    content: converted.text,
    ...(column ? { [column]: converted.markdown } : {}),
    ...buildQualityColumns(converted),
    pages_processed: converted.pages,
    document_ref: documentRef,
    metadata: { ...row.metadata, title: converted.title ?? path.parse(row.name).name },
  };
  const warnings = (converted.warnings ?? []).map((warning) => `'${row.name}': ${warning}`);
  const conversion: Conversion = {
    id: row.id,
    name: row.name,
    version: getVersion(row, context),
    pages: converted.pages,
    confidence: converted.quality?.confidence ?? null,
    doubts: converted.quality ? findDoubts(converted.quality, config.review_below) : [],
    isCorrected: correction !== undefined,
  };
  return {
    row: entities ? await entities.extract(extracted, converted.documentJson) : extracted,
    warnings,
    conversion,
  };
}

type Converting = Pick<Work, 'config' | 'context'>;

function convertBytes(
  row: Row,
  bytes: Uint8Array,
  { config, context: { services, signal }, pages, pageProgress }: Converting & Pick<Work, 'pages' | 'pageProgress'>,
) {
  const input = {
    bytes,
    name: row.name,
    ...(row.mimetype === undefined ? {} : { mimetype: row.mimetype }),
    timeoutMs: computeTimeoutMs(config),
    signal,
  };
  const settings = config.text_extraction?.provider_config ?? {};
  const vision = findVisionOptions(settings);
  const { password, include_formulas: includeFormulas } = config.text_extraction ?? {};
  return getTextProvider(config) === 'local'
    ? services.converter.convert({
        ...input,
        ...(password ? { password } : {}),
        ...(includeFormulas ? { includeFormulas } : {}),
        ocr: buildOcr(settings),
        pages,
        onPages: (count) => pageProgress.note(row.id, count),
        ...(vision ? { vision } : {}),
      })
    : services.remoteConverter.convert({ ...input, settings });
}

/** A correction is read as any Markdown file is; it has no pages and no confidence. */
async function convertCorrection(
  row: Row,
  bytes: Uint8Array,
  { config, context: { services, signal } }: Converting,
): Promise<Converted> {
  const { quality: _quality, ...converted } = await services.converter.convert({
    bytes,
    name: `${path.parse(row.name).name}.md`,
    mimetype: 'text/markdown',
    timeoutMs: computeTimeoutMs(config),
    signal,
  });
  return converted;
}

function computeTimeoutMs({ timeout = defaultTimeoutSeconds }: ExtractConfig): number {
  return timeout * 1000;
}

function buildQualityColumns({ quality }: Converted) {
  if (!quality) return {};
  return {
    ...(quality.confidence === null ? {} : { conversion_confidence: quality.confidence }),
    ...(quality.left_out.length > 0 ? { content_left_out: quality.left_out } : {}),
  };
}

function buildOcr({
  do_ocr: isOn = true,
  force_ocr: isForced,
  ocr_languages: languages = [],
  ocr_engine: engine,
  include_ocr_words: keepsWords,
}: RemoteConversion): OcrRequest {
  if (!isOn) return { mode: 'never', languages };
  return {
    mode: isForced ? 'force' : 'auto',
    languages,
    ...(engine === undefined ? {} : { engine }),
    ...(keepsWords ? { keepsWords } : {}),
  };
}
