import path from 'node:path';
import { Command } from 'commander';
import { createClient } from '../client';
import { addPack, checkPack } from '../embedded/model-packs';
import { readCacheFolder, readDataFolder, readModelsFolder, packageRoot } from '../embedded/paths';
import { formatBytes } from '../embedded/progress';
import { readStack, type StackInfo, startStack } from '../embedded/stack';
import { readConfig } from '../model/config';
import { countNouns } from '../model/count-nouns';
import { AppError } from '../model/errors';
import { embeddingPacks } from '../model/llm/model-packs';
import { getBuiltinEmbedding } from '../services/embedding/builtin';
import { exitCodes } from './exit-codes';
import { readFlowFile } from './run/flow-file';
import { formatReport, formatTable, type RunReport } from './run/report';
import { runFlowFile } from './run/run';

/** This sample is encrypted on purpose, so that the report has a failure to explain. */
const expectedFailure = 'board-minutes-protected.pdf';
/** Two users of the sample directory (embedded/servers/sample-users.ldif); passwords are `<name>-secret`. */
const users = ['alice', 'bob'];
const query = 'report';

/** `docloom quickstart`: runs the sample flow on a new installation and searches as two users. */
export function createQuickstartCommand(): Command {
  return new Command('quickstart')
    .description(
      'Starts everything, runs samples/flows/quickstart.json over samples/documents/, and searches as two users of the sample directory.',
    )
    .addHelpText(
      'after',
      '\nExits with 0 if everything went as expected; one sample is encrypted on purpose and fails.',
    )
    .option('--json', 'print {ok, report, addresses} as JSON, and the progress on standard error')
    .action(async ({ json }: { json?: boolean }) => {
      const say = (line = '') => void (json ? process.stderr : process.stdout).write(`${line}\n`);
      const started = await openStack(say);
      const { stack, stop } = started;
      try {
        const config = readConfig({ ...process.env, ...stack.env });
        say(describeEmbedder(config.DOCLOOM_MODELS_FOLDER));
        const flow = await readFlowFile(path.join(packageRoot, 'samples', 'flows', 'quickstart.json'));
        say(`\nRunning the flow '${flow.flow_name}' over samples/documents for alice\n`);
        const servers = { env: stack.env, config, origin: stack.dataDir, close: stop };
        const report = await runFlowFile(flow, servers, { user: 'alice' });
        say(`\n${formatReport(report)}`);
        say(explain(report));
        await searchAsUsers(stack, say);
        sayNext(started, say);
        const ok = isAsExpected(report);
        if (json)
          process.stdout.write(`${JSON.stringify({ ok, report, addresses: buildAddresses(stack) }, null, 2)}\n`);
        if (!ok) process.exitCode = exitCodes.failed;
      } finally {
        await stop();
      }
    });
}

interface Started {
  stack: StackInfo;
  /** True if the servers were started for this command, and stop with it. */
  isOwn: boolean;
  stop: () => Promise<void>;
}

async function openStack(say: (line: string) => void): Promise<Started> {
  const dataDir = readDataFolder(process.env);
  const running = await readStack(dataDir);
  if (running) {
    if (!running.env['LDAP_SERVER']) {
      throw new AppError(
        'ALREADY_RUNNING',
        `Docloom runs in ${dataDir} without a directory, and quickstart logs in through one; stop it, or start it with --ldap.`,
      );
    }
    say(`Using the servers that already run in ${dataDir}.`);
    return { stack: running, isOwn: false, stop: async () => undefined };
  }
  await addDefaultPack(say);
  say('Starting Temporal, the database, OpenSearch, a directory of sample users, the worker and the API.');
  const stack = await startStack({
    dataDir,
    cacheDir: readCacheFolder(process.env),
    env: process.env,
    log: (line) => say(`  ${line}`),
    ldap: true,
  });
  return { stack, isOwn: true, stop: () => stack.stop() };
}

/** Semantic vectors need a model. Continues without one if it cannot be downloaded. */
async function addDefaultPack(say: (line: string) => void): Promise<void> {
  const [pack] = embeddingPacks;
  const folder = readModelsFolder(process.env);
  if (!pack || checkPack(folder, pack) === 'installed') return;
  say(`Adding the model pack ${pack.name} (${pack.licence}, ${formatBytes(pack.artifact.bytes)}) to ${folder}.`);
  const log = (line: string) => say(`  ${line}`);
  const context = {
    dataDir: readDataFolder(process.env),
    cacheDir: readCacheFolder(process.env),
    env: process.env,
    log,
  };
  await addPack(folder, pack, context).catch((error: unknown) => {
    say(`  ${error instanceof Error ? error.message : String(error)}`);
    say('  The quickstart continues without a model. Later: docloom models add');
  });
}

function describeEmbedder(folder: string | undefined): string {
  const { type, model_id } = getBuiltinEmbedding(folder);
  return type === 'hashing'
    ? 'Embedder: hashing, which compares words only, so searches use text ranking. `docloom models add` installs a model that compares meaning.'
    : `Embedder: ${model_id}, inside the worker, without a network.`;
}

/** Explains the result for first-time users. */
function explain({ totals, failures, operators }: RunReport): string {
  const unchanged = operators.reduce((sum, { metrics }) => sum + (metrics['unchanged'] ?? 0), 0);
  const names = failures.map(({ name }) => name).join(', ') || 'none';
  if (unchanged > 0 && totals.completed === 0) {
    return `Nothing changed since the last run: ${unchanged} documents were skipped as already ingested, and only the failed one was tried again (${names}).\n`;
  }
  return `${expectedFailure} is encrypted on purpose, to show how a failed document is reported. Run this again: unchanged documents are skipped.\n`;
}

function isAsExpected({ status, failures, totals }: RunReport): boolean {
  const isEachExpected = failures.every(({ name }) => name === expectedFailure);
  return status.startsWith('COMPLETED') && isEachExpected && totals.failed <= 1;
}

/** Logs in through the directory and searches over HTTP, like any client. */
async function searchAsUsers(stack: StackInfo, say: (line?: string) => void): Promise<void> {
  const readable = new Map<string, Set<string>>();
  for (const username of users) {
    const { access_token } = await createClient({ baseUrl: stack.apiAddress }).login(username, `${username}-secret`);
    const client = createClient({ baseUrl: stack.apiAddress, token: access_token });
    const { documents, total } = await client.documents.search({ query, limit: 3 });
    say(`${username} searches for '${query}': ${countNouns(total, 'result')}`);
    for (const { title, content, metadata } of documents) {
      say(`  ${title} (${String(metadata['name'])}): ${content.replace(/\s+/g, ' ').slice(0, 90)}`);
    }
    readable.set(username, await listReadableNames(client));
  }
  say('\nWho may read what, by the .acl.json files beside the documents:\n');
  const names = [...new Set([...readable.values()].flatMap((set) => [...set]))].sort();
  const rows = names.map((name) => [
    name,
    ...users.map((username) => (readable.get(username)?.has(name) ? 'yes' : '-')),
  ]);
  for (const line of formatTable(['document', ...users], rows)) say(`  ${line}`);
}

async function listReadableNames(client: ReturnType<typeof createClient>): Promise<Set<string>> {
  const names = new Set<string>();
  for (let offset = 0; ; offset += 100) {
    const { documents, has_more } = await client.documents.search({ limit: 100, offset });
    for (const { metadata } of documents) names.add(String(metadata['name']));
    if (!has_more) return names;
  }
}

function buildAddresses({ apiAddress, docsAddress, temporalUiAddress }: StackInfo) {
  return {
    console: `${apiAddress}/console/`,
    api: apiAddress,
    api_reference: docsAddress,
    temporal_ui: temporalUiAddress,
  };
}

/** What to do next: addresses of servers that stay, or how to start those that stop. */
function sayNext({ stack, isOwn }: Started, say: (line?: string) => void): void {
  say();
  if (isOwn) {
    say('The servers stop now. bin/docloom up --ldap starts them again, and they run until Ctrl-C.');
  } else {
    const { console, api, api_reference, temporal_ui } = buildAddresses(stack);
    say(`Console        ${console}`);
    say(`API            ${api}`);
    say(`API reference  ${api_reference}`);
    say(`Temporal UI    ${temporal_ui}`);
  }
  say('Log in as alice, bob or carol with the password NAME-secret.');
}
