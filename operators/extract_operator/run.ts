import path from 'node:path';
import { AppError, asAppError, errorCatalogue } from '../../model/errors';
import { effectiveConfig } from '../../model/flow-config';
import { ancestors, readGraph } from '../../model/flow-graph';
import type { Row, RowFailure, RowSkip } from '../../model/row';
import type { OperatorContext, OperatorResult } from '../operator';
import { defaultTimeoutSeconds, type ExtractConfig, textProvider } from './schema';

type Context = OperatorContext<'sources' | 'converter' | 'files'>;

/** Documents in work at a time: enough to keep the conversion threads busy while others are read and written. */
const concurrency = 4;

/** Why a document without text is left out. */
export const emptyReason = 'Extracted content is empty';

type Outcome = { row: Row } | { failed: RowFailure } | { skipped: RowSkip };

/** Documents to Markdown, in the order given. A document that fails does so alone; the full document is kept under `document_ref`. */
export async function run(rows: readonly Row[], config: ExtractConfig, context: Context): Promise<OperatorResult> {
  if (textProvider(config) !== 'local') {
    throw new AppError(
      'OPERATOR_CONFIGURATION_INVALID',
      `The operator '${context.operator}' asks for the text extraction provider '${config.text_extraction?.provider}', which is not available in this version; use 'local'.`,
    );
  }
  const outcomes = await extractAll(rows, config, context);
  const extracted = outcomes.flatMap((outcome) => ('row' in outcome ? [outcome.row] : []));
  return {
    rows: extracted,
    failed: outcomes.flatMap((outcome) => ('failed' in outcome ? [outcome.failed] : [])),
    skipped: outcomes.flatMap((outcome) => ('skipped' in outcome ? [outcome.skipped] : [])),
    metrics: { total_pages_converted: extracted.reduce((sum, row) => sum + (row.pages_processed ?? 0), 0) },
  };
}

/** A few at a time; the first error that is not a document's own ends the rest of the work too. */
async function extractAll(rows: readonly Row[], config: ExtractConfig, given: Context): Promise<Outcome[]> {
  const failure = new AbortController();
  const context = { ...given, signal: AbortSignal.any([given.signal, failure.signal]) };
  const origins = originsOf(context);
  const outcomes: Outcome[] = Array.from({ length: rows.length });
  let next = 0;
  let done = 0;
  const work = async () => {
    while (next < rows.length) {
      context.signal.throwIfAborted();
      const index = next;
      next += 1;
      outcomes[index] = await extract(rows[index] as Row, { config, context, origins });
      done += 1;
      context.progress(done, rows.length);
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(concurrency, rows.length) }, work));
  } catch (error) {
    failure.abort(error);
    throw error;
  }
  return outcomes;
}

interface Work {
  config: ExtractConfig;
  context: Context;
  origins: Origin[];
}

async function extract(row: Row, work: Work): Promise<Outcome> {
  const { signal } = work.context;
  try {
    return await convert(row, work);
  } catch (error) {
    signal.throwIfAborted();
    const failure = asAppError(error, 'CONVERSION_FAILED');
    // A store that is away is no fault of the document: the activity waits for it.
    if (errorCatalogue[failure.code].scope !== 'document') throw failure;
    return { failed: { id: row.id, name: row.name, code: failure.code, message: failure.message } };
  }
}

async function convert(row: Row, { config, context, origins }: Work): Promise<Outcome> {
  const { services, signal, run: facts } = context;
  const bytes = await readBytes(row, context, origins);
  const timeoutMs = (config.timeout ?? defaultTimeoutSeconds) * 1000;
  const media = row.mimetype === undefined ? {} : { mimetype: row.mimetype };
  const converted = await services.converter.convert({ bytes, name: row.name, ...media, timeoutMs, signal });
  if (isEmpty(converted.markdown)) return { skipped: { id: row.id, name: row.name, reason: emptyReason } };
  const documentRef = `documents/${facts.jobId}/${row.id}/${row.content_hash ?? facts.runId}.json`;
  await services.files.put(documentRef, new TextEncoder().encode(converted.documentJson));
  const column = config.text_extraction?.doc_column;
  return {
    row: {
      ...row,
      content: converted.markdown,
      ...(column ? { [column]: converted.markdown } : {}),
      pages_processed: converted.pages,
      document_ref: documentRef,
      metadata: { ...row.metadata, title: converted.title ?? path.parse(row.name).name },
    },
  };
}

/** True when nothing but the marks of pictures is left, as of a scan. */
function isEmpty(markdown: string): boolean {
  return markdown.replace(/<!--.*?-->/gs, '').trim() === '';
}

/** Provider and configuration of an ingest operator upstream. */
interface Origin {
  provider: string;
  config: Record<string, unknown>;
}

function originsOf({ run: { flow }, operator, configOf }: Context): Origin[] {
  const upstream = ancestors(readGraph(flow), operator);
  const origins = flow.flow
    .filter(({ type, name }) => type === 'ingest_source' && upstream.has(name))
    .map((ingest) => {
      const config = configOf?.(ingest.name) ?? effectiveConfig(flow, ingest);
      return { provider: typeof config['provider'] === 'string' ? config['provider'] : 'filesystem', config };
    });
  if (origins.length > 0) return origins;
  throw new AppError(
    'OPERATOR_CONFIGURATION_INVALID',
    `No 'ingest_source' stands before the operator '${operator}', so its documents cannot be read.`,
  );
}

/** A row does not say which of several sources listed it; only one of them knows its path. */
async function readBytes(row: Row, { services, signal }: Context, origins: readonly Origin[]): Promise<Uint8Array> {
  let failure: unknown;
  for (const { provider, config } of origins) {
    try {
      return await services.sources.read(provider, row.path, config, signal);
    } catch (error) {
      signal.throwIfAborted();
      failure ??= error;
    }
  }
  throw failure;
}
