import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Command } from 'commander';
import {
  ConfigurationError,
  describeTemplate,
  isRecord,
  parseJsonText,
  reachableClasses,
  type GraphTemplate,
  templateFromInstance,
  templateFromSample,
  templateToFile,
  templateToYaml,
} from '../../graph';
import { writePieces } from './files';
import { graphOutcome, printJson } from './outcome';
import { loadTemplate } from './template-file';

interface Options {
  describe?: boolean;
  root?: string;
  output?: string;
  json?: boolean;
}

/** `docloom graph template`: derives a template from a sample, or describes and checks a template. */
export function graphTemplateCommand(): Command {
  return new Command('template')
    .description('Derives a template from a sample document, or describes and checks an existing one. Uses no model.')
    .argument('<source>', 'a sample: any document, or a .json file with an instance; with --describe a template')
    .option('--describe', 'check the template <source> and describe it in Markdown')
    .option('--root <name>', "name of the root class; by default the sample's file name")
    .option('-o, --output <file>', 'write there instead of to standard output; .json writes JSON, everything else YAML')
    .option('--json', 'print JSON')
    .action((source: string, options: Options) =>
      graphOutcome(options.json, () => (options.describe ? describe(source, options) : make(source, options))),
    );
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

async function make(source: string, { root, output, json }: Options): Promise<void> {
  const template = await templateOfSample(source, root ?? path.basename(source).replace(/\.[^.]*$/, ''));
  if ((template.classes.get(template.root)?.fields.length ?? 0) === 0)
    throw new ConfigurationError(
      `The sample '${source}' has nothing labelled: no 'Label: value', no table with headings`,
      {
        path: source,
      },
    );
  const isJson = output?.toLowerCase().endsWith('.json') ?? json;
  const text = isJson ? `${JSON.stringify(templateToFile(template), null, 2)}\n` : templateToYaml(template);
  if (output) await writePieces(output, [text]);
  if (json) printJson({ ok: true, root: template.root, template: templateToFile(template) });
  else if (!output) process.stdout.write(text);
}

async function templateOfSample(source: string, root: string): Promise<GraphTemplate> {
  const bytes = await readFile(source).catch((error: unknown) => {
    throw new ConfigurationError(`The sample '${source}' cannot be read`, { path: source }, error);
  });
  const instance = source.toLowerCase().endsWith('.json') ? instanceOf(bytes.toString('utf8')) : undefined;
  if (instance) return templateFromInstance(instance, root);
  if (/\.(md|markdown|txt)$/i.test(source)) return templateFromSample(bytes.toString('utf8'), root);
  const { convertBytes } = await import('../../formats');
  const { toMarkdown } = await import('../../document');
  const { document } = await convertBytes({ bytes, name: path.basename(source) });
  return templateFromSample(toMarkdown(document), root);
}

// A DoclingDocument is a document, not an instance.
function instanceOf(text: string) {
  try {
    const value = parseJsonText(text);
    const one = Array.isArray(value) ? (value[0] ?? null) : value;
    return isRecord(one) && one['schema_name'] === undefined ? one : undefined;
  } catch {
    return undefined;
  }
}
