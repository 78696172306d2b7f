import { computeDocumentTimeout, type DocumentTimeouts } from '../../model/conversion/request/document-timeout';
import type { OutputFormat } from '../../model/conversion/request/formats';
import { addSpeech } from '../../model/conversion/speech/speech';
import type { DocumentCall } from '../../model/conversion/task/activities';
import type { Timings } from '../../model/conversion/task/result';
import type { DocumentOutcome } from '../../model/conversion/task/work';
import { findVisionPlan } from '../../model/conversion/vision/vision-plan';
import type { VisionSettings } from '../../model/conversion/vision/vision-settings';
import { asAppError, errorCatalogue } from '../../model/errors';
import type { PageCount } from '../../model/page/page-count';
import { createDocumentPages, type DocumentPages } from '../../operators/extract_operator/page-store';
import { createEmptyExport, type ExportedDocument } from '../../services/conversion/export';
import { buildOutputKey, buildPagesPrefix } from '../../services/conversion/files';
import type { StoredOutput } from '../../services/conversion/ports';
import { createProblem } from '../../services/conversion/problems';
import type { NewDocumentRecord } from '../../services/conversion/record';
import type { ScratchFiles } from '../../services/storage/object-store-port';
import { createStopwatch, type Stopwatch } from '../../threads/conversion/timings';
import { type ConvertDeps, processId } from './deps';
import { readSource } from './reading';
import { type DocumentSource, buildName, type OpenTask } from './sources';

/** Number of unfinished attempts after which a document is given up. */
const maxAttempts = 5;
/** Of a failure, in the outcome. */
const maxMessageLength = 500;
const noModels: VisionSettings = { remoteServices: false, network: { allowed: [], own: [] } };
/** Used when the settings have none. */
const defaultTimeouts: DocumentTimeouts = { seconds: 600, maxSeconds: 604_800 };

/** What happens to a document while it is converted. */
export interface DocumentHooks {
  signal: AbortSignal;
  /** Called if this call converted the document. */
  done: (outcome: DocumentOutcome) => void;
  /** Called at most once a second with the pages that are done, and at the end with `undefined`. */
  pages: (pages: PageCount | undefined) => void;
  /** Called with the number of pages that earlier attempts have read, if this one continues after them. */
  continued: (pages: number) => void;
}

/**
 * Converts a document and stores its outputs and record under keys derived from its index, so a repeated conversion stores one
 * result. Throws only on failures of the service itself.
 */
export async function convertDocument(
  deps: ConvertDeps,
  task: OpenTask,
  { index, freshFor }: DocumentCall,
  { signal, done, continued, pages: onPages }: DocumentHooks,
): Promise<DocumentOutcome> {
  const pages = createDocumentPages(deps.files, buildPagesPrefix(task.id, index), continued);
  if (freshFor !== processId) {
    const earlier = await deps.store.getDocument(task.id, index);
    if (earlier) {
      await pages.remove();
      return buildOutcome(earlier);
    }
    if ((await deps.store.noteAttempt(task.id, index)) > maxAttempts)
      return recordFailure(
        deps,
        task,
        index,
        `The worker process ended in each of ${maxAttempts} attempts to convert the document.`,
      );
  }
  const watch = createStopwatch();
  const source = task.sources[index] as DocumentSource;
  const record = await deps.withScratch(async (scratch) => {
    const exported = await exportSource(deps, { task, index, source, scratch, watch, signal, pages, onPages })
      .catch((error: unknown) => createFailedReply(error, { source, watch, signal }))
      .finally(() => onPages(undefined));
    const { outputs: _outputs, writtenFiles = {}, artifacts, ...facts } = exported.document;
    const stored = await keepOutputs(deps, { taskId: task.id, index, scratch }, { writtenFiles, artifacts });
    return {
      index,
      filename: exported.filename,
      source_uri: buildName(source).uri,
      ...facts,
      processing_time: watch.timings()['pipeline_total']?.times[0] ?? 0,
      ...stored,
      uploads: [],
    } satisfies NewDocumentRecord;
  });
  signal.throwIfAborted();
  await deps.store.putDocument(task.id, record);
  if (pages.isUsed()) await pages.remove();
  const outcome = buildOutcome(record);
  done(outcome);
  return outcome;
}

/** Records a failure as the result of a document that could not be tried. */
export async function recordFailure(
  deps: Pick<ConvertDeps, 'store'>,
  task: OpenTask,
  index: number,
  message: string,
): Promise<DocumentOutcome> {
  const { filename, uri } = buildName(task.sources[index] as DocumentSource);
  const record: NewDocumentRecord = {
    ...createEmptyExport(null),
    index,
    filename,
    source_uri: uri,
    timings: {},
    processing_time: 0,
    uploads: [],
    status: 'failure',
    errors: [
      {
        component_type: 'pipeline',
        module_name: 'worker',
        error_message: message,
        category: 'internal',
        page_no: null,
      },
    ],
    outputs: {},
    artifacts: [],
  };
  await deps.store.putDocument(task.id, record);
  return buildOutcome(record);
}

interface Work {
  task: OpenTask;
  index: number;
  source: DocumentSource;
  scratch: ScratchFiles;
  watch: Stopwatch;
  signal: AbortSignal;
  pages: DocumentPages;
  onPages: DocumentHooks['pages'];
}
interface ConvertedSource {
  document: ExportedDocument;
  filename: string;
}

async function exportSource(
  deps: ConvertDeps,
  { task, index, source, scratch, watch, signal, pages, onPages }: Work,
): Promise<ConvertedSource> {
  const { request } = task;
  const read = await readSource(deps, task, source, { watch, signal });
  const { options } = request;
  const settings = deps.settings.vision ?? noModels;
  const vision = addSpeech(findVisionPlan(options, settings), settings, {
    name: read.filename,
    mimetype: read.mimetype,
  });
  const formats = listOutputs(task);
  const document = await deps.exporter.exportDocument({
    name: read.filename,
    ...(read.mimetype === undefined ? {} : { mimetype: read.mimetype }),
    load: read.load,
    options: { ...options, password: null, to_formats: formats },
    ...(options.password ? { password: options.password } : {}),
    outputFiles: Object.fromEntries(
      formats.map((format) => [format, scratch.getFile(buildOutputKey(task.id, index, format))]),
    ),
    ...(request.chunking ? { chunking: request.chunking } : {}),
    packaging: task.packaging === 'inbody' ? 'inbody' : 'archive',
    ...(deps.settings.modelsFolder === undefined ? {} : { modelsFolder: deps.settings.modelsFolder }),
    ...(deps.settings.maxPages === 0 ? {} : { limits: { maxPages: deps.settings.maxPages } }),
    ...(vision ? { vision } : {}),
    timeoutMs: (bytes) =>
      computeDocumentTimeout(
        { requested: options.document_timeout, bytes, usesModels: vision !== undefined },
        deps.settings.timeouts ?? defaultTimeouts,
      ),
    signal,
    fairnessKey: task.id,
    pages,
    onPages,
  });
  return {
    document: { ...document, timings: joinTimings(document.timings, watch.timings()) },
    filename: read.filename,
  };
}

/** A chunk task writes chunks, and also the document when the request asks for it. */
function listOutputs({ request }: OpenTask): OutputFormat[] {
  if (request.task_type === 'convert') return request.options.to_formats;
  return request.include_converted_doc ? ['chunks', 'json'] : ['chunks'];
}

/** Merges the stages of the thread with those around it. The total is that of the whole conversion. */
function joinTimings(inThread: Timings, around: Timings): Timings {
  const { pipeline_total: _, ...stages } = inThread;
  return { ...around, ...stages };
}

/** A failure of the document becomes its result. A failure of the service or a cancellation is rethrown. */
function createFailedReply(
  error: unknown,
  { source, watch, signal }: Pick<Work, 'source' | 'watch' | 'signal'>,
): ConvertedSource {
  signal.throwIfAborted();
  const failure = asAppError(error);
  // The address or the uploaded file of this document, whatever the scope of the code is elsewhere.
  const isOfSource = failure.code === 'ADDRESS_NOT_ALLOWED' || failure.code === 'TABLE_NOT_FOUND';
  if (errorCatalogue[failure.code].scope !== 'document' && !isOfSource) throw failure;
  const { filename } = buildName(source);
  const { status, problem } = createProblem(failure, {
    name: filename,
    module: source.kind === 'http' ? 'fetch' : 'converter',
  });
  return { document: { ...createEmptyExport(null), status, errors: [problem], timings: watch.timings() }, filename };
}

/** Stores the files that the thread wrote. */
async function keepOutputs(
  { files }: Pick<ConvertDeps, 'files'>,
  { taskId, index, scratch }: { taskId: string; index: number; scratch: ScratchFiles },
  { writtenFiles, artifacts }: Required<Pick<ExportedDocument, 'writtenFiles' | 'artifacts'>>,
): Promise<Pick<NewDocumentRecord, 'outputs' | 'artifacts'>> {
  const written = Object.entries(writtenFiles).map(async ([name, bytes]): Promise<[string, StoredOutput]> => {
    const key = buildOutputKey(taskId, index, name);
    await scratch.keep(key);
    return [name, { key, bytes }];
  });
  const images = artifacts.map(async ({ name, bytes }) => {
    const key = buildOutputKey(taskId, index, name);
    await files.put(key, bytes);
    return { name, key, bytes: bytes.byteLength };
  });
  return { outputs: Object.fromEntries(await Promise.all(written)), artifacts: await Promise.all(images) };
}

function buildOutcome({ index, status, errors, filename }: NewDocumentRecord): DocumentOutcome {
  const [first] = errors;
  if (!first || status === 'success' || status === 'partial_success') return { index, status };
  return {
    index,
    status,
    message: `${filename}: ${first.error_message}`.slice(0, maxMessageLength),
    category: first.category,
  };
}
