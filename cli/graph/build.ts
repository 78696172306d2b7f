import { Command, Option } from 'commander';
import {
  type Attributes,
  buildGraph,
  type BuildOptions,
  ConfigurationError,
  type GraphValue,
  graphProblems,
  isRecord,
  type Profile,
  ValueError,
} from '../../graph';
import { countNouns } from '../../model/count-nouns';
import { readJsonFile } from './files';
import { reportOutcome, printJson } from './outcome';
import { loadTemplate, templateHelp } from './template-file';
import { defaultFormats, type GraphFormat, graphFormats, writeGraphFiles } from './write';

interface Options {
  output: string;
  options?: string;
  schema?: string;
  profile: Profile;
  format?: GraphFormat[];
  json?: boolean;
}

/** `docloom graph build TEMPLATE INPUT.json`: builds a graph from existing instances, without extraction. */
export function createGraphBuildCommand(): Command {
  return new Command('build')
    .description('Builds a graph from instances of a template and writes its files.')
    .argument('<template>', `template: ${templateHelp}`)
    .argument('<input.json>', 'an instance of the root class, or a list of them')
    .requiredOption('-o, --output <dir>', 'folder for the files; created if missing')
    .option(
      '--options <options.json>',
      'reverse_edges, clean_up and bounds (true or false), also under the names of the Python library',
    )
    .option(
      '--schema <schema.json>',
      'JSON Schema for the schema hash; by default TEMPLATE.schema.json beside the template',
    )
    .addOption(createProfileOption())
    .addOption(createFormatOption())
    .option('--json', 'print what was written as JSON')
    .action((template: string, input: string, options: Options) =>
      reportOutcome(options.json, () => build(template, input, options)),
    );
}

/** The option `--profile` of all graph commands. */
export function createProfileOption(): Option {
  return new Option('--profile <profile>', 'spec: the specified formats; peer: those of the Python library')
    .choices(['spec', 'peer'])
    .default('spec');
}

/** The option `--format` of all commands that write a graph. */
export function createFormatOption(): Option {
  const names = defaultFormats.join(', ');
  return new Option('--format <name...>', `files to write, by default ${names}`).choices(graphFormats);
}

async function build(templateName: string, inputFile: string, options: Options): Promise<void> {
  const template = await loadTemplate(templateName, options.schema);
  const fileOptions =
    options.options === undefined ? {} : parseBuildOptions(await readJsonFile(options.options, 'options'));
  const instances = listInstances(await readJsonFile(inputFile, 'input'), inputFile);
  const graph = buildGraph(template, instances, { ...fileOptions, profile: options.profile });
  const problems = fileOptions.isChecked === false ? [] : graphProblems(graph);
  if (problems.length > 0) throw new ValueError(`The graph is invalid: ${problems.join('; ')}`);
  const files = await writeGraphFiles(options.output, {
    graph,
    profile: options.profile,
    formats: options.format ?? defaultFormats,
    sourceModels: instances.length,
  });
  const edges = graph.edges.size;
  if (options.json)
    printJson({ ok: true, output: options.output, files, node_count: graph.nodes.size, edge_count: edges });
  else
    process.stdout.write(
      `${countNouns(graph.nodes.size, 'node')}, ${countNouns(edges, 'edge')} in ${options.output}: ${files.join(', ')}\n`,
    );
}

function listInstances(value: GraphValue, file: string): Attributes[] {
  const list = Array.isArray(value) ? value : [value];
  const wrong = list.findIndex((entry) => !isRecord(entry));
  if (wrong >= 0)
    throw new ConfigurationError(
      `The input '${file}' must be an object or a list of objects, but item ${wrong} is not an object`,
      {
        path: file,
        item: wrong,
      },
    );
  return list.filter(isRecord);
}

/** Option names: ours, and those of the Python library's converter and pipeline. */
const optionNames: Record<string, 'reverseEdges' | 'cleanUp' | 'bounds' | 'isChecked'> = {
  reverse_edges: 'reverseEdges',
  add_reverse_edges: 'reverseEdges',
  clean_up: 'cleanUp',
  auto_cleanup: 'cleanUp',
  bounds: 'bounds',
  enforce_cardinality_bounds: 'bounds',
  validate_graph: 'isChecked',
};

function parseBuildOptions(given: GraphValue): BuildOptions & { isChecked?: boolean } {
  if (!isRecord(given)) throw new ConfigurationError('The options must be an object', {});
  const flat: Attributes = { ...given, ...(isRecord(given['converter']) ? given['converter'] : {}) };
  const options: BuildOptions & { isChecked?: boolean } = {};
  const problems: string[] = [];
  for (const [name, value] of Object.entries(flat)) {
    const fieldName = optionNames[name];
    if (!fieldName) {
      if (name !== 'converter') process.stderr.write(`docloom: ignored unknown option '${name}'\n`);
    } else if (typeof value === 'boolean') options[fieldName] = value;
    else problems.push(`${name} must be true or false`);
  }
  if (problems.length > 0)
    throw new ConfigurationError(`The options are invalid: ${problems.join('; ')}`, { problems });
  return options;
}
