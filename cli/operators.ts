import { Command } from 'commander';
import { AppError } from '../model/errors';
import type { OperatorDefinition } from '../model/flow/operator';
import { suggestName } from '../model/nearest-name';
import { findOperator, operators } from '../operators/index';
import { addCustomOperators } from './custom-operators';
import { writeSchemaLines } from './schema-lines';

/** `docloom operators [NAME]`: lists the operators, or describes one with all members of its configuration. */
export function createOperatorsCommand(): Command {
  return new Command('operators')
    .description('Lists the operators that a flow may use, or explains one with its configuration. Contacts no server.')
    .argument('[name]', 'type of the operator, as used in flows')
    .option('--json', 'print the definitions as JSON, the configuration as JSON Schema')
    .addHelpText(
      'after',
      '\nExamples:\n  docloom operators\n  docloom operators chunker\n  docloom operators chunker --json',
    )
    .action(async (name: string | undefined, options: { json?: boolean }) => {
      await addCustomOperators(process.env);
      const chosen = name === undefined ? operators : [requireOperator(name)];
      if (options.json) {
        const list = chosen.map(buildDefinition);
        process.stdout.write(`${JSON.stringify(name === undefined ? list : list[0], null, 2)}\n`);
        return;
      }
      process.stdout.write(name === undefined ? formatList(chosen) : chosen.map(formatOperator).join('\n'));
    });
}

function requireOperator(name: string): OperatorDefinition {
  const operator = findOperator(name);
  if (operator) return operator;
  const names = operators.map((operator) => operator.name);
  throw new AppError('NOT_FOUND', `There is no operator '${name}'${suggestName(name, names)}`);
}

function buildDefinition({
  name,
  label,
  category,
  scope,
  queue,
  needs,
  reads,
  writes,
  summary,
  config,
}: OperatorDefinition) {
  return { name, label, category, scope, queue, needs, reads, writes, summary, config_schema: config };
}

function formatList(list: readonly OperatorDefinition[]): string {
  const width = Math.max(...list.map(({ name }) => name.length));
  const lines = list.map(({ name, category, summary }) => `${name.padEnd(width)}  ${category.padEnd(10)}  ${summary}`);
  return `${[...lines, '', 'More about one of them: docloom operators NAME'].join('\n')}\n`;
}

const scopes: Record<OperatorDefinition['scope'], string> = {
  source: 'makes rows from a source',
  row: 'processes each batch of rows separately',
  table: 'needs all rows at once',
};

function formatOperator(operator: OperatorDefinition): string {
  const facts = [
    `category  ${operator.category}`,
    `scope     ${scopes[operator.scope]}`,
    `reads     ${operator.reads.join(', ') || 'no columns'}`,
    `writes    ${operator.writes.join(', ') || 'no new columns'}`,
  ];
  return `${[`${operator.name}: ${operator.summary}`, '', ...facts, '', 'config', ...writeSchemaLines(operator.config)].join('\n')}\n`;
}
