import { finalStates, type RunState } from '../../model/run/run';
import { guard, type Mongo, createWhenReady } from '../storage/mongo';
import type { FlowRuns, FlowRunSummary } from './ports';

/** The members read here of the records written by the store of runs. */
interface StoredRun {
  _id: string;
  flow_id: string;
  status: RunState;
  started_at: string | null;
  created_at: string;
  sample?: object;
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
  return new MongoFlowRuns(mongo);
}

const notEnded = { status: { $nin: [...finalStates] as RunState[] } };

class MongoFlowRuns implements FlowRuns {
  private readonly runs;
  private readonly flows;
  private readonly whenReady;
  private readonly schedules;

  constructor(mongo: Mongo) {
    this.runs = mongo.collection<StoredRun>('job_runs');
    this.flows = mongo.collection<{ _id: string; project_id: string }>('flows');
    this.whenReady = createWhenReady(async () => {
      await this.runs.createIndex({ flow_id: 1, created_at: -1 });
    });
    this.schedules = mongo.collection<{ _id: string; flow_id: string }>('flow_schedules');
  }

  listOpen(scope: { flowId: string } | { projectId: string }) {
    return this.whenReady(async () => {
      if ('flowId' in scope) {
        const activeRuns = await this.runs
          .find({ ...notEnded, flow_id: scope.flowId }, { projection: { _id: 1 } })
          .toArray();
        return activeRuns.map(({ _id }) => _id);
      }
      // Start from the open runs, which are few; a project may have many flows. A run keeps the project in which it was
      // started.
      const activeFlows = await this.runs.find(notEnded, { projection: { flow_id: 1 } }).toArray();
      const ids = await this.inProject(
        activeFlows.map(({ flow_id }) => flow_id),
        scope.projectId,
      );
      return activeFlows.filter(({ flow_id }) => ids.has(flow_id)).map(({ _id }) => _id);
    });
  }

  listScheduledFlowIds(projectId: string) {
    return guard(async () => {
      const schedules = await this.schedules.find({}, { projection: { flow_id: 1 } }).toArray();
      const flowIds = schedules.map(({ flow_id }) => flow_id);
      return [...(await this.inProject(flowIds, projectId))];
    });
  }

  summarize(flowIds: readonly string[]) {
    return this.whenReady(async () => {
      const match = { $match: { flow_id: { $in: [...flowIds] }, sample: { $exists: false } } };
      const [counts, lasts] = await Promise.all([
        this.runs
          .aggregate<Counted>([
            match,
            { $group: { _id: { flow_id: '$flow_id', status: '$status' }, count: { $sum: 1 } } },
          ])
          .toArray(),
        this.runs
          .aggregate<Last>([
            match,
            { $project: { flow_id: 1, status: 1, started_at: 1, created_at: 1 } },
            // The latest first: the embedded database is slow with $last.
            { $sort: { created_at: -1, _id: -1 } },
            {
              $group: {
                _id: '$flow_id',
                job_run_id: { $first: '$_id' },
                status: { $first: '$status' },
                started_at: { $first: '$started_at' },
              },
            },
          ])
          .toArray(),
      ]);
      return new Map(lasts.map((last) => [last._id, buildSummary(last, counts)]));
    });
  }

  private async inProject(flowIds: readonly string[], projectId: string) {
    const owned = await this.flows
      .find({ _id: { $in: [...flowIds] }, project_id: projectId }, { projection: { _id: 1 } })
      .toArray();
    return new Set(owned.map(({ _id }) => _id));
  }
}

function buildSummary({ _id: flowId, ...last }: Last, counts: readonly Counted[]): FlowRunSummary {
  const flowCounts = counts.filter(({ _id }) => _id.flow_id === flowId);
  return {
    total: flowCounts.reduce((sum, { count }) => sum + count, 0),
    byStatus: Object.fromEntries(flowCounts.map(({ _id, count }) => [_id.status, count])),
    last,
  };
}
