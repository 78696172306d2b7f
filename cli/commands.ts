import type { Command } from 'commander';

/** A command: its help text for `docloom --help`, and a loader for its file. */
export interface CommandEntry {
  name: string;
  summary: string;
  load: () => Promise<Command>;
  /** Ends the process even after an error, when native clients still have open handles. */
  isServer?: true;
}

/** All commands, in the order of the help text. */
export const commands: readonly CommandEntry[] = [
  {
    name: 'up',
    summary: 'Start everything on this machine and keep it running.',
    load: async () => (await import('./up')).createUpCommand(),
  },
  {
    name: 'status',
    summary: 'Show what is running and whether it is ready.',
    load: async () => (await import('./stack/status')).createStatusCommand(),
  },
  {
    name: 'down',
    summary: 'Stop what is running in the data folder.',
    load: async () => (await import('./stack/down')).createDownCommand(),
  },
  {
    name: 'logs',
    summary: 'Print the logs of what is running in the data folder.',
    load: async () => (await import('./stack/logs')).createLogsCommand(),
  },
  {
    name: 'backup',
    summary: 'Write everything in the data folder into one file, even while Docloom is running.',
    load: async () => (await import('./stack/backup')).createBackupCommand(),
  },
  {
    name: 'restore',
    summary: 'Restore a backup into an empty data folder, or check it.',
    load: async () => (await import('./stack/backup')).createRestoreCommand(),
  },
  {
    name: 'run',
    summary: 'Run a flow from a file and show its progress.',
    load: async () => (await import('./run/run')).createRunCommand(),
  },
  {
    name: 'runs',
    summary: 'List the runs, or show one and its failed documents.',
    load: async () => (await import('./server/runs')).createRunsCommand(),
  },
  {
    name: 'cancel',
    summary: 'Cancel a run.',
    load: async () => (await import('./server/runs')).createCancelCommand(),
  },
  {
    name: 'validate',
    summary: 'Check a flow file without running it.',
    load: async () => (await import('./validate')).createValidateCommand(),
  },
  {
    name: 'sources',
    summary: 'List the sources of documents, or check those of a flow.',
    load: async () => (await import('./server/sources')).createSourcesCommand(),
  },
  {
    name: 'destinations',
    summary: 'Check the destinations that a flow exports to.',
    load: async () => (await import('./server/destinations')).createDestinationsCommand(),
  },
  {
    name: 'identities',
    summary: 'Map the accounts of sources to logins, for sources with their own access rights.',
    load: async () => (await import('./server/identities')).createIdentitiesCommand(),
  },
  {
    name: 'access-sync',
    summary: 'Show how old the access lists of a flow are, or refresh them without a run.',
    load: async () => (await import('./server/access-sync')).createAccessSyncCommand(),
  },
  {
    name: 'search',
    summary: 'Search the indexed documents as a user.',
    load: async () => (await import('./search')).createSearchCommand(),
  },
  {
    name: 'mcp',
    summary: 'Serve search, documents and flows to an agent over stdio (Model Context Protocol).',
    load: async () => (await import('./server/mcp')).createMcpCommand(),
  },
  {
    name: 'operators',
    summary: 'List the operators, or explain one.',
    load: async () => (await import('./operators')).createOperatorsCommand(),
  },
  {
    name: 'convert',
    summary: 'Convert files to Markdown, JSON, HTML, text or DocTags; needs no server.',
    load: async () => (await import('./convert/convert')).createConvertCommand(),
  },
  {
    name: 'graph',
    summary: 'Turn documents into knowledge graphs; build, check, compare and merge them.',
    load: async () => (await import('./graph/graph')).createGraphCommand(),
  },
  {
    name: 'models',
    summary: 'Add, list, check and remove trained models that run inside Docloom.',
    load: async () => (await import('./models')).createModelsCommand(),
  },
  {
    name: 'new',
    summary: 'Create the skeleton of a custom operator, with its test.',
    load: async () => (await import('./new')).createNewCommand(),
  },
  {
    name: 'token',
    summary: 'Issue a token for a user.',
    load: async () => (await import('./token')).createTokenCommand(),
  },
  {
    name: 'login',
    summary: 'Log in to the API of another machine.',
    load: async () => (await import('./server/login')).createLoginCommand(),
  },
  {
    name: 'logout',
    summary: 'Log out of the API of another machine.',
    load: async () => (await import('./server/login')).createLogoutCommand(),
  },
  {
    name: 'doctor',
    summary: 'Report what is available and what is missing on this machine.',
    load: async () => (await import('./doctor')).createDoctorCommand(),
  },
  {
    name: 'config',
    summary: 'Print every setting with its origin and default.',
    load: async () => (await import('./config')).createConfigCommand(),
  },
  {
    name: 'completion',
    summary: 'Print a script that completes commands and options in your shell.',
    load: async () => (await import('./shell/completion')).createCompletionCommand(commands),
  },
  {
    name: 'quickstart',
    summary: 'Set up everything, run the sample flow and search its documents.',
    load: async () => (await import('./quickstart')).createQuickstartCommand(),
  },
  {
    name: 'connections',
    summary: 'Check connections, and encrypt stored secrets with a new key.',
    load: async () => (await import('./connections')).createConnectionsCommand(),
  },
  {
    name: 'installation',
    summary: 'Show which installation the database, store and index belong to; accept a moved one.',
    load: async () => (await import('./installation')).createInstallationCommand(),
  },
  {
    name: 'audit',
    summary: 'Print the audit log as JSON lines.',
    load: async () => (await import('./audit')).createAuditCommand(),
  },
  {
    name: 'api',
    summary: 'Serve the HTTP API.',
    load: async () => (await import('./api')).createApiCommand(),
    isServer: true,
  },
  {
    name: 'worker',
    summary: 'Run workflows and activities.',
    load: async () => (await import('./worker')).createWorkerCommand(),
    isServer: true,
  },
];
