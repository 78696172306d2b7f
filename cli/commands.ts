import type { Command } from 'commander';

/** A command: what `docloom --help` says of it, and the file that is loaded when it is called. */
export interface CommandEntry {
  name: string;
  summary: string;
  load: () => Promise<Command>;
}

/** All commands, in the order of the help text. */
export const commands: readonly CommandEntry[] = [
  {
    name: 'up',
    summary: 'Start everything on this machine and keep it running.',
    load: async () => (await import('./up')).upCommand(),
  },
  {
    name: 'run',
    summary: 'Run a flow from a file and show its progress.',
    load: async () => (await import('./run/run')).runCommand(),
  },
  {
    name: 'validate',
    summary: 'Check a flow file without running it.',
    load: async () => (await import('./validate')).validateCommand(),
  },
  {
    name: 'search',
    summary: 'Search the indexed documents as a user.',
    load: async () => (await import('./search')).searchCommand(),
  },
  {
    name: 'operators',
    summary: 'List the operators, or explain one.',
    load: async () => (await import('./operators')).operatorsCommand(),
  },
  {
    name: 'convert',
    summary: 'Convert files to Markdown, JSON, HTML, text or DocTags; needs no server.',
    load: async () => (await import('./convert/convert')).convertCommand(),
  },
  {
    name: 'graph',
    summary: 'Turn documents into knowledge graphs; build, check, compare and merge them.',
    load: async () => (await import('./graph/graph')).graphCommand(),
  },
  {
    name: 'models',
    summary: 'Add, list, check and remove trained models that run inside the worker.',
    load: async () => (await import('./models')).modelsCommand(),
  },
  {
    name: 'new',
    summary: 'Create the skeleton of a custom operator, with its test.',
    load: async () => (await import('./new')).newCommand(),
  },
  { name: 'token', summary: 'Issue a token for a user.', load: async () => (await import('./token')).tokenCommand() },
  {
    name: 'doctor',
    summary: 'Report what is available and what is missing on this machine.',
    load: async () => (await import('./doctor')).doctorCommand(),
  },
  {
    name: 'config',
    summary: 'Print every setting with its origin and default.',
    load: async () => (await import('./config')).configCommand(),
  },
  {
    name: 'quickstart',
    summary: 'Set up everything, run the sample flow and search its documents.',
    load: async () => (await import('./quickstart')).quickstartCommand(),
  },
  { name: 'api', summary: 'Serve the HTTP API.', load: async () => (await import('./api')).apiCommand() },
  {
    name: 'worker',
    summary: 'Run workflows and activities.',
    load: async () => (await import('./worker')).workerCommand(),
  },
];
