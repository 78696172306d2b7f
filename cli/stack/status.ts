import { Command } from 'commander';
import { readDataFolder } from '../../embedded/paths';
import { isRunning } from '../../embedded/process-mark';
import { findRunningStack, type StackInfo } from '../../embedded/stack-file';
import { listOrphans } from '../../embedded/supervision/orphans';
import type { ProbeResult } from '../../services/process/probes';
import { exitCodes } from '../exit-codes';
import { formatTable } from '../run/report';
import { serverFlag } from '../server/connect';
import { findRemoteAddress } from '../server/remote';

/** The readiness report of an api or worker. */
interface Readiness {
  isReady: boolean;
  /** Why servers are unavailable, by server. */
  missing: Record<string, string>;
}

/** `docloom status`: shows what is running and which servers are missing, on this machine or at a remote api. */
export function createStatusCommand(): Command {
  return new Command('status')
    .description(
      'Tells what runs in the data folder and whether it is ready, or whether the API of another machine is.',
    )
    .option(...serverFlag)
    .option('--json', 'print the findings as JSON')
    .addHelpText('after', '\nExit codes: 0 everything is ready, 1 something is missing or nothing runs.')
    .action(async (options: { server?: string; json?: boolean }) => {
      const remote = findRemoteAddress(options);
      const { isReady, record, text } = await (remote === undefined ? readLocalStatus() : readRemoteStatus(remote));
      process.stdout.write(options.json ? `${JSON.stringify({ ready: isReady, ...record }, null, 2)}\n` : text);
      process.exitCode = isReady ? exitCodes.completed : exitCodes.failed;
    });
}

interface Status {
  isReady: boolean;
  record: object;
  text: string;
}

async function readRemoteStatus(address: string): Promise<Status> {
  const { isReady, missing } = await readReadiness(`${address}/ready`);
  const text = `${address}: ${isReady ? 'ready' : 'not ready'}\n${formatMissing('API', missing)}`;
  return { isReady, record: { api: address, missing }, text };
}

async function readLocalStatus(): Promise<Status> {
  const dataDir = readDataFolder(process.env);
  const stack = findRunningStack(dataDir);
  if (!stack) {
    const left = listOrphans(dataDir);
    const hint =
      left.length > 0 ? ` These processes were left running: ${left.join(', ')}; docloom down stops them.` : '';
    return {
      isReady: false,
      record: { running: false, data: dataDir, ...(left.length > 0 ? { left_running: left } : {}) },
      text: `Docloom is not running in ${dataDir}.${hint}\n`,
    };
  }
  const [api, worker] = await Promise.all([
    readReadiness(`${stack.apiAddress}/ready`),
    readReadiness(`http://127.0.0.1:${stack.env['DOCLOOM_METRICS_PORT']}/ready`),
  ]);
  const parts = listParts(stack, { api, worker });
  const isReady = api.isReady && worker.isReady && parts.every(({ state }) => state !== 'restarting');
  const rows = parts.map((part) => [
    part.name,
    part.state,
    String(part.pid ?? '-'),
    String(part.restarts),
    part.address,
  ]);
  const lines = [
    `Docloom has been running in ${dataDir} since ${stack.startedAt} (process ${stack.owner.pid}): ${isReady ? 'ready' : 'not ready'}`,
    '',
    ...formatTable(['part', 'state', 'process', 'restarts', 'address'], rows),
  ];
  const text = `${lines.join('\n')}\n${formatMissing('API', api.missing)}${formatMissing('worker', worker.missing)}`;
  const missing = { api: api.missing, worker: worker.missing };
  return { isReady, record: { running: true, data: dataDir, pid: stack.owner.pid, parts, missing }, text };
}

/** The processes and servers of a stack with their states, given what api and worker answered. */
export function listParts(stack: StackInfo, answers: Record<'api' | 'worker', Readiness>) {
  const getRestarts = (name: string) => stack.restarts?.[name] ?? 0;
  return [
    ...stack.processes.map(({ name, mark }) => ({
      name,
      pid: mark.pid,
      restarts: getRestarts(name),
      address: name === 'api' ? stack.apiAddress : '',
      state: describeState(isRunning(mark), 'itself' in answers[name].missing),
    })),
    ...stack.servers.map(({ name, pid, address }) => ({
      name,
      pid,
      restarts: getRestarts(name),
      address,
      // A server named in the environment was not started here.
      state: pid === undefined ? 'given' : describeState(isRunning({ pid, started: '' }), name in answers.api.missing),
    })),
  ];
}

/** `docloom up` starts a process that has ended again, or ends with all of them. */
function describeState(isProcessRunning: boolean, isSilent: boolean): string {
  if (!isProcessRunning) return 'restarting';
  return isSilent ? 'not answering' : 'running';
}

async function readReadiness(address: string): Promise<Readiness> {
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(10_000) });
    const { checks = {} } = (await response.json()) as { checks?: Record<string, ProbeResult> };
    const missing = Object.entries(checks).flatMap(([name, { ok, reason }]) => (ok ? [] : [[name, reason ?? 'away']]));
    return { isReady: response.ok, missing: Object.fromEntries(missing) as Record<string, string> };
  } catch (error) {
    return { isReady: false, missing: { itself: `${address} does not answer: ${(error as Error).message}` } };
  }
}

function formatMissing(who: string, missing: Record<string, string>): string {
  return Object.entries(missing)
    .map(([name, reason]) =>
      name === 'itself' ? `The ${who} is unreachable: ${reason}\n` : `The ${who} misses ${name}: ${reason}\n`,
    )
    .join('');
}
