import { AppError } from '../../model/errors';
import { effectiveConfig } from '../../model/flow/config';
import { problemsOf } from '../../model/validate';
import type { RegisteredOperator } from '../../operators/operator';
import type { RunRecord } from '../../services/run/run-record';
import { resolveSecrets } from '../../services/run/secrets';
import type { ActivityDeps } from '../deps';
import { modelFallback } from '../model-fallback';

const kept = 50;

/** Reads run records once per worker: snapshot, owner and job of a run never change. */
export function createSnapshots(deps: Pick<ActivityDeps, 'runsStore'>): (runId: string) => Promise<RunRecord> {
  const cache = new Map<string, Promise<RunRecord>>();
  return async (runId) => {
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
    if (cache.size > kept) cache.delete(cache.keys().next().value ?? '');
    return reading;
  };
}

/** Where the secrets of a configuration go that names no address. */
function fallbackOf(
  operator: RegisteredOperator,
  config: Record<string, unknown>,
  env: ActivityDeps['env'],
): readonly string[] {
  // Operators of the installation have no services of ours: their own code decides.
  if (operator.needs.length === 0) return [`operator:${operator.name}`];
  if (operator.scope === 'source') return ['https://s3.amazonaws.com'];
  return [modelFallback(config['type'] ?? config['provider'], env)];
}

/** The operator's configuration in a run: defaults filled in, secret references resolved from the worker's environment. */
export function configOf(
  run: RunRecord,
  name: string,
  operator: RegisteredOperator,
  env: ActivityDeps['env'],
): Record<string, unknown> {
  const entry = run.snapshot.flow.flow.find((candidate) => candidate.name === name);
  if (!entry) throw new AppError('OPERATOR_CONFIGURATION_INVALID', `The flow of the run has no operator '${name}'.`);
  const properties = operator.config.properties;
  const config = Object.fromEntries(
    Object.entries(structuredClone(effectiveConfig(run.snapshot.flow, entry))).filter(([key]) => key in properties),
  );
  const problems = problemsOf(operator.config, config);
  if (problems.length > 0) {
    const list = problems.map(({ pointer, message }) => `${pointer || '/'} ${message}`).join('; ');
    throw new AppError(
      'OPERATOR_CONFIGURATION_INVALID',
      `The configuration of '${name}' (${operator.name}) is invalid: ${list}.`,
    );
  }
  return resolveSecrets(config, env, { schema: operator.config, fallback: fallbackOf(operator, config, env) });
}
