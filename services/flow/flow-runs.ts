import { finalStates, type RunState } from '../../model/run/run';
import { guard, type Mongo, onceReady } from '../storage/mongo';
import type { FlowRuns, FlowRunSummary } from './ports';

/** The members read here of the records written by the store of runs. */
interface StoredRun {
  _id: string;
  flow_id: string;
  status: RunState;
  started_at: string | null;
  created_at: string;
}
interface Counted {
  _id: { flow_id: string; status: string };
  count: number;
}
interface Last {
  _id: string;
  job_run_id: string;
  status: RunState;
  started_at: string | null;
}

/** Reads the runs of flows from the run records in MongoDB. */
export function createFlowRuns(mongo: Mongo): FlowRuns {
  const runs = mongo.collection<StoredRun>('job_runs');
  const flows = mongo.collection<{ _id: string; project_id: string }>('flows');
  const ready = onceReady(async () => {
    await runs.createIndex({ flow_id: 1, created_at: -1 });
  });
  const schedules = mongo.collection<{ _id: string; flow_id: string }>('flow_schedules');
  const inProject = async (flowIds: readonly string[], projectId: string) => {
    const owned = await flows
      .find({ _id: { $in: [...flowIds] }, project_id: projectId }, { projection: { _id: 1 } })
      .toArray();
    return new Set(owned.map(({ _id }) => _id));
  };
  const open = { status: { $nin: [...finalStates] as RunState[] } };

  return {
    open: (scope) =>
      guard(async () => {
        await ready();
        if ('flowId' in scope) {
          const found = await runs.find({ ...open, flow_id: scope.flowId }, { projection: { _id: 1 } }).toArray();
          return found.map(({ _id }) => _id);
        }
        // Start from the open runs, which are few; a project may have many flows. A run keeps the project in which it was
        // started.
        const found = await runs.find(open, { projection: { flow_id: 1 } }).toArray();
        const ids = await inProject(
          found.map(({ flow_id }) => flow_id),
          scope.projectId,
        );
        return found.filter(({ flow_id }) => ids.has(flow_id)).map(({ _id }) => _id);
      }),
    scheduled: (projectId) =>
      guard(async () => {
        const found = await schedules.find({}, { projection: { flow_id: 1 } }).toArray();
        const flowIds = found.map(({ flow_id }) => flow_id);
        return [...(await inProject(flowIds, projectId))];
      }),
    summaries: (flowIds) =>
      guard(async () => {
        await ready();
        const match = { $match: { flow_id: { $in: [...flowIds] } } };
        const [counts, lasts] = await Promise.all([
          runs
            .aggregate<Counted>([
              match,
              { $group: { _id: { flow_id: '$flow_id', status: '$status' }, count: { $sum: 1 } } },
            ])
            .toArray(),
          runs
            .aggregate<Last>([
              match,
              { $project: { flow_id: 1, status: 1, started_at: 1, created_at: 1 } },
              { $sort: { created_at: 1, _id: 1 } },
              {
                $group: {
                  _id: '$flow_id',
                  job_run_id: { $last: '$_id' },
                  status: { $last: '$status' },
                  started_at: { $last: '$started_at' },
                },
              },
            ])
            .toArray(),
        ]);
        return new Map(lasts.map((last) => [last._id, summary(last, counts)]));
      }),
  };
}

function summary({ _id: flowId, ...last }: Last, counts: readonly Counted[]): FlowRunSummary {
  const own = counts.filter(({ _id }) => _id.flow_id === flowId);
  return {
    total: own.reduce((sum, { count }) => sum + count, 0),
    byStatus: Object.fromEntries(own.map(({ _id, count }) => [_id.status, count])),
    last,
  };
}
