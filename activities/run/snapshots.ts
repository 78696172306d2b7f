import {
  listConnectionNames,
  type ConnectionType,
  type OpenConnection,
  findUsableConnection,
} from '../../model/connection/connection';
import { AppError } from '../../model/errors';
import { buildEffectiveConfig } from '../../model/flow/config';
import { getRunPeople } from '../../model/run/rights';
import { listSourceSecrets } from '../../model/source/list';
import { listProblems } from '../../model/validate';
import type { RegisteredOperator } from '../../operators/operator';
import type { RunRecord } from '../../services/run/run-record';
import { resolveSecrets } from '../../services/run/secrets';
import type { ActivityDeps } from '../deps';
import { findDefaultHost } from '../model-fallback';

const maxSnapshots = 50;

/** Reads each run record once per worker, because the snapshot, owner and job of a run never change. */
export function createSnapshots(
  deps: Pick<ActivityDeps, 'runsStore' | 'connections'>,
): (runId: string) => Promise<RunRecord> {
  const cache = new Map<string, Promise<RunRecord>>();
  return async (runId) => withConnections(deps, await read(runId));

  async function read(runId: string): Promise<RunRecord> {
    const cached = cache.get(runId);
    if (cached) return cached;
    const reading = deps.runsStore.get(runId).then((run) => {
      if (!run?.started_at) cache.delete(runId);
      if (!run)
        throw new AppError(
          'JOB_RUN_NOT_FOUND',
          `There is no record of the job run '${runId}'; it may have been deleted.`,
        );
      return run;
    });
    cache.set(runId, reading);
    reading.catch(() => cache.delete(runId));
    if (cache.size > maxSnapshots) cache.delete(cache.keys().next().value ?? '');
    return reading;
  }
}

/** The connections that a run names and may use. Kept outside the record, so that they are never stored or shown with it. */
const opened = new WeakMap<RunRecord, readonly OpenConnection[]>();

/** Opens the connections that the run's flow names. Connections that were revoked or deleted since are not opened. */
export async function withConnections(
  { connections }: Pick<ActivityDeps, 'connections'>,
  run: RunRecord,
): Promise<RunRecord> {
  const names = listConnectionNames(run.snapshot.flow);
  if (names.length > 0 && connections) opened.set(run, await connections.open(names, getRunPeople(run)));
  return run;
}

/** The types of connection whose secrets an operator may use. */
function listSecretTypes(operator: RegisteredOperator, config: Record<string, unknown>): readonly ConnectionType[] {
  if (operator.needs.length === 0) return ['custom'];
  if (operator.scope === 'source') return listSourceSecrets(config).types;
  return operator.secrets?.(config).types ?? ['model'];
}

/** The addresses that receive the secrets when the configuration names no address. */
function listFallbackAddresses(
  operator: RegisteredOperator,
  config: Record<string, unknown>,
  env: ActivityDeps['env'],
): readonly string[] {
  // Custom operators use none of our services: their own code decides.
  if (operator.needs.length === 0) return [`operator:${operator.name}`];
  if (operator.scope === 'source') return listSourceSecrets(config).fallback;
  const usualAddress = operator.secrets?.(config).usualAddress;
  if (usualAddress !== undefined) return [usualAddress];
  return [findDefaultHost(config['type'] ?? config['provider'], env)];
}

/**
 * The operator's configuration in a run, with defaults filled in and secret references resolved from the worker's environment.
 */
export function resolveConfig(
  run: RunRecord,
  name: string,
  operator: RegisteredOperator,
  env: ActivityDeps['env'],
): Record<string, unknown> {
  const entry = run.snapshot.flow.flow.find((candidate) => candidate.name === name);
  if (!entry) throw new AppError('OPERATOR_CONFIGURATION_INVALID', `The flow of the run has no operator '${name}'.`);
  const properties = operator.config.properties;
  const config = Object.fromEntries(
    Object.entries(structuredClone(buildEffectiveConfig(run.snapshot.flow, entry))).filter(
      ([key]) => key in properties,
    ),
  );
  const problems = listProblems(operator.config, config);
  if (problems.length > 0) {
    const list = problems.map(({ pointer, message }) => `${pointer || '/'} ${message}`).join('; ');
    throw new AppError(
      'OPERATOR_CONFIGURATION_INVALID',
      `The configuration of '${name}' (${operator.name}) is invalid: ${list}.`,
    );
  }
  return resolveSecrets(config, env, {
    schema: operator.config,
    fallback: listFallbackAddresses(operator, config, env),
    types: listSecretTypes(operator, config),
    findConnection: (names) => findUsableConnection(opened.get(run) ?? [], names, getRunPeople(run)),
  });
}
