import { Command } from 'commander';
import { graphBuildCommand } from './build';
import { graphDiffCommand } from './diff';
import { graphExtractCommand } from './extract';
import { graphInspectCommand } from './inspect';
import { graphLoadCommand } from './load';
import { graphMergeCommand } from './merge';
import { graphTemplateCommand } from './template';

/** `docloom graph …`: local commands for knowledge graphs from documents. Contacts no server unless an option names one. */
export function graphCommand(): Command {
  const group = new Command('graph').description(
    'Turns documents into knowledge graphs and works with their files. Contacts no server unless an option names one.',
  );
  const members = [
    graphExtractCommand(),
    graphBuildCommand(),
    graphInspectCommand(),
    graphMergeCommand(),
    graphDiffCommand(),
    graphTemplateCommand(),
    graphLoadCommand(),
  ];
  for (const member of members) group.addCommand(member.exitOverride());
  return group
    .addHelpText('after', `\n${members.map(optionsOf).join('\n')}\n\nExit codes: 0 done, 2 wrong input, 1 failed.`)
    .allowExcessArguments()
    .action(() => {
      const [name] = group.args;
      if (name === undefined) return group.help({ error: true });
      return group.error(`error: unknown command '${name}'`);
    });
}

function optionsOf(command: Command): string {
  const options = command.options.map(({ flags }) => flags.replace(/^-\w, /, '')).join(', ');
  return `${command.name()}: ${options}`;
}
