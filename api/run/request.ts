import { AppError } from '../../model/errors';
import { GlobalConfig } from '../../model/flow/flow';
import type { FlowAlert } from '../../model/flow/validation';
import { FlowId } from '../../model/flow/wire-flows';
import { type RunState } from '../../model/run/run';
import { type JobRunAccepted, JobRunCreate } from '../../model/run/wire';
import { listProblems } from '../../model/validate';
import type { RunRecord } from '../../services/run/run-record';

/** A request to start a run, from either of the two body forms. */
export interface RunRequest {
  flowId: string;
  /** Merged into the flow's `global_config`. */
  overrides: Record<string, unknown>;
  metadata: Record<string, string>;
  /** Members of the body that were ignored. */
  warnings: string[];
}

/**
 * Reads both forms. Run parameters in `job_run` override those in `job`. Strings are converted to numbers or booleans if the
 * setting requires it, because `job.configuration` can only contain strings.
 */
export function readRunRequest(body: JobRunCreate): RunRequest {
  const request = body.entity ? readEntityForm(body.entity) : readShortForm(body);
  const knownMembers = body.entity ? ['entity', 'sample'] : Object.keys(JobRunCreate.properties);
  const ignoredMembers = Object.keys(body).filter((member) => !knownMembers.includes(member));
  const warnings = ignoredMembers.map(
    (member) =>
      `UNKNOWN_CONFIGURATION_KEY: The member '${member}' of the body is ignored; run parameters are members of ${body.entity ? 'entity.job_run.configuration' : 'configuration'}.`,
  );
  return { ...request, warnings: [...request.warnings, ...warnings] };
}

function readEntityForm({ job, job_run }: NonNullable<JobRunCreate['entity']>): RunRequest {
  const { user_id: _owner, metadata = {}, ...parameters } = job_run?.configuration ?? {};
  return {
    flowId: validateId(job.asset_ref, 'entity.job.asset_ref'),
    overrides: {
      ...parseParameters(readParameters(job.job_parameters), 'entity.job.job_parameters'),
      ...parseParameters(job.configuration ?? {}, 'entity.job.configuration'),
      ...parseParameters(readParameters(job_run?.job_parameters), 'entity.job_run.job_parameters'),
      ...parseParameters(parameters, 'entity.job_run.configuration'),
    },
    metadata,
    warnings: [job, job_run].some((part) => part?.parameter_sets && part.parameter_sets.length > 0)
      ? ['UNKNOWN_CONFIGURATION_KEY: parameter_sets are ignored; name the parameters in configuration.']
      : [],
  };
}

function readShortForm(body: JobRunCreate): RunRequest {
  const { metadata, user_id: _owner, ...parameters } = body.configuration ?? body.flow_config ?? {};
  return {
    flowId: validateId(body.flow_id ?? body.job_id, 'flow_id'),
    overrides: parseParameters(parameters, 'configuration'),
    metadata: body.metadata ?? selectTexts(metadata),
    warnings: [],
  };
}

function readParameters(parameters: readonly { name: string; value?: unknown }[] = []): Record<string, unknown> {
  return Object.fromEntries(parameters.map(({ name, value }) => [name, value]));
}

function validateId(flowId: string | undefined, name: string): string {
  const target = { type: 'field' as const, name };
  if (!flowId)
    throw new AppError(
      'FLOW_NOT_FOUND',
      'No flow is named; send flow_id or job_id, or in the long form entity.job.asset_ref.',
      { target },
    );
  if (listProblems(FlowId, flowId).length === 0) return flowId;
  throw new AppError('VALIDATION_ERROR', `Field '${name}' is '${flowId}'; a UUID in lower case is needed.`, { target });
}

/**
 * Converts run parameters: strings become numbers or booleans if the setting requires it. Throws VALIDATION_ERROR for invalid
 * values.
 */
export function parseParameters(configuration: Record<string, unknown>, name: string): Record<string, unknown> {
  const copy = structuredClone(configuration);
  const problems = listProblems(GlobalConfig, copy, { coerce: true });
  if (problems.length === 0) return copy;
  const fieldProblems = problems.map(({ pointer, message }) => {
    const field = `${name}${pointer.replaceAll('/', '.')}`;
    return { message: `Field '${field}' ${message}.`, target: { type: 'field' as const, name: field } };
  });
  throw new AppError('VALIDATION_ERROR', fieldProblems.map(({ message }) => message).join(' '), {
    problems: fieldProblems,
  });
}

function selectTexts(metadata: unknown): Record<string, string> {
  if (typeof metadata !== 'object' || metadata === null) return {};
  return Object.fromEntries(
    Object.entries(metadata).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

/** The `Idempotency-Key` header. Throws VALIDATION_ERROR if it is longer than 255 characters or contains unprintable ones. */
export function findIdempotencyKey(header: (name: string) => string | undefined): string | undefined {
  const key = header('Idempotency-Key')?.trim();
  if (key === undefined || /^[\x20-\x7e]{1,255}$/.test(key)) return key || undefined;
  throw new AppError(
    'VALIDATION_ERROR',
    "The header 'Idempotency-Key' must have 1 to 255 printable ASCII characters.",
    {
      target: { type: 'header', name: 'Idempotency-Key' },
    },
  );
}

/** The reply to a start. `warnings` come from validating the flow and from reading the request. */
export function toStartedReply(
  { run, warnings }: { run: RunRecord; warnings: readonly FlowAlert[] },
  ignoredMembers: readonly string[] = [],
): JobRunAccepted {
  const allWarnings = [
    ...ignoredMembers,
    ...warnings.map(({ message_code, message }) => `${message_code}: ${message}`),
  ];
  return {
    job_run_id: run.job_run_id,
    status: getStartedState(run),
    message: 'Job run created successfully',
    ...(allWarnings.length > 0 ? { warnings: allWarnings } : {}),
  };
}

/** The state in the reply to a start: STARTING for a new run, the actual state for an existing one. */
function getStartedState(run: RunRecord): RunState {
  return run.status === 'QUEUED' ? 'STARTING' : run.status;
}
