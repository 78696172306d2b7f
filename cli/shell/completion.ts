import { Argument, Command } from 'commander';

/** A command of the command line. */
interface Entry {
  name: string;
  summary: string;
  load: () => Promise<Command>;
}

/** A command, and the words that may follow it. */
interface Completion {
  /** Empty for `docloom` itself, otherwise for example `graph build`. */
  path: string;
  next: { word: string; summary: string }[];
}

const writers = { bash: formatBashScript, zsh: formatZshScript, fish: buildFishScript } as const;

/** `docloom completion SHELL`: prints a script that completes commands and options. */
export function createCompletionCommand(commands: readonly Entry[]): Command {
  return new Command('completion')
    .description('Prints a script that completes commands, options and file names in your shell.')
    .addArgument(new Argument('<shell>', 'your shell').choices(Object.keys(writers)))
    .option('--json', 'print {shell, script} as JSON')
    .addHelpText(
      'after',
      `
For this session:
  source <(docloom completion bash)
For all sessions:
  docloom completion bash > ~/.local/share/bash-completion/completions/docloom
  docloom completion zsh > "\${fpath[1]}/_docloom"
  docloom completion fish > ~/.config/fish/completions/docloom.fish`,
    )
    .action(async (shell: keyof typeof writers, { json }: { json?: boolean }) => {
      const script = writers[shell](await readCompletions(commands));
      process.stdout.write(json ? `${JSON.stringify({ shell, script })}\n` : script);
    });
}

/** Loads every command and lists its subcommands and options, in the order of its help. */
async function readCompletions(entries: readonly Entry[]): Promise<Completion[]> {
  const loaded = await Promise.all(entries.map(async ({ name, load }) => listCompletions(name, await load())));
  const names = entries.map(({ name, summary }) => ({ word: name, summary }));
  return [
    { path: '', next: [...names, ...['--help', '--version'].map((word) => ({ word, summary: '' }))] },
    ...loaded.flat(),
  ];
}

function listCompletions(path: string, command: Command): Completion[] {
  const children = command.commands.map((child) => ({ word: child.name(), summary: child.description() }));
  const options = command.options
    .filter(({ long, hidden }) => long !== undefined && !hidden)
    .map(({ long, description }) => ({ word: long ?? '', summary: description }));
  const next = [...children, ...options, { word: '--help', summary: 'display help for command' }];
  return [{ path, next }, ...command.commands.flatMap((child) => listCompletions(`${path} ${child.name()}`, child))];
}

/** The shell's own completion of file names applies where no word fits. */
function formatBashScript(completions: readonly Completion[]): string {
  const cases = completions.map(
    ({ path, next }) => `    '${path}') words='${next.map(({ word }) => word).join(' ')}' ;;`,
  );
  return `# Completes docloom in bash.
_docloom() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path='' words='' word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case " ${joinPaths(completions)} " in *" \${path:+\${path// /:}:}\${word} "*) path="\${path:+\${path} }\${word}" ;; esac
  done
  case "\${path}" in
${cases.join('\n')}
  esac
  mapfile -t COMPREPLY < <(compgen -W "\${words}" -- "\${current}")
}
complete -o bashdefault -o default -F _docloom docloom
`;
}

/** Describes each word like the help, and also offers file names. */
function formatZshScript(completions: readonly Completion[]): string {
  const cases = completions.map(({ path, next }) => {
    const words = next.map(({ word, summary }) => quote(summary === '' ? word : `${word}:${toOneLine(summary)}`));
    return `    '${path}') words_of=(${words.join(' ')}) ;;`;
  });
  return `#compdef docloom
_docloom() {
  local known=' ${joinPaths(completions)} ' at='' word
  local -a words_of
  for word in "\${(@)words[2,CURRENT-1]}"; do
    if [[ "\${known}" == *" \${at:+\${at// /:}:}\${word} "* ]]; then at="\${at:+\${at} }\${word}"; fi
  done
  case "\${at}" in
${cases.join('\n')}
  esac
  _describe 'docloom' words_of
  _files
}
if [ "\${funcstack[1]}" = '_docloom' ]; then _docloom "$@"; else compdef _docloom docloom; fi
`;
}

function buildFishScript(completions: readonly Completion[]): string {
  const lines = completions.flatMap(({ path, next }) => {
    const words = path === '' ? [] : path.split(' ');
    const children = next.filter(({ word }) => !word.startsWith('-')).map(({ word }) => word);
    const isHere = words.map((word) => `__fish_seen_subcommand_from ${word}`);
    const isNotBelow = children.length === 0 ? [] : [`not __fish_seen_subcommand_from ${children.join(' ')}`];
    const condition = [...isHere, ...isNotBelow].join('; and ');
    return next.map(({ word, summary }) => {
      const option = word.startsWith('--') ? `-l ${word.slice(2)}` : `-a ${word}`;
      const help = summary === '' ? '' : ` -d ${quote(toOneLine(summary))}`;
      return `complete -c docloom -n ${quote(condition)} ${option}${help}`;
    });
  });
  return `# Completes docloom in fish.\n${lines.join('\n')}\n`;
}

/** All commands, separated by blanks; words of one command by colons: `graph graph:build`. */
function joinPaths(completions: readonly Completion[]): string {
  return completions.flatMap(({ path }) => (path === '' ? [] : [path.replaceAll(' ', ':')])).join(' ');
}

/** One line of at most 80 characters. */
function toOneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').slice(0, 80);
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
