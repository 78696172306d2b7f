import { Command } from 'commander';
import type { DestinationRightReply, SourceCheckReply, SourceRightReply } from '../../client';
import { AppError } from '../../model/errors';
import { buildEffectiveConfig } from '../../model/flow/config';
import { sourceKinds } from '../../model/source/list';
import { ingestSource } from '../../operators/ingest_source/schema';
import { exitCodes } from '../exit-codes';
import { readFlowFile } from '../run/flow-file';
import { connectServer, serverFlag } from './connect';
import type { ServerChoice } from './remote';

interface SourcesOptions extends ServerChoice {
  json?: boolean;
}

/** `docloom sources [FLOW.json]`: lists what flows can read from, or checks the sources of a flow. */
export function createSourcesCommand(): Command {
  return new Command('sources')
    .description(
      'Lists the values of `provider`. With a flow, checks on the API, with your connections, each right that its sources need.',
    )
    .argument('[flow.json]', 'a flow in the authoring format')
    .option(...serverFlag)
    .option('--user <name>', 'the user whose rights count (default: an administrator, on the machine of the API)')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExit codes: 0 no right is denied, 1 a right is denied, 2 the flow cannot be checked.')
    .action(async (file: string | undefined, options: SourcesOptions) => {
      if (file === undefined) return void process.stdout.write(listKinds(options));
      const sources = await checkSources(file, options);
      process.exitCode = sources.every(({ usable }) => usable) ? exitCodes.completed : exitCodes.failed;
      process.stdout.write(
        options.json ? `${JSON.stringify({ sources }, null, 2)}\n` : sources.map(describeCheck).join(''),
      );
    });
}

function listKinds({ json }: SourcesOptions): string {
  const kinds = sourceKinds.map(({ name, aliases, summary, connection }) => ({ name, aliases, summary, connection }));
  if (json) return `${JSON.stringify({ sources: kinds }, null, 2)}\n`;
  const width = Math.max(...kinds.map(({ name }) => name.length));
  return kinds.map(({ name, summary }) => `${name.padEnd(width)}  ${summary.replaceAll('`', '')}\n`).join('');
}

type Checked = SourceCheckReply & { name: string };

async function checkSources(file: string, options: SourcesOptions): Promise<Checked[]> {
  const flow = await readFlowFile(file);
  const sources = flow.flow.filter(({ type }) => type === ingestSource.name);
  if (sources.length === 0)
    throw new AppError('FLOW_INVALID_DATA', `The flow '${flow.flow_name}' has no ${ingestSource.name}.`);
  const { client } = await connectServer(options);
  const checks: Checked[] = [];
  for (const operator of sources) {
    const checked = await client.sources.check({ config: buildEffectiveConfig(flow, operator) });
    checks.push({ name: operator.name, ...checked });
  }
  return checks;
}

function describeCheck({ name, provider, rights }: Checked): string {
  return describeRights(`${name} (${provider})`, rights);
}

const columnWidth = 8;
/** Aligns the second line of a right with the message of its first line. */
const messageIndent = ' '.repeat(2 + 2 * (columnWidth + 1));

/** A line for each right, below the title, with what is needed for those that are denied. */
export function describeRights(title: string, rights: readonly (SourceRightReply | DestinationRightReply)[]): string {
  const lines = rights.map(({ right, outcome, code, message, needs }) => {
    const line = `  ${right.padEnd(columnWidth)} ${outcome.padEnd(columnWidth)} ${code ? `${code}: ` : ''}${message}\n`;
    return outcome === 'denied' ? `${line}${messageIndent}Needed: ${needs}\n` : line;
  });
  return `${title}\n${lines.join('')}`;
}
