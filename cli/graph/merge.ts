import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { Command, Option } from 'commander';
import {
  ConfigurationError,
  type GraphValue,
  isRecord,
  jsonText,
  ledgerDocumentId,
  type MergeInput,
  mergeGraphs,
  type MergePolicy,
  type MergeReport,
  type Profile,
} from '../../graph';
import { createWholeNumberParser } from '../convert/whole-number';
import { createFormatOption, createProfileOption } from './build';
import { loadExport, readJsonFile, writePieces } from './files';
import { reportOutcome, printJson } from './outcome';
import { loadTemplate } from './template-file';
import { type GraphFormat, writeGraphFiles } from './write';

interface Options {
  output: string;
  template?: string;
  schema?: string;
  precedence: MergePolicy['precedence'];
  conflicts: MergePolicy['conflicts'];
  combineFields: string;
  descriptionMaxLength: number;
  rekey?: boolean;
  strictTemplateCheck: boolean;
  aliasDecisions?: string;
  dryRun?: boolean;
  profile: Profile;
  format?: GraphFormat[];
  json?: boolean;
}

/** `docloom graph merge INPUT…`: merges several graphs into one, with a report of all decisions. */
export function createGraphMergeCommand(): Command {
  return new Command('merge')
    .description('Merges exported graphs into one; the first is the base. Uses no model.')
    .argument('[inputs...]', 'graph.json files or folders of runs')
    .requiredOption('-o, --output <dir>', 'folder for the files; created if missing')
    .option('-t, --template <template>', 'template that defines what identifies a class; for exports of version 1')
    .option('--schema <schema.json>', 'JSON Schema for the schema hash of the template')
    .addOption(
      new Option('--precedence <order>', 'whose values come first')
        .choices(['input-order', 'richest'])
        .default('input-order'),
    )
    .addOption(
      new Option('--conflicts <policy>', 'how contradicting values are handled')
        .choices(['keep-first', 'keep-all', 'variants'])
        .default('keep-first'),
    )
    .option('--combine-fields <names>', 'texts that are joined sentence by sentence', 'description,summary')
    .option('--description-max-length <n>', 'maximum characters of a joined text', createWholeNumberParser(1), 4096)
    .option('--rekey', 'compute all ids again; default if the identity fields are known')
    .option('--no-rekey', 'keep the ids of the inputs')
    .option('--strict-template-check', 'reject graphs of different templates', true)
    .option('--no-strict-template-check', 'merge graphs of different templates too')
    .option(
      '--alias-decisions <file>',
      'alias_candidates of an earlier report, with confirm set to true where they are one thing',
    )
    .option('--dry-run', 'write merge_report.json only')
    .addOption(createProfileOption())
    .addOption(createFormatOption())
    .option('--json', 'print the report as JSON')
    .action((inputs: string[], options: Options) => reportOutcome(options.json, () => merge(inputs, options)));
}

async function merge(inputs: string[], options: Options): Promise<void> {
  const loaded: MergeInput[] = [];
  for (const input of inputs) loaded.push(await loadInput(input, options.profile));
  const { graph, report } = mergeGraphs(loaded, {
    template: options.template === undefined ? undefined : await loadTemplate(options.template, options.schema),
    profile: options.profile,
    precedence: options.precedence,
    conflicts: options.conflicts,
    combine_fields: options.combineFields
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
    description_max_length: options.descriptionMaxLength,
    rekey: options.rekey ?? null,
    strict_template_check: options.strictTemplateCheck,
    dry_run: options.dryRun ?? false,
    aliasDecisions: options.aliasDecisions === undefined ? undefined : await readDecisions(options.aliasDecisions),
  });
  const files = ['merge_report.json'];
  if (!options.dryRun) {
    const formats = options.format ?? ['json', 'csv', 'cypher', 'report', 'html'];
    const request = { graph, profile: options.profile, formats, sourceModels: report.sources.length };
    files.unshift(...(await writeGraphFiles(options.output, request)));
    files.push(...(await writeLedgers(options.output, loaded, report)));
  }
  const text = jsonText(report as unknown as GraphValue, {
    indent: 2,
    nonFinite: options.profile === 'peer' ? 'bare' : 'null',
  });
  await writePieces(path.join(options.output, 'merge_report.json'), [`${text}\n`]);
  if (options.json) printJson({ ok: true, output: options.output, files, report });
  else process.stdout.write(formatSummary(report, options.output, files));
}

async function loadInput(value: string, profile: Profile): Promise<MergeInput> {
  const { graph, path: file, ledger } = await loadExport(value, profile);
  const source = path.normalize(value).replace(/(?<=.)\/$/, '');
  return { graph, source, ledger, path: await realpath(file) };
}

async function readDecisions(file: string): Promise<readonly GraphValue[]> {
  const value = await readJsonFile(file, 'file of alias decisions');
  const list = isRecord(value) ? value['alias_candidates'] : value;
  if (Array.isArray(list)) return list;
  throw new ConfigurationError(
    `The alias decisions '${file}' must be a list of candidates, or a report with the member alias_candidates`,
    { path: file },
  );
}

// Ledgers are not combined: each is kept unchanged under the id of its document.
async function writeLedgers(folder: string, inputs: readonly MergeInput[], report: MergeReport): Promise<string[]> {
  const documents: GraphValue[] = [];
  const files: string[] = [];
  for (const source of report.sources) {
    const { ledger, path: file = null } = inputs.find((input) => input.source === source.source) ?? {};
    const { index, document_id, template_name, template_schema_hash } = source;
    const document = ledger?.['document'];
    const name = ledger ? `${toSafeName(ledgerDocumentId(ledger)) || `input_${index}`}.json` : null;
    const converted_at = (isRecord(document) ? document['converted_at'] : undefined) ?? null;
    documents.push({
      index,
      document_id,
      source: source.source,
      template_name,
      template_schema_hash,
      converted_at,
      graph: file,
      ledger: name,
    });
    if (!ledger || !name) continue;
    await writePieces(path.join(folder, 'provenance', name), [jsonText(ledger, { indent: 2 })]);
    files.push(`provenance/${name}`);
  }
  await writePieces(path.join(folder, 'provenance', 'manifest.json'), [jsonText({ documents }, { indent: 2 })]);
  return [...files, 'provenance/manifest.json'];
}

// The id comes from an untrusted file.
const toSafeName = (id: string) => id.replace(/[^\w.-]/g, '_').replace(/^\.+/, '_');

function formatSummary(report: MergeReport, folder: string, files: readonly string[]): string {
  const { sources, nodes_folded, field_conflicts, conflict_variants, cross_document_splits, alias_candidates } = report;
  const lines = [
    `${report.node_count} nodes, ${report.edge_count} edges of ${sources.length} graphs in ${folder}: ${files.join(', ')}`,
    `folded ${nodes_folded}, contradictions ${field_conflicts.length}, variants ${conflict_variants}, ` +
      `kept apart ${cross_document_splits.length + report.root_skolemized.length}, possible aliases ${alias_candidates.length}`,
    ...report.warnings.map((warning) => `warning: ${warning}`),
  ];
  return `${lines.join('\n')}\n`;
}
