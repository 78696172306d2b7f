import path from 'node:path';
import { Command, Option } from 'commander';
import { documentToJson, type DoclingDocument, toMarkdown, toMarkdownPages } from '../../document';
import {
  atPeerStage,
  ConfigurationError,
  contentHash,
  type GraphTemplate,
  type GraphValue,
  isRecord,
  jsonText,
  parseJsonText,
  type PipelineContext,
  type PipelineOptions,
  type Profile,
  runPipeline,
} from '../../graph';
import { countNouns } from '../../model/count-nouns';
import { findModelType } from '../../model/llm/model-host';
import { createFormatOption, createProfileOption } from './build';
import { readJsonFile, readNamedFile, writePieces } from './files';
import { type ModelChoice, createModelOptions, openGraphModel, openPictureModel, createTokenCounter } from './model';
import { reportOutcome, printJson } from './outcome';
import { buildRunFolder } from './run-folder';
import { loadTemplate, templateHelp } from './template-file';
import { defaultFormats, type GraphFormat, writeGraphFiles } from './write';

interface Options extends ModelChoice {
  /** The earlier spelling of `modelId`. */
  model?: string;
  template: string;
  schema?: string;
  output?: string;
  options?: string;
  backend: string;
  inference?: string;
  processingMode?: string;
  extractionContract?: string;
  chunking: boolean;
  chunkMaxTokens?: string;
  contextLimit?: string;
  maxOutputTokens?: string;
  denseDedupe?: string;
  debug?: boolean;
  parallelWorkers?: string;
  gleaning: boolean;
  provenance: string;
  reverseEdges?: boolean;
  exportJson: boolean;
  exportMarkdown: boolean;
  exportPerPage?: boolean;
  profile: Profile;
  format?: GraphFormat[];
  server?: string;
  json?: boolean;
}

/**
 * `docloom graph extract SOURCE --template T --output DIR`: extracts a graph from a document and writes its files, without a server.
 */
export function createGraphExtractCommand(): Command {
  const command = new Command('extract')
    .description(
      'Reads a document, extracts what the template describes, and writes the graph, its evidence and the document.',
    )
    .argument('<source>', 'the document, in any format that docloom reads')
    .requiredOption('-t, --template <template>', templateHelp)
    .option('-o, --output <dir>', 'folder for the files; default: outputs/ with the source name and the time')
    .option('--schema <schema.json>', 'JSON Schema for the schema hash of the template')
    .option('--options <options.json>', 'options of the pipeline as JSON; the command line takes precedence')
    .addOption(
      new Option(
        '--backend <backend>',
        'rules: labels and tables, no model; llm: a language model; vlm: a vision model',
      )
        .choices(['rules', 'llm', 'vlm'])
        .default('rules'),
    )
    .addOption(
      new Option('--processing-mode <mode>', 'extract from each page separately, or from the whole document').choices([
        'one-to-one',
        'many-to-one',
      ]),
    )
    .addOption(
      new Option('--extraction-contract <contract>', 'how models are asked').choices(['direct', 'dense', 'auto']),
    )
    .option('--no-chunking', 'send the whole document')
    .option('--chunk-max-tokens <n>', 'maximum tokens of a chunk')
    .option('--context-limit <n>', 'maximum tokens of a request and its answer together')
    .option('--max-output-tokens <n>', 'maximum tokens of an answer')
    .option('--parallel-workers <n>', 'concurrent requests')
    .addOption(new Option('--inference <where>', 'where the model runs; vlm only locally').choices(['local', 'remote']))
    .addOption(
      new Option('--dense-dedupe <how>', 'which names the contract dense treats as the same thing').choices([
        'off',
        'standard',
        'aggressive',
      ]),
    )
    .option('--debug', 'write debug/: the steps of the run and their intermediate results')
    .option('--no-gleaning', 'send no second request for missed facts')
    .addOption(
      new Option('--provenance <level>', 'how much evidence is kept')
        .choices(['off', 'standard', 'detailed'])
        .default('standard'),
    )
    .option('--reverse-edges', 'add a reverse edge for each edge')
    .option('--no-export-json', 'do not write converted_document.json')
    .option('--no-export-markdown', 'do not write markdown/full_document.md')
    .option('--export-per-page', 'write markdown/pages/page_N.md')
    .addOption(createProfileOption())
    .addOption(createFormatOption())
    .option('--server <address>', 'extract on the API of another machine, after `docloom login`')
    .option('--json', 'print what was written as JSON')
    .action((source: string, options: Options) => reportOutcome(options.json, () => extract(source, options)));
  for (const option of createModelOptions()) command.addOption(option);
  return command;
}

async function extract(source: string, options: Options): Promise<void> {
  const { profile, format = defaultFormats } = options;
  if (options.server !== undefined) return extractAt(options.server, source, options);
  // The Python library names the stage in every error.
  const atStage = profile === 'peer' ? atPeerStage : <T>(_stage: string, work: () => Promise<T>) => work();
  const pipeline = await loadPipelineOptions(options);
  const input = await atStage('Input Normalization', () => readDocument(source, pipeline));
  const template = await atStage('Template Loading', () => loadTemplate(options.template, options.schema));
  const context = await atStage('Extraction', () => run({ source, input, template, pipeline }, options));
  const { graph, extracted_models: models, provenance, problems } = context;
  const output = options.output ?? path.join('outputs', buildRunFolder(path.basename(source), new Date()));
  const result = { graph, profile, formats: format, sourceModels: models.length };
  const files = await writeGraphFiles(output, { ...result, extraction: buildFacts(context, pipeline) });
  files.push(
    ...(await writeEvidence(context, output)),
    ...(await writeDocument(input.document, { ...options, output })),
  );
  if (options.json) {
    const counts = { node_count: graph.nodes.size, edge_count: graph.edges.size };
    printJson({
      ok: true,
      output,
      files,
      ...counts,
      models: models.length,
      has_ledger: provenance !== undefined,
      problems,
    });
    return;
  }
  process.stdout.write(
    `${countNouns(graph.nodes.size, 'node')}, ${countNouns(graph.edges.size, 'edge')} in ${output}: ${files.join(', ')}\n`,
  );
  for (const problem of problems) process.stderr.write(`left out: ${problem}\n`);
}

async function extractAt(server: string, source: string, options: Options): Promise<void> {
  if (options.provider !== undefined || findModelId(options) !== undefined)
    throw new ConfigurationError('With --server, name the model in --options: type and provider_config', {});
  const { extractThere } = await import('./extract-there');
  const output = options.output ?? path.join('outputs', buildRunFolder(path.basename(source), new Date()));
  const { template, format: formats } = options;
  const pipeline = { ...(await loadPipelineOptions(options)) };
  const { graph, files } = await extractThere({ server, source, template, output, options: pipeline, formats });
  const { id, nodes: node_count, edges: edge_count } = graph;
  if (options.json) return printJson({ ok: true, id, output, files, node_count, edge_count });
  process.stdout.write(
    `${countNouns(node_count ?? 0, 'node')}, ${countNouns(edge_count ?? 0, 'edge')} in ${output}: ${files.join(', ')}\n`,
  );
}

function findModelId({ modelId, model }: Options): string | undefined {
  return modelId ?? model;
}

function buildFacts({ contract, dense_stats }: PipelineContext, { extraction_contract }: Partial<PipelineOptions>) {
  return {
    contract: extraction_contract ?? 'auto',
    used: contract.used,
    ...(dense_stats ? { dense: dense_stats } : {}),
  };
}

interface Work {
  source: string;
  input: InputDocument;
  template: GraphTemplate;
  pipeline: Partial<PipelineOptions>;
}

async function run({ source, input, template, pipeline }: Work, options: Options): Promise<PipelineContext> {
  const opened = await openModel(options, pipeline);
  const countTokens =
    pipeline.backend === 'llm' ? await createTokenCounter(buildModelChoice(options, pipeline), process.env) : undefined;
  return runPipeline({
    source: input.text ?? input.document,
    template,
    options: pipeline,
    ...(opened ? { model: opened.model } : {}),
    ...(countTokens ? { countTokens } : {}),
    sourceName: path.basename(source),
    documentId: input.id,
    convertedAt: new Date().toISOString().slice(0, 19),
  }).finally(() => opened?.close());
}

// Conflicting options are reported before a missing model.
async function openModel(options: Options, pipeline: Partial<PipelineOptions>) {
  const { backend, inference } = pipeline;
  const choice = buildModelChoice(options, pipeline);
  if (backend === 'llm') return openGraphModel(choice, process.env);
  return backend === 'vlm' && inference !== 'remote' ? openPictureModel(choice, process.env) : undefined;
}

function buildModelChoice(
  options: Options,
  { provider_override, model_override }: Partial<PipelineOptions>,
): ModelChoice {
  const { provider = findModelType(provider_override ?? '') ?? provider_override } = options;
  return { ...options, provider, modelId: options.modelId ?? options.model ?? model_override };
}

interface InputDocument {
  document: DoclingDocument;
  /** Only for Markdown and plain text. */
  text?: string;
  /** The id of the document in ledgers: a hash of its bytes. */
  id: string;
}

/** Scale of page images for a model; 1 is 72 dpi. */
const pageScale = 2;

// Plain text and Markdown keep their lines, which contain the labels; parsing would join them into paragraphs.
async function readDocument(source: string, { backend }: Partial<PipelineOptions>): Promise<InputDocument> {
  if (/^https?:/i.test(source))
    throw new ConfigurationError(`The source '${source}' is an address; this command reads files`, { source });
  const bytes = await readNamedFile(source, 'source');
  if (source.toLowerCase().endsWith('.json')) refuseGraph(source, bytes.toString('utf8'));
  const { convertBytes } = await import('../../formats');
  const paged = backend === 'vlm' ? { paged: { pageScale } } : {};
  const { document } = await convertBytes({ bytes, name: path.basename(source), ...paged });
  const id = contentHash(bytes);
  return /\.(md|markdown|txt)$/i.test(source) ? { document, id, text: bytes.toString('utf8') } : { document, id };
}

function refuseGraph(source: string, text: string): void {
  let value;
  try {
    value = parseJsonText(text);
  } catch {
    return;
  }
  if (isRecord(value) && 'nodes' in value && 'edges' in value)
    throw new ConfigurationError(`'${source}' is an exported graph, not a document`, {
      file: source,
      hint: 'Exported graphs are put together with docloom graph merge.',
    });
}

async function loadPipelineOptions(options: Options): Promise<Partial<PipelineOptions>> {
  const file = options.options === undefined ? {} : await readJsonFile(options.options, 'options');
  if (!isRecord(file)) throw new ConfigurationError('The options must be an object', {});
  const flags = {
    backend: options.backend,
    inference: options.inference,
    processing_mode: options.processingMode,
    extraction_contract: options.extractionContract,
    use_chunking: options.chunking ? undefined : false,
    chunk_max_tokens: toNumber(options.chunkMaxTokens),
    context_limit: toNumber(options.contextLimit),
    max_output_tokens: toNumber(options.maxOutputTokens),
    dense_dedupe: options.denseDedupe,
    debug: options.debug,
    parallel_workers: toNumber(options.parallelWorkers),
    gleaning_enabled: options.gleaning ? undefined : false,
    provenance: options.provenance,
    reverse_edges: options.reverseEdges,
    profile: options.profile,
  };
  const given = Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined));
  return { ...file, ...given };
}

// The pipeline checks its options and reports anything that is not a whole number.
const toNumber = (text: string | undefined) => (text === undefined ? undefined : Number(text));

async function writeEvidence(context: PipelineContext, folder: string): Promise<string[]> {
  const { provenance, extracted_models, dense_stats, trace_data } = context;
  const values: [string, GraphValue | undefined][] = [
    ['models.json', extracted_models],
    ['provenance.json', provenance],
    ['debug/trace_data.json', trace_data],
    ['debug/dense_run_stats.json', trace_data && dense_stats],
  ];
  const written: string[] = [];
  for (const [name, value] of values) {
    if (value === undefined) continue;
    await writePieces(path.join(folder, name), [jsonText(value, { indent: 2, nonFinite: 'null' })]);
    written.push(name);
  }
  return written;
}

/** Writes the document as the options ask. With the profile `peer`, the files have the names of the Python library. */
async function writeDocument(read: DoclingDocument, options: Options & { output: string }): Promise<string[]> {
  // Page images were only needed for the model.
  const pages = Object.entries(read.pages).map(([number, { image: _image, ...page }]) => [number, page] as const);
  const document = { ...read, pages: Object.fromEntries(pages) };
  const isPeer = options.profile === 'peer';
  const texts: [string, string][] = [];
  if (options.exportJson)
    texts.push([isPeer ? 'docling/document.json' : 'converted_document.json', documentToJson(document, { indent: 2 })]);
  if (options.exportMarkdown)
    texts.push([isPeer ? 'docling/document.md' : 'markdown/full_document.md', toMarkdown(document)]);
  if (options.exportPerPage)
    for (const { page, text } of toMarkdownPages(document)) {
      const padded = String(page).padStart(3, '0');
      texts.push([isPeer ? `docling/document_pages/page_${padded}.md` : `markdown/pages/page_${page}.md`, text]);
    }
  for (const [name, text] of texts) await writePieces(path.join(options.output, name), [text]);
  return texts.map(([name]) => name);
}
