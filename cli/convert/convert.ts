import { existsSync } from 'node:fs';
import { access, constants, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { Command, Option } from 'commander';
import { createFolder, readModelsFolder } from '../../embedded/paths';
import { isNamedLike } from '../../formats/format';
import { formats } from '../../formats/list';
import { findUnreadReason } from '../../formats/unread-formats';
import { readConfig } from '../../model/config';
import { outputFiles, outputFormats } from '../../model/conversion/request/formats';
import type { ConvertOptions } from '../../model/conversion/request/options';
import { isRecording, addSpeech } from '../../model/conversion/speech/speech';
import { findVisionPlan } from '../../model/conversion/vision/vision-plan';
import type { VisionSettings } from '../../model/conversion/vision/vision-settings';
import { countNouns } from '../../model/count-nouns';
import { AppError, asAppError } from '../../model/errors';
import type { VisionPlan } from '../../model/page/vision';
import { createConverter } from '../../services/conversion/converter';
import type { DocumentExporter, ExportedDocument } from '../../services/conversion/export';
import { mapInParallel } from '../../services/pacing/map-in-parallel';
import { buildPartPath } from '../../threads/conversion/write-output';
import { getThreadFile } from '../../threads/entries';
import { exitCodes } from '../exit-codes';
import { checkRecognition, checkTableModel } from './languages';
import { convertMembers, type Item, mayHoldFiles, buildMemberLimits, createMemberOptions } from './members';
import { createModelOptions, buildVisionSettings } from './models';
import { createListParser, parsePageRange, appendWords } from './option-values';
import { buildChunking, createDocumentOptions, buildConvertOptions, type Options, readableFormats } from './options';
import { findOutputFile, nameAfterOutput } from './output-file';
import { type ConvertProgress, createConvertProgress } from './progress';
import { refuseLocalOptions } from './remote-options';
import { type ConvertedFile, findFailureCode, formatReport, computeTotals, toPrintable } from './report';
import { findSources, nameTargets, type NamedSource } from './sources';
import { createWholeNumberParser } from './whole-number';

/** `docloom convert PATH…`: converts files on this machine, without any server. Exit code 3 when some files failed. */
export function createConvertCommand(): Command {
  const command = new Command('convert')
    .description(
      'Converts files, folders and patterns to Markdown, JSON, HTML, text, LaTeX and others. Needs no server; with --server, the API there converts.',
    )
    .argument(
      '<path...>',
      'files, folders (with their subfolders), archives, patterns such as "papers/**/*.pdf", or - for standard input',
    )
    .addOption(
      new Option(
        '--to <format>',
        `${outputFormats.join(', ')}; repeatable, or separated by commas (default: md)`,
      ).argParser(createListParser(outputFormats)),
    )
    .option(
      '-o, --output <path>',
      'folder for the outputs, with the subfolders of the sources; for one document also a file such as report.md; - is standard output',
      '.',
    )
    .option('--skip-existing', 'skip documents whose outputs already exist; by default, they are replaced')
    .option('--stdin-name <name>', 'file name of standard input, which determines the format', 'stdin')
    .option('--jobs <n>', 'files to convert at the same time', createWholeNumberParser(1), availableParallelism())
    .addOption(
      new Option('--from <format>', `read these formats only: ${readableFormats.join(', ')}`).argParser(
        createListParser(readableFormats),
      ),
    )
    .addOption(
      new Option('--ocr <when>', 'recognise text in page images').choices(['auto', 'never', 'force']).default('auto'),
    )
    .option(
      '--ocr-lang <language>',
      'languages of that text, such as de; repeatable, or separated by commas (default: en)',
      appendWords,
    )
    .option('--pages <range>', 'pages of a document, such as 3 or 1-5', parsePageRange)
    .addOption(
      new Option('--image-mode <mode>', 'how pictures are written; referenced puts them into artifacts/')
        .choices(['placeholder', 'embedded', 'referenced'])
        .default('placeholder'),
    )
    .option('--timeout <seconds>', 'maximum seconds for a document (default: 600)', createWholeNumberParser(1))
    .option('--memory <mb>', 'maximum memory for a document', createWholeNumberParser(1), 2_048)
    .option(
      '--server <address>',
      'convert at the API of another machine, after `docloom login`; documents are uploaded',
    )
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  docloom convert report.docx\n  docloom convert report.docx -o report.json\n  docloom convert papers --to md --to json --output converted\n  docloom convert "mail/*.eml" --to text --jobs 4 --json\n  curl -s https://example.org/ | docloom convert - --stdin-name page.html -o -\n  docloom convert scan.pdf --pipeline vlm --model-url http://127.0.0.1:8000/v1/chat/completions --model-name granite-docling\n\nExit codes: 0 all converted, 2 wrong usage or missing path, 3 some failed.',
    )
    .action(convertFiles);
  for (const option of [...createDocumentOptions(), ...createMemberOptions(), ...createModelOptions()])
    command.addOption(option);
  return command;
}

async function convertFiles(paths: string[], options: Options): Promise<void> {
  if (options.output !== '-') return convertInto(paths, options);
  const { to = ['md'] } = options;
  if (options.json || to.length > 1 || paths.length > 1)
    throw new AppError('VALIDATION_ERROR', 'Standard output takes one document in one format, and no --json.');
  const folder = await mkdtemp(path.join(tmpdir(), 'docloom-convert-'));
  try {
    await convertInto(paths, { ...options, output: folder, toStdout: true });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function convertInto(paths: string[], givenOptions: Options & { toStdout?: boolean }): Promise<void> {
  const file = findOutputFile(givenOptions.output, givenOptions.to);
  const options = file ? { ...givenOptions, output: file.folder, to: [file.format] } : givenOptions;
  const { output: folder, to = ['md'], toStdout } = options;
  if (options.server !== undefined) refuseLocalOptions(options);
  const documents = await findSources(paths, folder);
  if (documents.length === 0) process.stderr.write(`There are no files in ${paths.join(', ')}.\n`);
  if (toStdout && documents.length > 1)
    throw new AppError('VALIDATION_ERROR', `Standard output takes one document; there are ${documents.length}.`);
  const extensions = to.map((format) => outputFiles[format].extension.slice(1));
  const sources = file
    ? nameAfterOutput(file, givenOptions.output, documents)
    : nameTargets(documents, { folder, extensions });
  await prepareOutputFolder(folder);
  const settings = readSharedSettings(options);
  const converter = await openConverter(options, sources.length);
  const started = performance.now();
  const progress = createConvertProgress(process.stderr, sources.length);
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  process.once('SIGINT', stop);
  const work: Work = { ...settings, converter, progress, signal: stopping.signal };
  const converted: ConvertedFile[][] = [];
  try {
    await mapInParallel(sources, options.jobs, async (source, index) => {
      converted[index] = await convertSource(source, work);
      progress.done();
    });
  } catch (error) {
    if (!stopping.signal.aborted) throw error;
    process.stderr.write(`docloom: cancelled; ${describeDone(converted.flat(), sources.length)}\n`);
    process.exitCode = exitCodes.cancelled;
    return;
  } finally {
    process.off('SIGINT', stop);
    progress.stop();
    await converter.close();
  }
  const files = converted.flat();
  const totals = computeTotals(files, (performance.now() - started) / 1_000);
  if (toStdout) {
    await printOutputs(files);
    if (totals.succeeded === 0) process.stderr.write(formatReport(files, totals));
  } else if (options.json) {
    process.stdout.write(`${JSON.stringify({ totals, documents: files }, null, 2)}\n`);
  } else {
    process.stdout.write(formatReport(files, totals, folder));
  }
  process.exitCode =
    totals.failed + totals.partially_succeeded > 0 ? exitCodes.completedWithErrors : exitCodes.completed;
}

function describeDone(files: readonly ConvertedFile[], total: number): string {
  const written = files.filter(({ outputs }) => outputs.length > 0).length;
  return written === 0 ? 'nothing was written.' : `${written} of ${countNouns(total, 'file')} converted and kept.`;
}

async function printOutputs(files: readonly ConvertedFile[]): Promise<void> {
  for (const file of files.flatMap(({ outputs }) => outputs)) {
    const text = await readFile(file);
    process.stdout.write(text);
    // On a terminal the prompt starts on a new line; a pipe gets exactly the bytes of the file.
    if (process.stdout.isTTY && text.at(-1) !== '\n'.charCodeAt(0)) process.stdout.write('\n');
  }
}

/** Throws INVALID_CONFIGURATION if nothing can be written there: checked first, so that no conversion is wasted. */
async function prepareOutputFolder(folder: string): Promise<void> {
  try {
    createFolder(folder);
    await access(folder, constants.W_OK);
  } catch (error) {
    const reason = (error as Error).message;
    throw new AppError(
      'INVALID_CONFIGURATION',
      `The outputs cannot go to the folder '${folder}': ${reason}.`,
      {},
      error,
    );
  }
}

/** Converts in worker threads of this process, or with `--server` at the API of another machine. */
async function openConverter(
  options: Options,
  documents: number,
): Promise<DocumentExporter & { close(): Promise<void> }> {
  if (options.server !== undefined) {
    const { connectRemote, findRemoteAddress } = await import('../server/remote');
    const { createRemoteExporter } = await import('./remote-exporter');
    const { conversion } = connectRemote(findRemoteAddress(options) ?? '', options);
    return { ...createRemoteExporter(conversion, options.timeout), close: async () => undefined };
  }
  return createConverter({
    threadFile: getThreadFile('conversion'),
    threads: Math.max(1, Math.min(options.jobs, documents)),
    memoryMb: options.memory,
  });
}

interface Work {
  converter: DocumentExporter;
  progress: Pick<ConvertProgress, 'pages'>;
  options: Options;
  convertOptions: ConvertOptions;
  vision: VisionPlan | undefined;
  /** The models that may be used; undefined when another machine converts. */
  models: VisionSettings | undefined;
  modelsFolder: string | undefined;
  signal: AbortSignal;
}

/** Settings shared by all files. Another machine uses its own models. */
function readSharedSettings(
  options: Options,
): Pick<Work, 'options' | 'convertOptions' | 'vision' | 'models' | 'modelsFolder'> {
  const convertOptions = buildConvertOptions(options);
  if (options.server !== undefined)
    return { options, convertOptions, vision: undefined, models: undefined, modelsFolder: undefined };
  const config = readConfig(process.env);
  const modelsFolder = readModelsFolder(process.env);
  if (options.ocr !== 'never') checkRecognition(options, modelsFolder);
  if (options.tableModel !== undefined) checkTableModel(modelsFolder);
  const models = buildVisionSettings(convertOptions, options, config);
  const vision = findVisionPlan(convertOptions, models);
  return { options, convertOptions, vision, models, modelsFolder };
}

/** Converts a source and, for an archive or with `--attachments`, the files within it. */
async function convertSource(source: NamedSource, work: Work): Promise<ConvertedFile[]> {
  const { options, signal } = work;
  const isStdin = source.path === '-';
  const name = isStdin ? options.stdinName : path.basename(source.path);
  const item: Item = {
    ...source,
    label: source.path,
    name,
    folder: path.dirname(path.resolve(source.path)),
    isRequired: source.isNamed,
    load: () => (isStdin ? readStdin() : readFile(source.path)),
  };
  if (isStdin || !mayHoldFiles(name, options.attachments ?? false)) return [await convertItem(item, work)];
  return convertMembers(item, {
    embedded: options.attachments ?? false,
    limits: buildMemberLimits(options),
    ...(options.password === undefined ? {} : { password: options.password }),
    jobs: options.jobs,
    signal,
    convert: (item) => convertItem(item, work),
  });
}

async function readStdin(): Promise<Buffer> {
  const bytes = await buffer(process.stdin);
  if (bytes.length === 0) throw new AppError('VALIDATION_ERROR', 'Standard input is empty.');
  return bytes;
}

async function convertItem(item: Item, work: Work): Promise<ConvertedFile> {
  const { options, signal } = work;
  const started = performance.now();
  const base = { source: item.label, format: null, pages: 0, outputs: [], replaced: 0 };
  const measureSeconds = () => Math.round(performance.now() - started) / 1_000;
  const targetFiles = getTargetFiles(item, options);
  const existing = Object.values(targetFiles).filter((file) => existsSync(file));
  if (options.skipExisting && existing.length > 0)
    return { ...base, status: 'skipped', seconds: 0, messages: [`${existing.join(', ')} already exists.`] };
  // The content of a file within a file is available, and identifies the format of `LICENSE`.
  if (!item.isRequired && item.folder !== undefined && !isKnown(item.name, work)) {
    const reason = findUnreadReason({ name: item.name, bytes: new Uint8Array() }) ?? 'Its format is unknown.';
    return { ...base, status: 'skipped', seconds: 0, messages: [reason] };
  }
  try {
    const exported = await work.converter.exportDocument({
      ...buildExportRequest(item, work),
      outputFiles: targetFiles,
      onPages: (pages) => work.progress.pages(toPrintable(item.label), pages),
    });
    await writeArtifacts(item, options, exported);
    const messages = [
      ...exported.errors.map(({ error_message: message }) =>
        explainRefusal(message, exported, item.name, options.from),
      ),
      ...(exported.warnings ?? []),
    ];
    // A named file that no reader supports is a failure; a file excluded by --from is not.
    const isRefused = exported.status === 'skipped' && item.isRequired && options.from === undefined;
    const { format, pages } = exported;
    const status = isRefused ? 'failure' : exported.status;
    const outputs = Object.keys(exported.writtenFiles ?? {}).map((name) => targetFiles[name] as string);
    const replaced = outputs.filter((file) => existing.includes(file)).length;
    const seconds = measureSeconds();
    return {
      ...base,
      status,
      format,
      pages,
      seconds,
      outputs,
      replaced,
      messages,
      ...collectDetails(exported, isRefused),
    };
  } catch (error) {
    // A terminated thread leaves partial files behind.
    for (const file of Object.values(targetFiles))
      await rm(buildPartPath(file), { force: true }).catch(() => undefined);
    if (signal.aborted) throw error;
    const { code, message } = asAppError(error, 'CONVERSION_FAILED');
    return { ...base, status: 'failure', seconds: measureSeconds(), code, messages: [message] };
  } finally {
    work.progress.pages(toPrintable(item.label), undefined);
  }
}

/** What only some documents have. */
function collectDetails(exported: ExportedDocument, isRefused: boolean) {
  const { coverage = [], textShare } = exported;
  const code = findFailureCode(exported, isRefused);
  return {
    ...(code === undefined ? {} : { code }),
    ...(coverage.length > 0 ? { coverage } : {}),
    ...(textShare ? { page_text: textShare } : {}),
  };
}

/** Says of a refusal, which the service words for its clients, what to do. */
function explainRefusal(message: string, { format }: ExportedDocument, name: string, from?: readonly string[]): string {
  if (message !== `File format not allowed: ${name}`) return message;
  if (from !== undefined)
    return `Its format is not one of those of --from${format === null ? '' : `: it is ${format}`}.`;
  return 'Its format is unknown; `docloom convert --help` lists the formats.';
}

function buildExportRequest({ name, folder, load }: Item, work: Work) {
  const { options, convertOptions, models, modelsFolder, signal } = work;
  const vision = models ? addSpeech(work.vision, models, { name }) : work.vision;
  return {
    name,
    ...(folder === undefined ? {} : { folder }),
    load,
    options: convertOptions,
    ...(vision ? { vision } : {}),
    ...(options.to?.includes('chunks') ? { chunking: buildChunking(options) } : {}),
    ...(modelsFolder === undefined ? {} : { modelsFolder }),
    ...(options.password === undefined ? {} : { password: options.password }),
    ...(options.export ? { parts: options.export } : {}),
    packaging: 'archive' as const,
    timeoutMs: (options.timeout ?? 600) * 1_000,
    fairnessKey: '',
    signal,
  };
}

function isKnown(file: string, { models }: Pick<Work, 'models'>): boolean {
  return (
    (models?.speech !== undefined && isRecording({ name: file })) || formats.some((format) => isNamedLike(format, file))
  );
}

/** The files to write for a source, by format. */
function getTargetFiles(source: Pick<Item, 'target'>, { output, to = ['md'] }: Options): Record<string, string> {
  const target = path.join(output, source.target);
  return Object.fromEntries(to.map((format) => [format, target + outputFiles[format].extension]));
}

/** Writes pictures that the outputs refer to, and exported parts, next to the outputs. */
async function writeArtifacts(
  source: Pick<Item, 'target'>,
  options: Options,
  exported: ExportedDocument,
): Promise<void> {
  const folder = path.dirname(path.join(options.output, source.target));
  const parts = `${path.basename(source.target)}.parts`;
  const partFiles = (exported.parts ?? []).map(({ name, bytes }) => ({ name: path.join(parts, name), bytes }));
  for (const { name, bytes } of [...exported.artifacts, ...partFiles]) {
    const file = path.join(folder, name);
    createFolder(path.dirname(file));
    await writeFile(file, bytes);
  }
}
