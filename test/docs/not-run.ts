/** Pages that a test follows to the letter, in this order, with one installation. */
export const followedPages = [
  'docs/tutorial.md',
  'docs/api.md',
  'docs/access.md',
  'docs/configuration.md',
  'docs/conversion.md',
  'docs/flows.md',
  'docs/troubleshooting.md',
  'docs/formats.md',
  'docs/graph.md',
  'docs/search.md',
  'docs/models.md',
  'docs/sources.md',
  'docs/operations.md',
] as const;

/** Commands of a page that no test types as they stand. */
export interface NotRun {
  page: string;
  commands: RegExp;
  /** What they need that a test does not have, or where else they are run. */
  why: string;
}

const cluster =
  'Needs a cluster. `npm run test:deploy` renders the chart with the same flags and checks it against the schemas.';
const neo4j = 'Needs a Neo4j. The files and statements are tested in graph and services/graph.';
const elsewhere =
  'Needs an installation on another machine. test/e2e/remote-commands.test.ts uses one on this machine.';
const model = 'Needs a model server at this address. test/e2e and cli test the options with scripted servers.';
const download = 'Downloads a model of up to 91 MB. embedded/model-packs.test.ts adds and removes small packages.';
const measurement = 'A measurement, which takes minutes to hours, or needs the files of the reader.';
const suite = 'The suite itself, or a part of it: a test cannot start it.';
const frameworks = 'npm run compat installs these packages and runs the programs of the page.';

/** The commands that are only parsed, and why. The test beside this file fails for a command that is neither here nor run. */
export const notRun: readonly NotRun[] = [
  { page: 'README.md', commands: /^npm (run quickstart|test)$/, why: suite },
  { page: 'README.md', commands: /^bin\/docloom up$/, why: 'The tutorial has the same command, and is followed.' },
  { page: 'CONTRIBUTING.md', commands: /^npm /, why: suite },
  {
    page: 'client/python/README.md',
    commands: /^pip install/,
    why: 'test/docs/guides.test.ts installs the client in a virtual environment.',
  },
  { page: 'docs/benchmarks.md', commands: /^(npm|node) /, why: measurement },
  { page: 'docs/commands.md', commands: /docs\.example\.org/, why: elsewhere },
  {
    page: 'docs/access.md',
    commands: /OAUTH2_/,
    why: 'Needs a provider of logins. test/e2e/oauth2-login.test.ts has a small one.',
  },
  {
    page: 'docs/conversion.md',
    commands: /example/,
    why: 'Needs a server of the reader. test/api/conversion and test/e2e/conversion-models.test.ts send the same.',
  },
  {
    page: 'docs/client-package.md',
    commands: /^npm /,
    why: 'test/e2e/client-package.test.ts packs and installs the package, and runs the programs of the page.',
  },
  {
    page: 'docs/convert-package.md',
    commands: /^npx /,
    why: 'The package is not published. test/e2e/convert-package.test.ts installs what is packed.',
  },
  {
    page: 'docs/formats.md',
    commands: /--ocr-lang de,en/,
    why: 'Needs the German letters of Tesseract, which the reader installs.',
  },
  { page: 'docs/frameworks.md', commands: /^pip install /, why: frameworks },
  { page: 'docs/graph.md', commands: /^(cypher-shell|neo4j-admin) |bolt:/, why: neo4j },
  { page: 'docs/graph.md', commands: /--backend llm|inspect read/, why: model },
  {
    page: 'docs/graph.md',
    commands: /NODE_ID/,
    why: 'Needs two nodes of a corpus of the reader. test/api/graph and test/e2e/graphs.test.ts ask the same.',
  },
  {
    page: 'docs/how-to/run-in-production.md',
    commands: /^(docker|systemctl) /,
    why: 'Needs Docker, or a system that systemd has started. test/contract/compose.test.ts and `npm run test:deploy` check the files.',
  },
  { page: 'docs/kubernetes.md', commands: /^(kubectl|helm) /, why: cluster },
  { page: 'docs/models.md', commands: /models (add (multi|--from)|remove)/, why: download },
  {
    page: 'docs/models.md',
    commands: /models add ms-marco|DOCLOOM_RERANK_MODEL/,
    why: 'Needs a model of the reader. test/integration/embedding/own-reranker.test.ts adds one that is made for it.',
  },
  { page: 'docs/models.md', commands: /--(model|speech)-url/, why: model },
  {
    page: 'docs/operations.md',
    commands: /^DOCLOOM_DATA=restored docloom up$/,
    why: 'test/e2e/own-stack/backup.test.ts starts restored installations.',
  },
  {
    page: 'docs/operations.md',
    commands: /^docloom cancel /,
    why: 'Needs a run in progress. test/e2e/remote-commands.test.ts cancels one.',
  },
  {
    page: 'docs/operations.md',
    commands: /^systemctl /,
    why: 'Needs a system that systemd has started. `npm run test:deploy` verifies the units.',
  },
  {
    page: 'docs/operations.md',
    commands: /^temporal /,
    why: 'Needs the command-line client of Temporal, which Docloom does not install.',
  },
  { page: 'docs/reliability.md', commands: /^npm /, why: measurement },
  { page: 'docs/security.md', commands: /^npm /, why: suite },
];

/** The entry that says why a command of a page is not run; undefined if it is run. */
export function whyNotRun(page: string, command: string): NotRun | undefined {
  return notRun.find((entry) => entry.page === page && entry.commands.test(command));
}
