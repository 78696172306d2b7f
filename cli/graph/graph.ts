import { Command } from 'commander';
import { createGraphBuildCommand } from './build';
import { createGraphConvertCommand } from './convert';
import { createGraphDiffCommand } from './diff';
import { createGraphExtractCommand } from './extract';
import { createGraphInspectCommand } from './inspect';
import { createGraphLoadCommand } from './load';
import { createGraphMergeCommand } from './merge';
import { createGraphTemplateCommand } from './template';

/** `docloom graph …`: local commands for knowledge graphs from documents. Contacts no server unless an option names one. */
export function createGraphCommand(): Command {
  const group = new Command('graph').description(
    'Turns documents into knowledge graphs and works with their files. Contacts no server unless an option names one.',
  );
  const members = [
    createGraphExtractCommand(),
    createGraphBuildCommand(),
    createGraphInspectCommand(),
    createGraphConvertCommand(),
    createGraphMergeCommand(),
    createGraphDiffCommand(),
    createGraphTemplateCommand(),
    createGraphLoadCommand(),
  ];
  for (const member of members) group.addCommand(member.exitOverride());
  return group
    .addHelpText('after', `\n${members.map(formatOptions).join('\n')}\n\nExit codes: 0 done, 2 wrong input, 1 failed.`)
    .action(() => group.help({ error: true }));
}

function formatOptions(command: Command): string {
  const options = command.options.map(({ flags }) => flags.replace(/^-\w, /, '')).join(', ');
  return `${command.name()}: ${options}`;
}
