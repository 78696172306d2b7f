import path from 'node:path';
import { Command } from 'commander';
import {
  ConfigurationError,
  describeTemplate,
  improveTemplate,
  isRecord,
  parseJsonText,
  reachableClasses,
  type GraphTemplate,
  kindOf,
  templateFromInstance,
  templateFromSamples,
  type TemplateSample,
  templateToFile,
  templateToYaml,
} from '../../graph';
import { countNouns } from '../../model/count-nouns';
import { readNamedFile, writePieces } from './files';
import { type ModelChoice, createModelOptions, openGraphModel } from './model';
import { reportOutcome, printJson } from './outcome';
import { loadClassTemplate, loadTemplate } from './template-file';

interface Options extends ModelChoice {
  /** The other spelling of `modelId`. */
  model?: string;
  describe?: boolean;
  class?: string;
  root?: string;
  output?: string;
  json?: boolean;
}

/** `docloom graph template`: derives a template from a sample, or describes and checks a template. */
export function createGraphTemplateCommand(): Command {
  const command = new Command('template')
    .description(
      'Derives a template from sample documents, or describes and checks an existing one. Asks a language model to improve the draft if --model-id names one.',
    )
    .argument(
      '[sources...]',
      'samples of one kind: documents, or one .json file with an instance; with --describe a template',
    )
    .option('--describe', 'check the template <source> and describe it in Markdown')
    .option('--class <name>', 'the template that ships for this document class, such as invoice')
    .option(
      '--root <name>',
      'name of the root class; default: the kind named in the titles or file names of the samples',
    )
    .option('-o, --output <file>', 'write there instead of to standard output; .json writes JSON, everything else YAML')
    .option('--json', 'print JSON')
    .action((sources: string[], options: Options) =>
      reportOutcome(options.json, () =>
        options.describe ? describe(requireOneSource(sources, '--describe'), options) : derive(sources, options),
      ),
    );
  for (const option of createModelOptions()) command.addOption(option);
  return command;
}

async function describe(source: string, { output, json }: Options): Promise<void> {
  const template = await loadTemplate(source);
  const text = describeTemplate(template);
  if (output) await writePieces(output, [text]);
  if (json) {
    const classes = reachableClasses(template).map(({ name }) => name);
    printJson({ ok: true, root: template.root, classes, template: templateToFile(template), markdown: text });
  } else if (!output) process.stdout.write(text);
}

async function derive(sources: readonly string[], options: Options): Promise<void> {
  const { output, json, class: type } = options;
  const template =
    type === undefined ? await draftTemplate(sources, options) : await loadShippedTemplate(type, sources);
  if (!template.classes.get(template.root)?.fields.length) {
    const finding =
      sources.length === 1
        ? `The sample '${sources[0]}' has nothing labelled`
        : `The ${sources.length} samples have nothing labelled in common`;
    throw new ConfigurationError(`${finding}: no 'Label: value', no table with headings`, { path: sources.join(', ') });
  }
  const isJson = output?.toLowerCase().endsWith('.json') ?? json;
  const text = isJson ? `${JSON.stringify(templateToFile(template), null, 2)}\n` : templateToYaml(template);
  if (output) await writePieces(output, [text]);
  const summary = type === undefined ? formatSummary(template, sources.length) : '';
  if (json) printJson({ ok: true, root: template.root, template: templateToFile(template) });
  else if (output) process.stdout.write(`${summary}Written to ${output}.\n`);
  else {
    process.stdout.write(text);
    process.stderr.write(summary);
  }
}

/** Describes the template, one line per class. */
function formatSummary(template: GraphTemplate, samples: number): string {
  const classes = reachableClasses(template);
  const lines = classes.map(({ name, idFields, fields }) => {
    const fieldNames = fields.map((field) =>
      field.model ? `${field.name} (${field.isList ? 'many ' : ''}${field.model})` : field.name,
    );
    const identity = idFields.length > 0 ? `, known by ${idFields.join(', ')}` : '';
    return `  ${name}${identity}: ${fieldNames.join(', ')}\n`;
  });
  return `From ${countNouns(samples, 'sample')}:\n${lines.join('')}`;
}

async function loadShippedTemplate(type: string, sources: readonly string[]): Promise<GraphTemplate> {
  if (sources.length > 0) throw new ConfigurationError('--class takes no samples', { option: '--class' });
  return loadClassTemplate(type);
}

function requireOneSource(sources: readonly string[], option: string): string {
  const [source = '', ...others] = sources;
  if (others.length === 0) return source;
  throw new ConfigurationError(`${option} takes one template, not ${sources.length}`, { option });
}

async function draftTemplate(sources: readonly string[], options: Options): Promise<GraphTemplate> {
  const { root, model, modelId = model } = options;
  const [first = ''] = sources;
  if (sources.length === 0)
    throw new ConfigurationError('Expected a sample document, or --class with the name of a document class');
  if (sources.length === 1 && first.toLowerCase().endsWith('.json')) {
    const instance = parseInstance((await readNamedFile(first, 'sample')).toString('utf8'));
    if (instance) return templateFromInstance(instance, root ?? kindOf([getStem(first)]));
  }
  const samples: TemplateSample[] = [];
  for (const source of sources) samples.push({ name: getStem(source), markdown: await readMarkdown(source) });
  const draft = templateFromSamples(samples, root);
  if (modelId === undefined) return draft;
  const opened = openGraphModel({ ...options, modelId }, process.env);
  try {
    return await improveTemplate({ model: opened.model }, samples, draft);
  } finally {
    opened.close();
  }
}

const getStem = (source: string) => path.basename(source).replace(/\.[^.]*$/, '');

async function readMarkdown(source: string): Promise<string> {
  const bytes = await readNamedFile(source, 'sample');
  if (/\.(md|markdown|txt)$/i.test(source)) return bytes.toString('utf8');
  const { convertBytes } = await import('../../formats');
  const { toMarkdown } = await import('../../document');
  const { document } = await convertBytes({ bytes, name: path.basename(source) });
  return toMarkdown(document);
}

// A DoclingDocument is a document, not an instance.
function parseInstance(text: string) {
  try {
    const value = parseJsonText(text);
    const item = Array.isArray(value) ? (value[0] ?? null) : value;
    return isRecord(item) && item['schema_name'] === undefined ? item : undefined;
  } catch {
    return undefined;
  }
}
