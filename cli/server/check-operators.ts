import type { Client, DestinationRightReply, SourceRightReply } from '../../client';
import { AppError } from '../../model/errors';
import { buildEffectiveConfig } from '../../model/flow/config';
import { requireText } from '../convert/option-values';
import { readFlowFile } from '../run/flow-file';
import { connectServer } from './connect';
import type { ServerChoice } from './remote';

/** The option `--user` of commands that check a flow. */
export const userFlag = [
  '--user <name>',
  'the user whose rights count (default: an administrator, on the machine of the API)',
  requireText,
] as const;

/** Help text of commands that check a flow. */
export const exitCodesHelp = '\nExit codes: 0 no right is denied, 1 a right is denied, 2 the flow cannot be checked.';

/** The reply of the API for each operator of this type in the flow. Throws FLOW_INVALID_DATA if the flow has none. */
export async function checkOperators<Reply>(
  file: string,
  choice: ServerChoice,
  { type, check }: { type: string; check: (client: Client, config: Record<string, unknown>) => Promise<Reply> },
): Promise<({ name: string } & Reply)[]> {
  const flow = await readFlowFile(file);
  const operators = flow.flow.filter((operator) => operator.type === type);
  if (operators.length === 0) throw new AppError('FLOW_INVALID_DATA', `The flow '${flow.flow_name}' has no ${type}.`);
  const { client } = await connectServer(choice);
  const checks: ({ name: string } & Reply)[] = [];
  for (const operator of operators) {
    const reply = await check(client, buildEffectiveConfig(flow, operator));
    checks.push({ name: operator.name, ...reply });
  }
  return checks;
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
