import { Command } from 'commander';
import { countNouns } from '../model/count-nouns';
import type { FlowDefinition } from '../model/flow/flow';
import { type FlowAlert, validateFlow } from '../model/flow/validation';
import { operators } from '../operators/index';
import { createQueryCheck } from '../services/flow/query-check';
import { createSqlRunner } from '../services/table/sql';
import { requireText } from './convert/option-values';
import { addCustomOperators } from './custom-operators';
import { exitCodes } from './exit-codes';
import { readFlowFile } from './run/flow-file';
import { connectServer, serverFlag } from './server/connect';
import { findRemoteAddress, type ServerChoice } from './server/remote';

interface ValidateOptions extends ServerChoice {
  deep?: boolean;
  json?: boolean;
}

/** A finding about a flow, as printed. */
interface Finding {
  message_code: string | null;
  message: string;
  pointer?: string;
}

/** All findings about a flow; with warnings alone it can run. */
interface Findings {
  errors: Finding[];
  warnings: Finding[];
}

/** `docloom validate FLOW.json`: prints all errors and warnings; contacts no server without `--deep` or `--server`. */
export function createValidateCommand(): Command {
  return new Command('validate')
    .description(
      'Checks a flow file without running it: connections, operators, configurations. Contacts no server, unless told to.',
    )
    .argument('<flow.json>', 'the flow in the authoring format')
    .option('--deep', 'let the api also contact the servers and sources that the flow names')
    .option(...serverFlag)
    .option(
      '--user <name>',
      'with --deep: the user whose rights count (default: an administrator, on the machine of the API)',
      requireText,
    )
    .option('--json', 'print the findings as JSON')
    .addHelpText('after', '\nExit codes: 0 valid (warnings allowed), 2 invalid.')
    .action(async (file: string, options: ValidateOptions) => {
      const isRemote = findRemoteAddress(options) !== undefined;
      if (!isRemote) await addCustomOperators(process.env);
      const flow = await readFlowFile(file, isRemote ? 'as written' : 'resolved');
      const { errors, warnings } = await (isRemote || options.deep ? findThere(flow, options) : findHere(flow));
      if (errors.length > 0) process.exitCode = exitCodes.usage;
      process.stdout.write(
        options.json
          ? `${JSON.stringify({ valid: errors.length === 0, errors, warnings }, null, 2)}\n`
          : format({ errors, warnings }),
      );
    });
}

async function findHere(flow: FlowDefinition): Promise<Findings> {
  const { errors, warnings } = validateFlow(flow, operators);
  return { errors: [...errors, ...(await findQueryProblems(flow, errors))], warnings };
}

/** Problems that the query engine finds in queries without other errors. */
async function findQueryProblems(flow: FlowDefinition, errors: readonly FlowAlert[]): Promise<FlowAlert[]> {
  const sql = createSqlRunner();
  try {
    const namesWithErrors = new Set(errors.flatMap(({ node_name }) => node_name ?? []));
    return await createQueryCheck({ sql, operators }).findProblems(flow, namesWithErrors, new AbortController().signal);
  } finally {
    await sql.close();
  }
}

/** Asks the api, whose settings, connections and rights decide what the flow can reach. */
async function findThere(flow: FlowDefinition, options: ValidateOptions): Promise<Findings> {
  const { client } = await connectServer(options);
  return client.flows.validate(flow, { deep: options.deep ?? false });
}

function format({ errors, warnings }: Findings): string {
  const formatLine = (kind: string, { message_code, message, pointer }: Finding) =>
    `${kind} ${message_code ?? 'PROBLEM'}: ${message}${pointer ? ` (at ${pointer})` : ''}`;
  const warningCount = countNouns(warnings.length, 'warning');
  const verdict =
    errors.length === 0 ? `valid, ${warningCount}` : `invalid: ${countNouns(errors.length, 'error')}, ${warningCount}`;
  const lines = [
    ...errors.map((finding) => formatLine('error  ', finding)),
    ...warnings.map((finding) => formatLine('warning', finding)),
    verdict,
  ];
  return `${lines.join('\n')}\n`;
}
