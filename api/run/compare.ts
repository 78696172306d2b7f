import { Type } from '@sinclair/typebox';
import { AppError } from '../../model/errors';
import { listOperators } from '../../model/flow/plan';
import { RunComparison } from '../../model/run/wire-compare';
import type { RunResult } from '../../services/run/facts';
import type { OperatorStats, RunRecord } from '../../services/run/run-record';
import { may, read, runPolicy } from '../http/policies';
import { route } from '../http/route';
import type { ApiServices } from '../services';
import { mayNameDocuments, withheldName } from './names';

/** Larger runs are compared by operators only, which bounds the memory of a request. */
const maxDocuments = 200_000;

export const compareJobRuns = route({
  method: 'GET',
  path: '/api/v1/job_runs/{job_run_id}/comparison',
  operationId: 'compareJobRuns',
  summary: 'Compares a run with another run of the same job, by documents and operators.',
  params: Type.Object({ job_run_id: Type.String({ format: 'uuid' }) }),
  query: Type.Object({
    base_run_id: Type.String({ format: 'uuid', description: 'The run to compare with, usually the earlier one.' }),
    limit: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000, default: 100 })),
  }),
  replies: { 200: RunComparison },
  errors: ['JOB_RUN_NOT_FOUND'],
  handler: async ({ params, query: { base_run_id, limit = 100 }, ...context }) => {
    const run = await read(runPolicy, params.job_run_id, context);
    const base = await read(runPolicy, base_run_id, context);
    if (run.job_id !== base.job_id)
      throw new AppError(
        'VALIDATION_ERROR',
        `The run '${base_run_id}' belongs to another job; only runs of one job have the same documents.`,
        { target: { type: 'parameter', name: 'base_run_id' } },
      );
    const { user, services } = context;
    const isNamed = mayNameDocuments(run, user) && mayNameDocuments(base, user);
    const mayReadDocuments =
      (await may(runPolicy, 'readDocuments', run, context)) && (await may(runPolicy, 'readDocuments', base, context));
    const [now, before] = mayReadDocuments ? [await readResults(run, services), await readResults(base, services)] : [];
    return {
      job_run_id: run.job_run_id,
      base_run_id,
      documents: now && before ? compareDocuments(now, before, { limit, isNamed }) : null,
      operators: await compareOperators(run, base, services),
    };
  },
});

type Results = ReadonlyMap<string, Pick<RunResult, 'name' | 'status'>>;

/** The outcome of each document; undefined when there are too many. */
async function readResults(
  { job_run_id }: RunRecord,
  { runsStore }: Pick<ApiServices, 'runsStore'>,
): Promise<Results | undefined> {
  const results = new Map<string, Pick<RunResult, 'name' | 'status'>>();
  for await (const { id, name, status } of runsStore.iterateResults(job_run_id)) {
    results.set(id, { name, status });
    if (results.size > maxDocuments) return undefined;
  }
  return results;
}

function compareDocuments(now: Results, before: Results, { limit, isNamed }: { limit: number; isNamed: boolean }) {
  const selectDocuments = (from: Results, isWanted: (id: string) => boolean) => {
    const ids = [...from.keys()].filter(isWanted);
    const documents = ids
      .slice(0, limit)
      .map((id) => ({ document_id: id, name: isNamed ? (from.get(id)?.name ?? '') : withheldName }));
    return { total: ids.length, documents };
  };
  const hasStatus = (results: Results, id: string, status: RunResult['status']) => results.get(id)?.status === status;
  return {
    added: selectDocuments(now, (id) => !before.has(id)),
    removed: selectDocuments(before, (id) => !now.has(id)),
    changed: selectDocuments(
      now,
      (id) => before.has(id) && hasStatus(now, id, 'Completed') && !hasStatus(before, id, 'Failed'),
    ),
    failed: selectDocuments(now, (id) => hasStatus(now, id, 'Failed') && !hasStatus(before, id, 'Failed')),
    recovered: selectDocuments(now, (id) => hasStatus(before, id, 'Failed') && !hasStatus(now, id, 'Failed')),
  };
}

async function compareOperators(run: RunRecord, base: RunRecord, { runsStore }: Pick<ApiServices, 'runsStore'>) {
  const [now, before] = await Promise.all(
    [run, base].map(async ({ job_run_id }) => {
      const stats = await runsStore.readOperatorStats(job_run_id);
      return new Map(stats.map((operatorStats) => [operatorStats.name, buildCounts(operatorStats)]));
    }),
  );
  const names = [run, base].flatMap(({ snapshot }) => listOperators(snapshot.plan).map(({ name }) => name));
  return [...new Set(names)].map((name) => ({
    name,
    run: now?.get(name) ?? null,
    base: before?.get(name) ?? null,
  }));
}

function buildCounts({ in: rowsIn, out, failed, skipped, seconds }: OperatorStats) {
  return { in: rowsIn, out, failed, skipped, seconds };
}
