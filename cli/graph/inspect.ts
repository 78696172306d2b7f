import { Command } from 'commander';
import {
  ConfigurationError,
  describeStream,
  type GraphStream,
  graphProblems,
  graphStatistics,
  isRecord,
  ledgerDocumentId,
  type Profile,
} from '../../graph';
import { createProfileOption } from './build';
import { loadExport } from './files';
import { findLargeExport } from './large-export';
import { reportOutcome, printJson } from './outcome';

/** `docloom graph inspect FILE_OR_DIR`: describes an export; exit code 0 only if the loader accepts it. */
export function createGraphInspectCommand(): Command {
  return new Command('inspect')
    .description('Describes the content of a graph.json or of the folder of a run. Fails if it is not a graph export.')
    .argument('<file-or-dir>', 'a graph.json, or a folder with docling_graph/graph.json or graph.json')
    .addOption(createProfileOption())
    .option('--json', 'print counts, types and findings as JSON; errors as {ok, error, code, message, details}')
    .action((value: string, options: { profile: Profile; json?: boolean }) =>
      reportOutcome(options.json, () => inspect(value, options)),
    );
}

async function inspect(value: string, { profile, json }: { profile: Profile; json?: boolean }): Promise<void> {
  const large = profile === 'spec' ? await findLargeExport(value) : undefined;
  if (large) return inspectLarge(large, json);
  const { graph, path, ledger } = await loadExport(value, profile);
  const statistics = graphStatistics(graph);
  const { format, template_name, template_schema_hash } = graph.attributes;
  const report = {
    ok: true,
    path,
    format: typeof format === 'string' ? format : null,
    template_name: template_name ?? null,
    template_schema_hash: template_schema_hash ?? null,
    ...statistics,
    document_id: ledger ? ledgerDocumentId(ledger) : null,
    problems: graphProblems(graph),
  };
  if (json) {
    printJson({ ...report, node_ids: [...graph.nodes.keys()], graph: graph.attributes });
    return;
  }
  const lines = [
    `${path}: ${report.node_count} nodes, ${report.edge_count} edges`,
    `nodes: ${formatTypes(statistics.node_types)}`,
    `edges: ${formatTypes(statistics.edge_types) || 'none'}`,
    `format: ${report.format ?? 'version 1'}${isRecord(graph.attributes['id_fields_map']) ? ', with identity contract' : ''}`,
    `ledger: ${ledger ? `document ${report.document_id || 'unknown'}` : 'none'}`,
    ...report.problems.map((problem) => `problem: ${problem}`),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** Like `inspect`, but without ids and components, which would need the whole graph in memory. */
async function inspectLarge({ stream, path }: { stream: GraphStream; path: string }, isJson?: boolean): Promise<void> {
  const report = await describeStream(stream);
  const [problem] = report.problems;
  if (problem !== undefined)
    throw new ConfigurationError(`Malformed graph export: ${problem}`, { source: path, problems: report.problems });
  const attributes = await stream.attributes();
  const format = typeof attributes['format'] === 'string' ? attributes['format'] : null;
  if (isJson) {
    printJson({ ok: true, path, format, ...report, graph: attributes });
    return;
  }
  const lines = [
    `${path}: ${report.node_count} nodes, ${report.edge_count} edges`,
    `nodes: ${formatTypes(report.node_types)}`,
    `edges: ${formatTypes(report.edge_types) || 'none'}`,
    `format: ${format ?? 'version 1'}`,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

const formatTypes = (counts: Record<string, number>) =>
  Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');
