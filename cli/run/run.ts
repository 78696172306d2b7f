import { Command } from 'commander';
import { AppError } from '../../model/errors';
import { type FlowDefinition, GlobalConfig } from '../../model/flow/flow';
import { createUnlimitedRights } from '../../model/run/rights';
import { operators } from '../../operators/index';
import type { FlowRecord } from '../../services/flow/ports';
import { createQueryCheck } from '../../services/flow/query-check';
import { createResourceStores } from '../../services/flow/resource-files';
import { getJobId } from '../../services/run/job-id';
import { createRuns } from '../../services/run/runs';
import { createRunsStore } from '../../services/run/runs-store';
import { buildRun, startRun } from '../../services/run/start-run';
import { createRunStats } from '../../services/run/stats';
import { getWorkflowId } from '../../services/run/workflow-id';
import { connectMongo } from '../../services/storage/mongo';
import { createConfiguredSealer } from '../../services/storage/sealing/sealer-keys';
import { createSqlRunner } from '../../services/table/sql';
import { readTemporalOptions } from '../../services/temporal/client';
import { getDefaultUser, type ServerConnection, connectServers, getTemporalPage } from '../connect';
import { appendValue, requireText } from '../convert/option-values';
import { addCustomOperators } from '../custom-operators';
import { getExitCode } from '../exit-codes';
import { serverFlag } from '../server/connect';
import { findRemoteAddress } from '../server/remote';
import { readFlowFile } from './flow-file';
import { follow } from './follow';
import { createProgressView } from './progress';
import { formatReport, maxFailures, buildReport, type RunReport } from './report';
import { runThere } from './run-there';

interface RunOptions {
  json?: boolean;
  server?: string;
  user?: string;
  set?: string[];
  forceIngest?: boolean;
}

/** `docloom run FLOW.json`: starts the run, shows its progress and prints its report. */
export function createRunCommand(): Command {
  return new Command('run')
    .description(
      'Runs a flow from a file. Uses the servers of `docloom up` in the data folder, otherwise those named in the environment; otherwise starts its own for this run.',
    )
    .argument('<flow.json>', 'the flow in the authoring format; relative paths count from its folder')
    .option('--json', 'print the report as JSON and no progress')
    .option(...serverFlag)
    .option(
      '--user <name>',
      `owner of the run, who may also read documents without an access list (default: you, ${getDefaultUser()})`,
      requireText,
    )
    .option('--set <key=value>', 'a run parameter that overrides global_config; may be repeated', appendValue)
    .option('--force-ingest', 'ingest all documents again')
    .addHelpText(
      'after',
      '\nExit codes: 0 completed, 1 failed, 2 bad usage or invalid flow, 3 completed with errors, 130 cancelled.\nCtrl-C cancels the run and waits until it is CANCELED; a second Ctrl-C exits immediately.\nWith --server the flow is stored there as yours, and relative paths count from a folder that the API may read.',
    )
    .action(async (file: string, options: RunOptions) => {
      const report = await (findRemoteAddress(options) === undefined
        ? runHere(file, options)
        : runElsewhere(file, options));
      process.stdout.write(options.json ? `${JSON.stringify(report, null, 2)}\n` : formatReport(report));
      process.exitCode = getExitCode(report.status);
    });
}

async function runHere(file: string, options: RunOptions): Promise<RunReport> {
  await addCustomOperators(process.env);
  const flow = await readFlowFile(file);
  checkParameters(flow, parseParameters(options.set));
  // Checked before any server is started.
  refuseInvalid(flow, getOverrides(options));
  const servers = await connectServers((line) => process.stderr.write(`${line}\n`));
  try {
    return await runFlowFile(flow, servers, options);
  } finally {
    await servers.close();
  }
}

/** Leaves relative paths as written, because they are those of the machine of the API. */
async function runElsewhere(file: string, options: RunOptions): Promise<RunReport> {
  const flow = await readFlowFile(file, 'as written');
  checkParameters(flow, parseParameters(options.set));
  return runThere(flow, { ...options, overrides: getOverrides(options) });
}

/** Throws FLOW_VALIDATION_FAILED for a flow that no server would start. */
function refuseInvalid(flow: FlowDefinition, overrides: Record<string, unknown>): void {
  buildRun(
    { operators, runs: { nameWorkflow: () => undefined } },
    { flow: { ...flow, flow_id: '' }, owner: '', acting: createUnlimitedRights(''), jobId: '', overrides },
  );
}

function getOverrides({ set, forceIngest }: Partial<RunOptions>): Record<string, unknown> {
  return { ...parseParameters(set), ...(forceIngest ? { force_ingest: true } : {}) };
}

/** Runs a flow for a user to its end, with progress on standard error. SIGINT and SIGTERM cancel the run. */
export async function runFlowFile(
  flow: FlowDefinition,
  servers: ServerConnection,
  options: Partial<RunOptions>,
): Promise<RunReport> {
  const { config } = servers;
  const mongo = connectMongo(config.MONGODB_URL, createConfiguredSealer(config));
  const temporal = readTemporalOptions(config, mongo);
  const runs = createRuns(temporal);
  const runStats = createRunStats(config, mongo);
  const runsStore = createRunsStore(mongo, runStats);
  const sql = createSqlRunner();
  try {
    const owner = options.user ?? getDefaultUser();
    // Before any write: a database with content but no id looks like one of an earlier version.
    await temporal.readIdentity();
    const stores = createResourceStores(mongo, { adminGroups: [], folder: config.PROJECT_REPOSITORY_BASE_DIR });
    const record = await stores.flows.upsert(buildFlowRecord(flow, owner));
    const { run } = await startRun(
      { operators, runsStore, runs, queryCheck: createQueryCheck({ sql, operators }) },
      {
        flow: record,
        owner,
        acting: createUnlimitedRights(owner),
        jobId: getJobId(flow.flow_name),
        overrides: getOverrides(options),
      },
    );
    const view = options.json ? undefined : createProgressView(process.stderr);
    const ended = await follow(run, {
      runs,
      runsStore,
      view,
      page: getTemporalPage(config, getWorkflowId(run)),
      quiet: options.json ?? false,
    });
    const [stats, failures] = await Promise.all([
      runsStore.readOperatorStats(run.job_run_id),
      runsStore.listDocuments(run.job_run_id, { limit: maxFailures, offset: 0, outcome: 'failed' }),
    ]);
    return buildReport(ended, stats, failures);
  } finally {
    await Promise.all([runStats.close(), mongo.close(), runs.close(), sql.close()]);
  }
}

function buildFlowRecord(flow: FlowDefinition, owner: string): FlowRecord {
  const now = new Date().toISOString();
  return {
    ...flow,
    flow_id: getJobId(flow.flow_name),
    owner,
    readers: [],
    flow_source: 'cli',
    flow_version: '2.0',
    created_on: now,
    modified_on: now,
    created_by: owner,
    modified_by: owner,
  };
}

/** Checks that `--set` names a key that the engine reads, an operator, or an operator type; others would have no effect. */
export function checkParameters(flow: FlowDefinition, parameters: Record<string, unknown>): void {
  const knownNames = [...Object.keys(GlobalConfig.properties), ...flow.flow.flatMap(({ name, type }) => [name, type])];
  const wrong = Object.keys(parameters).filter((key) => !knownNames.includes(key));
  if (wrong.length === 0) return;
  throw new AppError(
    'VALIDATION_ERROR',
    `--set ${wrong.join(', ')} would change nothing: expected ${[...new Set(knownNames)].join(', ')}.`,
  );
}

function parseParameters(pairs: readonly string[] = []): Record<string, unknown> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const equals = pair.indexOf('=');
      if (equals < 1) throw new AppError('VALIDATION_ERROR', `--set takes key=value, not '${pair}'.`);
      return [pair.slice(0, equals), parseValue(pair.slice(equals + 1))];
    }),
  );
}

/** Parses JSON; anything else is text. */
function parseValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
