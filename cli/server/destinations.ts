import { Command } from 'commander';
import { storage } from '../../operators/storage/schema';
import { exitCodes } from '../exit-codes';
import { checkOperators, describeRights, exitCodesHelp, userFlag } from './check-operators';
import { serverFlag } from './connect';
import type { ServerChoice } from './remote';

interface DestinationsOptions extends ServerChoice {
  json?: boolean;
}

/** `docloom destinations FLOW.json`: checks the destinations that a flow exports to. */
export function createDestinationsCommand(): Command {
  return new Command('destinations')
    .description(
      'Checks on the API, with your connections, that the exports of a flow can write, read and remove a file at their destinations.',
    )
    .argument('<flow.json>', 'a flow in the authoring format')
    .option(...serverFlag)
    .option(...userFlag)
    .option('--json', 'print JSON')
    .addHelpText('after', exitCodesHelp)
    .action(async (file: string, options: DestinationsOptions) => {
      const destinations = await checkOperators(file, options, {
        type: storage.name,
        check: (client, config) => client.destinations.check({ config }),
      });
      process.exitCode = destinations.every(({ usable }) => usable) ? exitCodes.completed : exitCodes.failed;
      const describe = () =>
        destinations
          .map(({ name, destination, rights }) => describeRights(`${name} (${destination})`, rights))
          .join('');
      process.stdout.write(options.json ? `${JSON.stringify({ destinations }, null, 2)}\n` : describe());
    });
}
