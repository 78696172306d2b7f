import { Command } from 'commander';
import type { DestinationCheckReply } from '../../client';
import { AppError } from '../../model/errors';
import { buildEffectiveConfig } from '../../model/flow/config';
import { storage } from '../../operators/storage/schema';
import { exitCodes } from '../exit-codes';
import { readFlowFile } from '../run/flow-file';
import { connectServer, serverFlag } from './connect';
import type { ServerChoice } from './remote';
import { describeRights } from './sources';

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
    .option('--user <name>', 'the user whose rights count (default: an administrator, on the machine of the API)')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExit codes: 0 no right is denied, 1 a right is denied, 2 the flow cannot be checked.')
    .action(async (file: string, options: DestinationsOptions) => {
      const destinations = await checkDestinations(file, options);
      process.exitCode = destinations.every(({ usable }) => usable) ? exitCodes.completed : exitCodes.failed;
      process.stdout.write(
        options.json
          ? `${JSON.stringify({ destinations }, null, 2)}\n`
          : destinations
              .map(({ name, destination, rights }) => describeRights(`${name} (${destination})`, rights))
              .join(''),
      );
    });
}

type Checked = DestinationCheckReply & { name: string };

async function checkDestinations(file: string, options: DestinationsOptions): Promise<Checked[]> {
  const flow = await readFlowFile(file);
  const exporters = flow.flow.filter(({ type }) => type === storage.name);
  if (exporters.length === 0)
    throw new AppError('FLOW_INVALID_DATA', `The flow '${flow.flow_name}' has no ${storage.name}.`);
  const { client } = await connectServer(options);
  const checks: Checked[] = [];
  for (const operator of exporters) {
    const checked = await client.destinations.check({ config: buildEffectiveConfig(flow, operator) });
    checks.push({ name: operator.name, ...checked });
  }
  return checks;
}
