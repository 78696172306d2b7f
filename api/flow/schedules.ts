import { Type } from '@sinclair/typebox';
import { AppError } from '../../model/errors';
import { maskSecrets } from '../../model/flow/secrets';
import { FlowId } from '../../model/flow/wire-flows';
import {
  ScheduleCreate,
  ScheduleList,
  SchedulePatch,
  ScheduleReply,
  SchedulesBulk,
} from '../../model/flow/wire-schedules';
import { BulkReply } from '../../model/wire-bulk';
import type { FlowScheduleState } from '../../services/flow/schedules';
import { refuseParameters } from '../../services/run/start-run';
import { applyToItems } from '../http/bulk';
import { createInvalidFieldError } from '../http/invalid-field';
import { paging } from '../http/page';
import { type RequestContext, authorize, flowPolicy, read, schedulePolicy } from '../http/policies';
import { route } from '../http/route';
import { parseParameters } from '../run/request';

const flowParams = Type.Object({ flow_id: FlowId });
const scheduleParams = Type.Object({ flow_id: FlowId, schedule_id: Type.String({ format: 'uuid' }) });
const errors = ['FLOW_NOT_FOUND', 'SCHEDULE_NOT_FOUND', 'FORBIDDEN', 'WORKFLOW_ENGINE_UNAVAILABLE'] as const;

export const createSchedule = route({
  method: 'POST',
  path: '/api/v1/flows/{flow_id}/schedules',
  summary: 'Schedules a flow with a cron expression; it runs as you.',
  description:
    'For those who may change the flow. Each run uses the current version of the flow. A run that is due while another run of the flow has not finished is skipped.',
  params: flowParams,
  body: ScheduleCreate,
  replies: { 201: ScheduleReply },
  errors: ['FLOW_NOT_FOUND', 'FORBIDDEN', 'FLOW_VALIDATION_FAILED', 'WORKFLOW_ENGINE_UNAVAILABLE'],
  handler: async ({ params, body, ...context }) => {
    const { user, services } = context;
    const flow = await authorize(flowPolicy, 'change', params.flow_id, context);
    const { cron, timezone = 'UTC', note = '', name = '', configuration = {} } = body;
    refuseInvalidTimes({ cron, timezone });
    const parameters = parseParameters(configuration, 'configuration');
    refuseParameters(services, flow, parameters);
    const input = {
      schedule_id: services.newId(),
      flow_id: flow.flow_id,
      owner: user.username,
      owner_groups: user.groups,
      cron: cron.trim(),
      timezone,
      note,
      name,
      configuration: parameters,
      created_at: services.clock().toISOString(),
    };
    return toScheduleReply(await services.schedules.create(input, flow));
  },
});

export const listSchedules = route({
  method: 'GET',
  path: '/api/v1/flows/{flow_id}/schedules',
  summary: 'The schedules of a flow, each with its next run times.',
  params: flowParams,
  query: Type.Object(paging),
  replies: { 200: ScheduleList },
  errors: ['FLOW_NOT_FOUND', 'WORKFLOW_ENGINE_UNAVAILABLE'],
  handler: async ({ params, query, ...context }) => {
    const { services } = context;
    const flow = await read(flowPolicy, params.flow_id, context);
    const { limit = 100, offset = 0 } = query;
    const { items, total } = await services.schedules.list(flow.flow_id, { limit, offset });
    return { schedules: items.map(toScheduleReply), total, limit, offset };
  },
});

export const getSchedule = route({
  method: 'GET',
  path: '/api/v1/flows/{flow_id}/schedules/{schedule_id}',
  summary: 'A schedule of a flow with its state and its last and next run times.',
  params: scheduleParams,
  replies: { 200: ScheduleReply },
  errors,
  handler: async ({ params, ...context }) => {
    const { schedule } = await read(schedulePolicy, params, context);
    return toScheduleReply(schedule);
  },
});

export const patchSchedule = route({
  method: 'PATCH',
  path: '/api/v1/flows/{flow_id}/schedules/{schedule_id}',
  summary: 'Changes name, times, time zone or note of a schedule.',
  params: scheduleParams,
  body: SchedulePatch,
  replies: { 200: ScheduleReply },
  errors,
  handler: async ({ params, body, ...context }) => {
    refuseInvalidTimes(body);
    const change = body.cron === undefined ? body : { ...body, cron: body.cron.trim() };
    return changeSchedule(params, context, ({ schedules }, schedule) => schedules.change(schedule, change));
  },
});

export const triggerSchedule = route({
  method: 'POST',
  path: '/api/v1/flows/{flow_id}/schedules/{schedule_id}/trigger',
  operationId: 'triggerSchedule',
  scope: 'run',
  summary: 'Starts a run of the schedule now, as its owner. The times of the schedule do not change.',
  description: 'Also while it is paused. Skipped while a run of the schedule has not finished.',
  params: scheduleParams,
  replies: { 200: ScheduleReply },
  errors,
  handler: ({ params, ...context }) => runScheduleNow(params, context),
});

export const pauseSchedule = route({
  method: 'POST',
  path: '/api/v1/flows/{flow_id}/schedules/{schedule_id}/pause',
  summary: 'Pauses a schedule; an active run continues.',
  params: scheduleParams,
  replies: { 200: ScheduleReply },
  errors,
  handler: ({ params, ...context }) => setPaused(params, true, context),
});

export const resumeSchedule = route({
  method: 'POST',
  path: '/api/v1/flows/{flow_id}/schedules/{schedule_id}/resume',
  summary: 'Resumes a paused schedule. Missed runs are skipped.',
  params: scheduleParams,
  replies: { 200: ScheduleReply },
  errors,
  handler: ({ params, ...context }) => setPaused(params, false, context),
});

export const deleteSchedule = route({
  method: 'DELETE',
  path: '/api/v1/flows/{flow_id}/schedules/{schedule_id}',
  summary: 'Removes a schedule; an active run continues.',
  params: scheduleParams,
  replies: { 204: Type.Void() },
  errors,
  handler: ({ params, ...context }) => removeSchedule(params, context),
});

export const changeSchedules = route({
  method: 'POST',
  path: '/api/v1/schedules/bulk',
  operationId: 'changeSchedules',
  summary: 'Pauses, resumes, triggers or deletes up to 100 schedules.',
  description:
    'Each schedule is handled like a request for a single one, with the same rights; the reply has the outcome of each. `trigger` needs the scope `run` as well.',
  body: SchedulesBulk,
  replies: { 200: BulkReply },
  errors: ['FORBIDDEN', 'WORKFLOW_ENGINE_UNAVAILABLE'],
  handler: ({ body: { action, schedules }, asRequest, ...context }) => {
    const actOn = (ids: ScheduleIds) => {
      if (action === 'delete') return removeSchedule(ids, context);
      if (action === 'trigger') return runScheduleNow(ids, context);
      return setPaused(ids, action === 'pause', context);
    };
    const requests = { pause: pauseSchedule, resume: resumeSchedule, trigger: triggerSchedule, delete: deleteSchedule };
    const act = async (ids: ScheduleIds) => {
      await asRequest(requests[action], { params: ids }, async () => actOn(ids));
      return undefined;
    };
    return applyToItems(schedules, { getId: ({ schedule_id }) => schedule_id, act }, context);
  },
});

async function removeSchedule(ids: ScheduleIds, context: RequestContext): Promise<void> {
  const { schedule } = await authorize(schedulePolicy, 'change', ids, context);
  await context.services.schedules.remove(schedule.schedule_id);
}

function runScheduleNow(ids: ScheduleIds, context: RequestContext) {
  return changeSchedule(ids, context, ({ schedules }, { schedule_id }) => schedules.trigger(schedule_id));
}

function setPaused(params: ScheduleIds, paused: boolean, context: RequestContext) {
  const note = `${paused ? 'Paused' : 'Resumed'} by ${context.user.username}.`;
  return changeSchedule(params, context, ({ schedules }, { schedule_id }) =>
    schedules.setPaused(schedule_id, paused, note),
  );
}

interface ScheduleIds {
  flow_id: string;
  schedule_id: string;
}

/** The schedule after a change by a user who may change it. */
async function changeSchedule(
  params: ScheduleIds,
  context: RequestContext,
  change: (services: RequestContext['services'], schedule: FlowScheduleState) => Promise<void>,
) {
  const schedule = await authorize(schedulePolicy, 'change', params, context);
  const { schedules } = context.services;
  const { schedule_id: id } = schedule.schedule;
  if (schedule.schedule.state === 'missing') {
    throw new AppError(
      'SCHEDULE_NOT_FOUND',
      `The schedule '${id}' no longer exists in Temporal; delete it and create a new one.`,
    );
  }
  await change(context.services, schedule.schedule);
  return toScheduleReply((await schedules.get(schedule.flow.flow_id, id)) ?? schedule.schedule);
}

function toScheduleReply({ owner_groups: _groups, temporal_id: _id, ...schedule }: FlowScheduleState): ScheduleReply {
  return { ...schedule, name: schedule.name ?? '', configuration: maskSecrets(schedule.configuration) };
}

function refuseInvalidTimes({ cron, timezone }: { cron?: string; timezone?: string }): void {
  if (cron !== undefined && cron.trim().split(/\s+/).length !== 5)
    throw createInvalidFieldError(
      'cron',
      `Field 'cron' is '${cron}'; five fields are needed: minute, hour, day of month, month, day of week.`,
    );
  if (timezone !== undefined && !isTimeZone(timezone))
    throw createInvalidFieldError(
      'timezone',
      `Field 'timezone' is '${timezone}', which is not a name of the IANA time zone database.`,
    );
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
