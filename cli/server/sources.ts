import { Command } from 'commander';
import { sourceKinds } from '../../model/source/list';
import { ingestSource } from '../../operators/ingest_source/schema';
import { exitCodes } from '../exit-codes';
import { checkOperators, describeRights, exitCodesHelp, userFlag } from './check-operators';
import { serverFlag } from './connect';
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
    .option(...userFlag)
    .option('--json', 'print JSON')
    .addHelpText('after', exitCodesHelp)
    .action(async (file: string | undefined, options: SourcesOptions) => {
      if (file === undefined) return void process.stdout.write(listKinds(options));
      const sources = await checkOperators(file, options, {
        type: ingestSource.name,
        check: (client, config) => client.sources.check({ config }),
      });
      process.exitCode = sources.every(({ usable }) => usable) ? exitCodes.completed : exitCodes.failed;
      const describe = () =>
        sources.map(({ name, provider, rights }) => describeRights(`${name} (${provider})`, rights)).join('');
      process.stdout.write(options.json ? `${JSON.stringify({ sources }, null, 2)}\n` : describe());
    });
}

function listKinds({ json }: SourcesOptions): string {
  const kinds = sourceKinds.map(({ name, aliases, summary, connection }) => ({ name, aliases, summary, connection }));
  if (json) return `${JSON.stringify({ sources: kinds }, null, 2)}\n`;
  const width = Math.max(...kinds.map(({ name }) => name.length));
  return kinds.map(({ name, summary }) => `${name.padEnd(width)}  ${summary.replaceAll('`', '')}\n`).join('');
}
