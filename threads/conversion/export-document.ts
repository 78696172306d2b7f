import { createDocument } from '../../document/builder';
import { documentToJsonPieces } from '../../document/json/pieces';
import type { DoclingDocument } from '../../document/model';
import { keepPages } from '../../document/page-range';
import { toDoclang } from '../../document/write/doclang';
import { toDoctags } from '../../document/write/doctags';
import { toHtml } from '../../document/write/html';
import { toHtmlPages } from '../../document/write/html-pages';
import { toLatex } from '../../document/write/latex';
import { toMarkdown } from '../../document/write/markdown';
import { toText } from '../../document/write/text';
import { toVtt } from '../../document/write/vtt';
import { documentToYamlPieces } from '../../document/write/yaml';
import { convertBytes, type FailedPage, type ModelFailure } from '../../formats/convert';
import { computeTextShare, type Coverage, type PageShare } from '../../formats/coverage';
import { detectFormat, isCompoundFile } from '../../formats/detect';
import { findLargest } from '../../formats/extremes';
import { type Format, type PageOptions, getServiceName, getStem } from '../../formats/format';
import { formats } from '../../formats/list';
import { checkPageRange } from '../../formats/page-range';
import { recordings } from '../../formats/recording';
import { findUnreadReason } from '../../formats/unread-formats';
import type { OutputFormat } from '../../model/conversion/request/formats';
import type { ConvertOptions } from '../../model/conversion/request/options';
import { computeConfidence, type PageScores } from '../../model/conversion/task/confidence';
import type { ErrorItem } from '../../model/conversion/task/result';
import { asAppError } from '../../model/errors';
import type { EnrichmentProblem } from '../../model/page/vision';
import type { ExportAnswer } from '../../services/conversion/converter';
import { createEmptyExport, type ExportedDocument, type ExportTask } from '../../services/conversion/export';
import { writePageClock } from '../../services/conversion/page/page-clock';
import { createProblem } from '../../services/conversion/problems';
import { openImage } from '../../services/image/images';
import { exportRows, isReadByRows } from './export-rows';
import { createRelatedReader } from './files-beside';
import { findHeadingRules } from './heading-rules';
import { extractImageFiles, omitImages } from './images';
import { createKeptPages } from './kept-pages';
import { loadPageModels } from './page-models';
import { writePartFiles } from './parts';
import { createEnrichmentProblem, createModelProblem, createPageProblem } from './problems';
import { openRecognizer } from './recognizer';
import { createStopwatch, type Stopwatch } from './timings';
import type { VisionWork } from './vision-models';
import { openVision } from './vision-work';
import { writeChunks } from './write-chunks';
import { toDclx } from './write-dclx';
import { collectBytes, writeOutput, type Written } from './write-output';

/** Entry of a conversion thread: converts bytes to finished outputs. Never throws; the result contains any failure. */
export async function exportDocument(task: ExportTask): Promise<ExportAnswer> {
  const watch = createStopwatch();
  const rejected = rejectFormat(task);
  if (rejected) return { exported: { ...rejected, timings: watch.timings() } };
  try {
    if (isReadByRows(task)) return { exported: await exportRows(task, watch) };
    const vision = await openVision(task.vision, { keepsPictures: readsPictures(task) });
    const read = await watch.measure('doc_build', () => readDocument(task, vision));
    const problems = task.vision ? await watch.measure('doc_enrich', () => vision.enrich(read.document)) : [];
    return { exported: await writeAll(task, { ...read, enrichmentProblems: problems }, watch) };
  } catch (error) {
    const failure = asAppError(error, 'CONVERSION_FAILED');
    // Not the fault of the document, which is converted again later.
    if (failure.code === 'STORAGE_ERROR') return { failure: { code: failure.code, message: failure.message } };
    const format = findFormat(task)?.name ?? null;
    const { status, problem } = createProblem(failure, { name: task.name, module: format ?? 'formats' });
    const outcome = { status, errors: [problem], failureCode: failure.code, timings: watch.timings() };
    return { exported: { ...createEmptyExport(format), ...outcome } };
  }
}

function findFormat({ name, mimetype, bytes, vision }: ExportTask): Format | undefined {
  return detectFormat({ name, mimetype, head: bytes }, vision?.speech ? [...formats, ...recordings] : formats);
}

/** Returns the result for a document whose format is unknown or not allowed. */
function rejectFormat(task: ExportTask): Omit<ExportedDocument, 'timings'> | undefined {
  const format = findFormat(task);
  const allowedFormats: readonly string[] = task.options.from_formats;
  if (format && allowedFormats.includes(getServiceName(format))) return undefined;
  // The reader reports Office files with a password or from before 2007.
  const reason = format ? undefined : findUnreadReason(task);
  if (!format && reason === undefined && isCompoundFile(task.bytes)) return undefined;
  // Clients check the beginning of the text.
  const problem: ErrorItem = {
    component_type: 'user_input',
    module_name: 'formats',
    error_message: `File format not allowed: ${task.name}${reason === undefined ? '' : `. ${reason}`}`,
    category: 'policy',
    page_no: null,
  };
  return { ...createEmptyExport(format?.name ?? null), status: 'skipped', errors: [problem] };
}

interface ReadDocument {
  document: DoclingDocument;
  format: string;
  pages: number;
  warnings?: string[];
  coverage?: Coverage[];
  failedPages?: FailedPage[];
  modelFailures?: (Omit<ModelFailure, 'stage'> & { stage: ModelFailure['stage'] | 'ocr' })[];
  scores?: PageScores[];
  shares?: PageShare[];
  enrichmentProblems?: EnrichmentProblem[];
}

async function readDocument(task: ExportTask, vision: VisionWork): Promise<ReadDocument> {
  const format = findFormat(task);
  if (task.bytes.length === 0 && format?.mayBeEmpty)
    return { document: createDocument(getStem(task.name)).document, format: format.name, pages: 0 };
  const related = task.folder === undefined ? {} : { related: createRelatedReader(task.folder) };
  const { problems, ...ocr } = await openRecognizer({
    mode: chooseOcrMode(task),
    languages: task.options.ocr_lang ?? [],
    engine: task.options.ocr_preset,
    keepsWords: task.options.include_ocr_words,
    modelsFolder: task.modelsFolder,
  });
  const paged = { ...buildPageOptions(task), ...vision.drawing };
  const models = await loadPageModels({
    modelsFolder: task.modelsFolder,
    tableMode: paged.tableMode ?? 'accurate',
    usesCells: task.options.table_structure_preset === 'slanet_plus',
    layout: findLayoutModel(task.options),
  });
  const { profile, include_formulas: includeFormulas } = task.options;
  const { pageClock, keptRanges } = task;
  const read = await convertBytes({
    ...task,
    ...related,
    ...ocr,
    ...models,
    ...vision.reading,
    openImage,
    paged,
    profile,
    includeFormulas,
    ...(pageClock ? writePageClock(pageClock) : {}),
    ...(keptRanges ? { keptPages: createKeptPages(keptRanges, task.bytes) } : {}),
  });
  const [first, last] = task.options.page_range;
  const numbers = Object.keys(read.document.pages).map(Number);
  if (numbers.length > 0 && !format?.readsRange) checkPageRange(first, findLargest(numbers));
  const unread = problems().map((problem) => ({ stage: 'ocr' as const, ...problem }));
  return {
    ...read,
    modelFailures: [...(read.modelFailures ?? []), ...unread],
    document: keepPages(read.document, first, last),
  };
}

function chooseOcrMode({ options }: ExportTask): 'never' | 'auto' | 'force' {
  if (options.force_ocr) return 'force';
  return options.do_ocr ? 'auto' : 'never';
}

function keepsPictures({ options }: ExportTask): boolean {
  return options.include_images && options.image_export_mode !== 'placeholder';
}

function readsPictures(task: ExportTask): boolean {
  return keepsPictures(task) || (task.parts?.includes('figures') ?? false);
}

/** Returns the layout model that a request names in `model_spec.repo_id`, the field that clients use for detection models. */
function findLayoutModel({ layout_custom_config: config }: ConvertOptions): string | undefined {
  const spec = config?.['model_spec'];
  const name = typeof spec === 'object' && spec !== null ? (spec as { repo_id?: unknown }).repo_id : undefined;
  return typeof name === 'string' ? name : undefined;
}

/** A table model given in full or by name takes precedence over `table_mode`. */
function chooseTableMode({
  do_table_structure: isOn,
  table_structure_custom_config: config,
  table_structure_preset: preset,
  table_mode: mode,
}: ConvertOptions) {
  if (!isOn) return 'none';
  const requestedMode = config?.['mode'];
  if (requestedMode === 'fast' || requestedMode === 'accurate') return requestedMode;
  if (preset === 'tableformer_v1_fast') return 'fast';
  return preset === 'tableformer_v1_accurate' || preset === 'tableformer_v2' ? 'accurate' : mode;
}

/** Options for readers of paged documents: only the requested pages, and images only if they are kept. */
function buildPageOptions(task: ExportTask): PageOptions {
  const { options, password } = task;
  const headings = findHeadingRules(options);
  return {
    range: options.page_range,
    tableMode: chooseTableMode(options),
    ...(headings ? { headings } : {}),
    ...(password === undefined ? {} : { password }),
    ...(readsPictures(task) ? { pictureScale: options.images_scale } : {}),
    ...(options.include_page_images ? { pageScale: options.images_scale } : {}),
  };
}

async function writeAll(task: ExportTask, read: ReadDocument, watch: Stopwatch): Promise<ExportedDocument> {
  const { options, packaging } = task;
  const whole = keepsPictures(task) ? read.document : omitImages(read.document);
  const isReferenced = options.image_export_mode === 'referenced';
  const { document, files } = isReferenced ? extractImageFiles(whole) : { document: whole, files: [] };
  const outputs: Record<string, Uint8Array> = {};
  const writtenFiles: Record<string, number> = {};
  const errors = [
    ...(read.failedPages ?? []).map((page) => createPageProblem(page, read.format)),
    ...(read.enrichmentProblems ?? []).map(createEnrichmentProblem),
  ];
  // An inline response has no separate files, so the JSON keeps its images.
  const jsonDocument = packaging === 'inbody' ? whole : document;
  for (const [name, write] of createWriters(task, { document, jsonDocument, whole })) {
    try {
      const file = task.outputFiles?.[name];
      await watch.measure(`doc_export_${name}`, async () => {
        if (file === undefined) outputs[name] = collectBytes(await write());
        else writtenFiles[name] = writeOutput(file, await write());
      });
    } catch (error) {
      const failure = asAppError(error, 'CONVERSION_FAILED');
      if (failure.code === 'STORAGE_ERROR') throw failure;
      errors.push(createProblem(failure, { name: task.name, module: `writer ${name}` }).problem);
    }
  }
  const failures = (read.modelFailures ?? []).map((failure) => createModelProblem(failure));
  const textShare = computeTextShare(read.shares ?? []);
  const isWritten = Object.keys({ ...outputs, ...writtenFiles }).length > 0;
  const statusWithErrors = isWritten ? 'partial_success' : 'failure';
  return {
    ...createEmptyExport(read.format),
    status: errors.length === 0 ? 'success' : statusWithErrors,
    errors: [...failures, ...errors],
    timings: watch.timings(),
    confidence: computeConfidence(read.scores ?? []),
    mimetype: read.document.origin?.mimetype ?? null,
    pages: read.pages,
    hash: read.document.origin ? String(read.document.origin.binary_hash) : null,
    characters: read.document.texts.reduce((sum, { text }) => sum + text.length, 0),
    tables: read.document.tables.length,
    pictures: read.document.pictures.length,
    outputs,
    ...(task.outputFiles ? { writtenFiles } : {}),
    ...(read.warnings && read.warnings.length > 0 ? { warnings: read.warnings } : {}),
    coverage: read.coverage ?? [],
    ...(textShare ? { textShare } : {}),
    artifacts: packaging === 'archive' ? files : [],
    ...(task.parts ? { parts: writePartFiles(read.document, task.parts) } : {}),
  };
}

type Write = () => Written | Promise<Written>;

/** Returns a writer for each requested output that has one; other formats are skipped. */
function createWriters(
  task: ExportTask,
  { document, jsonDocument, whole }: Record<'document' | 'jsonDocument' | 'whole', DoclingDocument>,
): [string, Write][] {
  const { options, packaging, chunking } = task;
  const json = packaging === 'archive' ? { omitNulls: true, indent: 2 } : { emptyPlaces: true };
  const imageMode = options.image_export_mode;
  const writers: Partial<Record<OutputFormat, Write>> = {
    md: () =>
      toMarkdown(document, {
        imageMode,
        pageBreakPlaceholder: options.md_page_break_placeholder,
        compactTables: options.md_compact_tables,
        ...(options.md_dialect === 'github' || options.md_dialect === 'commonmark'
          ? { dialect: options.md_dialect }
          : {}),
      }),
    json: () => documentToJsonPieces(jsonDocument, json),
    yaml: () => documentToYamlPieces(jsonDocument, json),
    html: () => toHtml(document, { imageMode }),
    html_split_page: () => toHtmlPages(document, { imageMode }),
    text: () => toText(document),
    doctags: () => toDoctags(document),
    vtt: () => toVtt(document),
    doclang: () => toDoclang(document),
    dclx: () => toDclx(whole),
    latex: () => toLatex(document, { imageMode }),
    ...(chunking ? { chunks: () => writeChunks(task, [document], chunking) } : {}),
  };
  const outputFormats = new Set<OutputFormat>(options.to_formats);
  return Object.entries(writers).filter(([name]) => outputFormats.has(name as OutputFormat));
}
