import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Command, Option } from 'commander';
import { documentToJson, type DoclingDocument, toMarkdown, toMarkdownPages } from '../document';
import {
  ConfigurationError,
  isRecord,
  jsonText,
  parseJsonText,
  type PipelineContext,
  type PipelineOptions,
  type Profile,
  runPipeline,
} from '../graph';
import { formatOption, profileOption } from './graph-build';
import { readJsonFile, writePieces } from './graph-files';
import { type ModelChoice, modelOptions, openGraphModel } from './graph-model';
import { graphOutcome, printJson } from './graph-outcome';
import { loadTemplate } from './graph-template-file';
import { defaultFormats, type GraphFormat, writeGraphFiles } from './graph-write';

interface Options extends ModelChoice {
  template: string;
  schema?: string;
  output: string;
  options?: string;
  backend: string;
  processingMode?: string;
  extractionContract?: string;
  chunking: boolean;
  chunkMaxTokens?: string;
  parallelWorkers?: string;
  gleaning: boolean;
  provenance: string;
  reverseEdges?: boolean;
  exportJson: boolean;
  exportMarkdown: boolean;
  exportPerPage?: boolean;
  profile: Profile;
  format?: GraphFormat[];
  json?: boolean;
}

/** `docloom graph extract SOURCE --template T --output DIR`: from a document to the files of its graph, without a server. */
export function graphExtractCommand(): Command {
  const command = new Command('extract')
    .description(
      'Reads a document, extracts what the template asks for, and writes the graph, its evidence and the document.',
    )
    .argument('<source>', 'the document, of any format that docloom reads')
    .requiredOption('-t, --template <template>', 'a .json or .yaml file, or a dotted path module.Template')
    .requiredOption('-o, --output <dir>', 'folder for the files; made when it is missing')
    .option('--schema <schema.json>', 'JSON Schema for the schema hash of the template')
    .option('--options <options.json>', 'options of the pipeline as JSON; what stands on the command line counts more')
    .addOption(
      new Option('--backend <backend>', 'rules: labels and tables, no model; llm: a language model')
        .choices(['rules', 'llm', 'vlm'])
        .default('rules'),
    )
    .addOption(
      new Option('--processing-mode <mode>', 'a model for each page, or one').choices(['one-to-one', 'many-to-one']),
    )
    .addOption(
      new Option('--extraction-contract <contract>', 'how models are asked').choices(['direct', 'dense', 'auto']),
    )
    .option('--no-chunking', 'ask about the whole')
    .option('--chunk-max-tokens <n>', 'most tokens of a chunk')
    .option('--parallel-workers <n>', 'questions at a time')
    .option('--no-gleaning', 'do not ask again for what was missed')
    .addOption(
      new Option('--provenance <level>', 'how much evidence is kept')
        .choices(['off', 'standard', 'detailed'])
        .default('standard'),
    )
    .option('--reverse-edges', 'an edge back for each edge')
    .option('--no-export-json', 'do not write converted_document.json')
    .option('--no-export-markdown', 'do not write markdown/full_document.md')
    .option('--export-per-page', 'write markdown/pages/page_N.md')
    .addOption(profileOption())
    .addOption(formatOption())
    .option('--json', 'print what was written as JSON')
    .action((source: string, options: Options) => graphOutcome(options.json, () => extract(source, options)));
  for (const option of modelOptions()) command.addOption(option);
  return command;
}

async function extract(source: string, options: Options): Promise<void> {
  const template = await loadTemplate(options.template, options.schema);
  const { document, text } = await readDocument(source);
  const pipeline = await pipelineOptions(options);
  const opened = pipeline.backend === 'llm' ? openGraphModel(options, process.env) : undefined;
  const context = await runPipeline({
    source: text ?? document,
    template,
    options: pipeline,
    ...(opened ? { model: opened.model } : {}),
    sourceName: path.basename(source),
    convertedAt: new Date().toISOString().slice(0, 19),
  }).finally(() => opened?.close());
  const { graph, extracted_models: models, provenance, problems } = context;
  const { output, profile, format = defaultFormats } = options;
  const files = await writeGraphFiles(output, { graph, profile, formats: format, sourceModels: models.length });
  files.push(...(await writeEvidence(context, output)), ...(await writeDocument(document, options)));
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
  process.stdout.write(`${graph.nodes.size} nodes, ${graph.edges.size} edges in ${output}: ${files.join(', ')}\n`);
  for (const problem of problems) process.stderr.write(`left out: ${problem}\n`);
}

// Plain text and Markdown keep their lines, in which labels stand; as paragraphs they would be joined.
async function readDocument(source: string): Promise<{ document: DoclingDocument; text?: string }> {
  if (/^https?:/i.test(source))
    throw new ConfigurationError(`The source '${source}' is an address; this command reads files`, { source });
  const bytes = await readFile(source).catch((error: unknown) => {
    throw new ConfigurationError(`The source '${source}' cannot be read`, { source }, error);
  });
  if (source.toLowerCase().endsWith('.json')) refuseGraph(source, bytes.toString('utf8'));
  const { convertBytes } = await import('../formats');
  const { document } = await convertBytes({ bytes, name: path.basename(source) });
  return /\.(md|markdown|txt)$/i.test(source) ? { document, text: bytes.toString('utf8') } : { document };
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

async function pipelineOptions(options: Options): Promise<Partial<PipelineOptions>> {
  const file = options.options === undefined ? {} : await readJsonFile(options.options, 'options');
  if (!isRecord(file)) throw new ConfigurationError('The options must be an object', {});
  const given = {
    backend: options.backend,
    processing_mode: options.processingMode,
    extraction_contract: options.extractionContract,
    use_chunking: options.chunking ? undefined : false,
    chunk_max_tokens: options.chunkMaxTokens === undefined ? undefined : Number(options.chunkMaxTokens),
    parallel_workers: options.parallelWorkers === undefined ? undefined : Number(options.parallelWorkers),
    gleaning_enabled: options.gleaning ? undefined : false,
    provenance: options.provenance,
    reverse_edges: options.reverseEdges,
    profile: options.profile,
  };
  const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return { ...file, ...set };
}

async function writeEvidence({ provenance, extracted_models }: PipelineContext, folder: string): Promise<string[]> {
  await writePieces(path.join(folder, 'models.json'), [jsonText(extracted_models, { indent: 2, nonFinite: 'null' })]);
  if (!provenance) return ['models.json'];
  await writePieces(path.join(folder, 'provenance.json'), [jsonText(provenance, { indent: 2, nonFinite: 'null' })]);
  return ['models.json', 'provenance.json'];
}

/** The document by the flags of the specification; the peer has its own names for the same files. */
async function writeDocument(document: DoclingDocument, options: Options): Promise<string[]> {
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
