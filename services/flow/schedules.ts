import { type ScheduleDescription, type ScheduleHandle, ScheduleNotFoundError } from '@temporalio/client';
import { AppError } from '../../model/errors';
import type { ScheduleReply } from '../../model/flow/wire-schedules';
import type { ScheduledRunInput } from '../../model/run/run';
import type { Workflows } from '../../model/run/workflows';
import { toIdName } from '../run/workflow-id';
import { guard, type Mongo, createWhenReady } from '../storage/mongo';
import { readPage } from '../storage/read-page';
import type { SealedCollection } from '../storage/sealing/rotation';
import type { Sealer } from '../storage/sealing/sealer';
import { callTemporal } from '../temporal/call';
import { openTemporal, getQueueName, type TemporalOptions } from '../temporal/client';

/** A cron schedule of a flow. The record is ours; Temporal knows whether it is paused and when it runs. */
export interface FlowSchedule extends Omit<ScheduleReply, keyof ScheduleState | 'name'> {
  /** Groups of the owner when the schedule was created. They decide whether its runs have administrator rights. */
  owner_groups?: string[];
  /** Absent in records of earlier versions. */
  name?: string;
  /**
   * The id of the schedule in Temporal. Absent for `schedule_id`: in records of earlier versions, and where Temporal must
   * not contain names.
   */
  temporal_id?: string;
}

/** What Temporal knows of a schedule. */
type ScheduleState = Pick<ScheduleReply, 'state' | 'next_runs' | 'recent_runs' | 'skipped_runs'>;

/** A schedule with its state in Temporal. */
export type FlowScheduleState = FlowSchedule & ScheduleState;

/** Members of a schedule that can be changed. */
export type ScheduleChange = Partial<Pick<FlowSchedule, 'cron' | 'timezone' | 'note' | 'name'>>;

/** Schedules of flows, as Temporal Schedules. A run is skipped while the previous one has not finished. */
export interface Schedules {
  /**
   * Throws VALIDATION_ERROR when Temporal rejects the cron expression or the time zone, or when the schedule never matches any
   * time.
   */
  create(schedule: FlowSchedule, flow: { flow_name: string }): Promise<FlowScheduleState>;
  list(flowId: string, page: { limit: number; offset: number }): Promise<{ items: FlowScheduleState[]; total: number }>;
  /** Up to `limit` schedules of these flows, oldest first. */
  listByFlows(flowIds: readonly string[], limit: number): Promise<FlowScheduleState[]>;
  get(flowId: string, scheduleId: string): Promise<FlowScheduleState | undefined>;
  setPaused(scheduleId: string, paused: boolean, note: string): Promise<void>;
  /** Starts a run now, also while the schedule is paused; skipped while a run of the schedule has not finished. */
  trigger(scheduleId: string): Promise<void>;
  /**
   * Like `create`, throws VALIDATION_ERROR if Temporal rejects the schedule or it is never due; the schedule then keeps its
   * state.
   */
  change(schedule: FlowSchedule, change: ScheduleChange): Promise<void>;
  remove(scheduleId: string): Promise<void>;
  /** Removes all schedules of a flow that is being deleted. */
  removeAll(flowId: string): Promise<void>;
  /** Removes all schedules of a user, in every flow. */
  removeByOwner(owner: string): Promise<void>;
}

/** The stored form. The configuration is JSON text because its keys may contain dots. */
interface StoredSchedule extends Omit<FlowSchedule, 'schedule_id' | 'configuration'> {
  _id: string;
  configuration: string;
}

/** Dependencies: MongoDB for the records, Temporal for the schedules. */
export interface SchedulesDeps extends TemporalOptions {
  mongo: Mongo;
}

/** Creates the store of schedules. It writes the record first, so that a crash in between leaves no schedule without a record. */
export function createSchedules(deps: SchedulesDeps): Schedules & { close(): Promise<void> } {
  return new TemporalSchedules(deps);
}

class TemporalSchedules implements Schedules {
  private readonly connection;
  private readonly schedules;
  private readonly records;
  private readonly whenReady;
  private readonly describe = async (stored: StoredSchedule): Promise<FlowScheduleState> =>
    buildState(
      readStored(stored, this.deps.mongo.sealer),
      await ignoreUnknown(() => this.call(async () => this.schedules.getHandle(getTemporalId(stored)).describe())),
    );

  constructor(private readonly deps: SchedulesDeps) {
    const { connection, client } = openTemporal(deps);
    this.connection = connection;
    this.schedules = client.schedule;
    this.records = deps.mongo.collection<StoredSchedule>('flow_schedules');
    this.whenReady = createWhenReady(() => this.records.createIndex({ flow_id: 1, created_at: 1 }));
  }

  async create(flowSchedule: FlowSchedule, { flow_name }: { flow_name: string }) {
    // Temporal does not encrypt ids, so they have no names where its payloads are encrypted.
    const isEncrypted = this.deps.dataConverter !== undefined;
    const temporalId = `schedule/${toIdName(flow_name)}/${flowSchedule.schedule_id}`;
    const schedule = { ...flowSchedule, ...(isEncrypted ? {} : { temporal_id: temporalId }) };
    const { schedule_id: id, configuration, ...members } = schedule;
    await this.whenReady();
    const sealed = this.deps.mongo.sealer.seal(configuration, formatSchedulePlace(id));
    await guard(() => this.records.insertOne({ _id: id, ...members, configuration: JSON.stringify(sealed) }));
    try {
      await this.call(async () =>
        this.schedules.create(buildScheduleOptions(schedule, await getQueueName(this.deps, 'flow'))),
      );
    } catch (error) {
      await guard(() => this.records.deleteOne({ _id: id }));
      throw toScheduleError(error, schedule);
    }
    const handle = this.schedules.getHandle(schedule.temporal_id ?? id);
    const state = buildState(schedule, await this.call(() => handle.describe()));
    if (state.next_runs.length > 0) return state;
    await this.remove(id);
    throw createNeverDueError(schedule);
  }

  async list(flowId: string, { limit, offset }: { limit: number; offset: number }) {
    const query = { sort: { created_at: 1, _id: 1 }, limit, offset } as const;
    const page = await guard(() => readPage(this.records, { flow_id: flowId }, query, this.describe));
    return { total: page.total, items: await Promise.all(page.items) };
  }

  async listByFlows(flowIds: readonly string[], limit: number) {
    const records = await guard(() =>
      this.records
        .find({ flow_id: { $in: [...flowIds] } })
        .sort({ created_at: 1, _id: 1 })
        .limit(limit)
        .toArray(),
    );
    return Promise.all(records.map(this.describe));
  }

  async get(flowId: string, scheduleId: string) {
    const stored = await guard(() => this.records.findOne({ _id: scheduleId, flow_id: flowId }));
    return stored ? this.describe(stored) : undefined;
  }

  setPaused(scheduleId: string, paused: boolean, note: string) {
    return this.call(async () => {
      const handle = await this.handle(scheduleId);
      await (paused ? handle.pause(note) : handle.unpause(note));
    });
  }

  removeAll(flowId: string) {
    return this.removeMatching({ flow_id: flowId });
  }

  removeByOwner(owner: string) {
    return this.removeMatching({ owner });
  }

  trigger(scheduleId: string) {
    return this.call(async () => (await this.handle(scheduleId)).trigger('SKIP'));
  }

  async change(schedule: FlowSchedule, change: ScheduleChange) {
    await this.call(async () => applyChange(await this.handle(schedule.schedule_id), schedule, change));
    await guard(() => this.records.updateOne({ _id: schedule.schedule_id }, { $set: change }));
  }

  async remove(scheduleId: string) {
    await ignoreUnknown(() => this.call(async () => (await this.handle(scheduleId)).delete()));
    await guard(() => this.records.deleteOne({ _id: scheduleId }));
  }

  close() {
    return this.connection.close();
  }

  private async removeMatching(filter: Partial<Pick<StoredSchedule, 'flow_id' | 'owner'>>) {
    const records = await guard(() => this.records.find(filter, { projection: { _id: 1 } }).toArray());
    for (const { _id } of records) await this.remove(_id);
  }

  private call<T>(action: () => Promise<T>) {
    return callTemporal({ connection: this.connection, address: this.deps.address }, action);
  }

  private async handle(scheduleId: string): Promise<ScheduleHandle> {
    const record = await guard(() => this.records.findOne({ _id: scheduleId }, { projection: { temporal_id: 1 } }));
    return this.schedules.getHandle(record ? getTemporalId(record) : scheduleId);
  }
}

/** The id of the schedule in Temporal. */
function getTemporalId({ _id, temporal_id }: { _id: string; temporal_id?: string }): string {
  return temporal_id ?? _id;
}

function buildScheduleOptions(schedule: FlowSchedule, taskQueue: string) {
  const { schedule_id: scheduleId, flow_id: flowId, owner, owner_groups } = schedule;
  // The configuration stays in the record, because it may contain secrets whose encryption key changes.
  const input: ScheduledRunInput = { scheduleId, flowId, owner, groups: owner_groups ?? [] };
  return {
    scheduleId: schedule.temporal_id ?? scheduleId,
    ...buildTiming(schedule),
    // The workflow lasts as long as the run, so that SKIP works as intended. After an outage, only runs missed in the last hour
    // start.
    policies: { overlap: 'SKIP' as const, catchupWindow: '1h' as const },
    action: {
      type: 'startWorkflow' as const,
      workflowType: 'scheduledRun' satisfies keyof Workflows,
      workflowId: schedule.temporal_id ?? `scheduled/${scheduleId}`,
      taskQueue,
      args: [input],
    },
  };
}

/** When the schedule is due, and its note. */
function buildTiming({ flow_id: flowId, owner, cron, timezone, note }: FlowSchedule) {
  return {
    spec: { cronExpressions: [cron], timezone },
    state: { note: note || `Runs the flow ${flowId}, for ${owner}.` },
  };
}

/** Changes the schedule in Temporal, and back if it is never due. */
async function applyChange(handle: ScheduleHandle, schedule: FlowSchedule, change: ScheduleChange): Promise<void> {
  const write = async (written: FlowSchedule) => {
    const { spec, state } = buildTiming(written);
    await handle.update((before) => ({ ...before, spec, state: { ...before.state, ...state } }));
  };
  const next = { ...schedule, ...change };
  await write(next).catch((error: unknown) => {
    throw toScheduleError(error, next);
  });
  if ((await handle.describe()).info.nextActionTimes.length > 0) return;
  await write(schedule);
  throw createNeverDueError(next);
}

function createNeverDueError({ cron }: FlowSchedule): AppError {
  return new AppError('VALIDATION_ERROR', `The schedule '${cron}' is never due.`, {
    target: { type: 'field', name: 'cron' },
  });
}

/** The Temporal client throws a TypeError when the server rejects a cron expression or time zone. */
function toScheduleError(error: unknown, { cron, timezone }: FlowSchedule): unknown {
  if (!(error instanceof TypeError)) return error;
  const message = `Temporal rejected the schedule '${cron}' in the time zone '${timezone}': ${error.message}.`;
  return new AppError('VALIDATION_ERROR', message, { target: { type: 'field', name: 'cron' } }, error);
}

/** Returns undefined when Temporal does not know the schedule. */
async function ignoreUnknown<T>(action: () => Promise<T>): Promise<T | undefined> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return undefined;
    throw error;
  }
}

/** The encrypted members of stored schedules. */
export const sealedSchedules: SealedCollection = {
  collection: 'flow_schedules',
  fields: { configuration: 'json' },
  formatPlace: ({ _id }) => formatSchedulePlace(_id),
};

/** Reads the configuration of a schedule for its runs; undefined when the schedule was deleted. */
export interface ScheduleRecords {
  readConfiguration(scheduleId: string): Promise<Record<string, unknown> | undefined>;
}

/** Reads the records in MongoDB. */
export function createScheduleRecords(mongo: Mongo): ScheduleRecords {
  const records = mongo.collection<StoredSchedule>('flow_schedules');
  return {
    readConfiguration: (scheduleId) =>
      guard(async () => {
        const stored = await records.findOne({ _id: scheduleId });
        return stored ? readStored(stored, mongo.sealer).configuration : undefined;
      }),
  };
}

/** Identifies the schedule for the sealer. */
export function formatSchedulePlace(scheduleId: string): string {
  return `flow_schedules/${scheduleId}`;
}

function readStored({ _id, configuration, ...schedule }: StoredSchedule, sealer: Sealer): FlowSchedule {
  const opened = sealer.open(JSON.parse(configuration) as Record<string, unknown>, formatSchedulePlace(_id));
  return { schedule_id: _id, ...schedule, configuration: opened };
}

function buildState(schedule: FlowSchedule, description: ScheduleDescription | undefined): FlowScheduleState {
  if (!description) return { ...schedule, state: 'missing', next_runs: [], recent_runs: [], skipped_runs: 0 };
  const { info, state } = description;
  return {
    ...schedule,
    state: state.paused ? 'paused' : 'active',
    // Temporal also returns times for a paused schedule, although it will not run then.
    next_runs: state.paused ? [] : info.nextActionTimes.map((time) => time.toISOString()),
    recent_runs: info.recentActions.map(({ scheduledAt, takenAt, action }) => ({
      scheduled_at: scheduledAt.toISOString(),
      started_at: takenAt.toISOString(),
      workflow_id: action.workflow.workflowId,
    })),
    skipped_runs: info.numActionsSkippedOverlap,
  };
}
