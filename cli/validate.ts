import { Command } from 'commander';
import type { FlowDefinition } from '../model/flow/flow';
import { type FlowAlert, validateFlow } from '../model/flow/validation';
import { operators } from '../operators/index';
import { createQueryCheck } from '../services/flow/query-check';
import { createSqlRunner } from '../services/table/sql';
import { useCustomOperators } from './custom-operators';
import { exitCodes } from './exit-codes';
import { readFlowFile } from './run/flow-file';

/** Problems that the query engine finds in queries without other errors. */
async function queryProblems(flow: FlowDefinition, errors: readonly FlowAlert[]): Promise<FlowAlert[]> {
  const sql = createSqlRunner();
  try {
    const wrong = new Set(errors.flatMap(({ node_name }) => node_name ?? []));
    return await createQueryCheck({ sql, operators }).findProblems(flow, wrong, new AbortController().signal);
  } finally {
    await sql.close();
  }
}

/** `docloom validate FLOW.json`: prints all errors and warnings; contacts no server. */
export function validateCommand(): Command {
  return new Command('validate')
    .description('Checks a flow file without running it: connections, operators, configurations. Contacts no server.')
    .argument('<flow.json>', 'the flow in the authoring format')
    .option('--json', 'print the findings as JSON')
    .addHelpText('after', '\nExit codes: 0 valid (warnings allowed), 2 invalid.')
    .action(async (file: string, options: { json?: boolean }) => {
      await useCustomOperators(process.env);
      const flow = await readFlowFile(file);
      const { errors, warnings } = validateFlow(flow, operators);
      errors.push(...(await queryProblems(flow, errors)));
      if (errors.length > 0) process.exitCode = exitCodes.usage;
      if (options.json) {
        process.stdout.write(`${JSON.stringify({ valid: errors.length === 0, errors, warnings }, null, 2)}\n`);
        return;
      }
      for (const alert of errors)
        process.stdout.write(
          `error   ${alert.message_code}: ${alert.message}${alert.pointer ? ` (at ${alert.pointer})` : ''}\n`,
        );
      for (const alert of warnings)
        process.stdout.write(
          `warning ${alert.message_code}: ${alert.message}${alert.pointer ? ` (at ${alert.pointer})` : ''}\n`,
        );
      process.stdout.write(
        errors.length === 0
          ? `valid, ${warnings.length} warnings\n`
          : `invalid: ${errors.length} errors, ${warnings.length} warnings\n`,
      );
    });
}
