import { Type } from '@sinclair/typebox';
import { isAdmin } from '../../model/access';
import { AppError } from '../../model/errors';
import { maskSecrets } from '../../model/flow/secrets';
import { FlowId } from '../../model/flow/wire-flows';
import { ScheduleCreate, ScheduleList, ScheduleReply } from '../../model/flow/wire-schedules';
import type { FlowRecord } from '../../services/flow/ports';
import type { FlowScheduleState } from '../../services/flow/schedules';
import { type Asking, visibleFlow } from './access';
import { paging } from '../http/page';
import { route } from '../http/route';
import { typed } from '../run/request';

const tags = ['Schedules'];
const ofFlow = Type.Object({ flow_id: FlowId });
const ofSchedule = Type.Object({ flow_id: FlowId, schedule_id: Type.String({ format: 'uuid' }) });
const errors = ['FLOW_NOT_FOUND', 'SCHEDULE_NOT_FOUND', 'FORBIDDEN', 'WORKFLOW_ENGINE_UNAVAILABLE'] as const;

export const createSchedule = route({
  method: 'POST',
  path: '/api/v1/flows/{flow_id}/schedules',
  summary: 'Schedules a flow with a cron expression; it runs as you.',
  description:
    'Each run uses the flow as it is at that time. A run that is due while another run of the flow has not finished is skipped.',
  tags,
  auth: 'user',
  params: ofFlow,
  body: ScheduleCreate,
  replies: { 201: ScheduleReply },
  errors: ['FLOW_NOT_FOUND', 'WORKFLOW_ENGINE_UNAVAILABLE'],
  handler: async ({ params, body, user, services, options }) => {
    const flow = await visibleFlow(params.flow_id, { user, services, options });
    const { cron, timezone = 'UTC', note = '', configuration = {} } = body;
    if (cron.trim().split(/\s+/).length !== 5)
      throw invalid('cron', `is '${cron}'; five fields are needed: minute, hour, day of month, month, day of week`);
    if (!isTimeZone(timezone))
      throw invalid('timezone', `is '${timezone}', which is no name of the IANA time zone database`);
    const made = await services.schedules.create({
      schedule_id: services.newId(),
      flow_id: flow.flow_id,
      owner: user.username,
      cron: cron.trim(),
      timezone,
      note,
      configuration: typed(configuration, 'configuration'),
      created_at: services.clock().toISOString(),
    });
    return scheduleReply(made);
  },
});

export const listSchedules = route({
  method: 'GET',
  path: '/api/v1/flows/{flow_id}/schedules',
  summary: 'The schedules of a flow, each with its next run times.',
  tags,
  auth: 'user',
  params: ofFlow,
  query: Type.Object(paging),
  replies: { 200: ScheduleList },
  errors: ['FLOW_NOT_FOUND', 'WORKFLOW_ENGINE_UNAVAILABLE'],
  handler: async ({ params, query, user, services, options }) => {
    const flow = await visibleFlow(params.flow_id, { user, services, options });
    const { limit = 100, offset = 0 } = query;
    const { items, total } = await services.schedules.list(flow.flow_id, { limit, offset });
    return { schedules: items.map(scheduleReply), total, limit, offset };
  },
});

export const getSchedule = route({
  method: 'GET',
  path: '/api/v1/flows/{flow_id}/schedules/{schedule_id}',
  summary: 'A schedule of a flow: its state, last and next run times.',
  tags,
  auth: 'user',
  params: ofSchedule,
  replies: { 200: ScheduleReply },
  errors,
  handler: async ({ params, user, services, options }) => {
    const { schedule } = await visibleSchedule(params, { user, services, options });
    return scheduleReply(schedule);
  },
});

export const pauseSchedule = route({
  method: 'POST',
  path: '/api/v1/flows/{flow_id}/schedules/{schedule_id}/pause',
  summary: 'Pauses a schedule; an active run continues.',
  tags,
  auth: 'user',
  params: ofSchedule,
  replies: { 200: ScheduleReply },
  errors,
  handler: ({ params, user, services, options }) => setPaused(params, true, { user, services, options }),
});

export const resumeSchedule = route({
  method: 'POST',
  path: '/api/v1/flows/{flow_id}/schedules/{schedule_id}/resume',
  summary: 'Resumes a paused schedule; missed runs are not made up for.',
  tags,
  auth: 'user',
  params: ofSchedule,
  replies: { 200: ScheduleReply },
  errors,
  handler: ({ params, user, services, options }) => setPaused(params, false, { user, services, options }),
});

export const deleteSchedule = route({
  method: 'DELETE',
  path: '/api/v1/flows/{flow_id}/schedules/{schedule_id}',
  summary: 'Removes a schedule; an active run continues.',
  tags,
  auth: 'user',
  params: ofSchedule,
  replies: { 204: Type.Void() },
  errors,
  handler: async ({ params, user, services, options }) => {
    const asking = { user, services, options };
    const found = await visibleSchedule(params, asking);
    requireChange(found, asking);
    await services.schedules.remove(found.schedule.schedule_id);
  },
});

interface Found {
  flow: FlowRecord;
  schedule: FlowScheduleState;
}

async function visibleSchedule(params: { flow_id: string; schedule_id: string }, asking: Asking): Promise<Found> {
  const flow = await visibleFlow(params.flow_id, asking);
  const schedule = await asking.services.schedules.get(flow.flow_id, params.schedule_id);
  if (schedule) return { flow, schedule };
  throw new AppError(
    'SCHEDULE_NOT_FOUND',
    `The flow '${flow.flow_name}' has no schedule with ID '${params.schedule_id}'.`,
    {
      target: { type: 'parameter', name: 'schedule_id' },
    },
  );
}

/** Runs are made in the name of the schedule's owner, so others than they and the flow's owner only look. */
function requireChange({ flow, schedule }: Found, { user, options }: Asking): void {
  if ([schedule.owner, flow.owner].includes(user.username) || isAdmin(user, options.adminGroups)) return;
  throw new AppError('FORBIDDEN', `The schedule belongs to '${schedule.owner}'; you may look at it only.`);
}

async function setPaused(params: { flow_id: string; schedule_id: string }, paused: boolean, asking: Asking) {
  const found = await visibleSchedule(params, asking);
  requireChange(found, asking);
  const { schedules } = asking.services;
  const { schedule_id: id } = found.schedule;
  if (found.schedule.state === 'missing') {
    throw new AppError(
      'SCHEDULE_NOT_FOUND',
      `Temporal knows no schedule '${id}' any more; delete it and make a new one.`,
    );
  }
  await schedules.setPaused(id, paused, `${paused ? 'Paused' : 'Resumed'} by ${asking.user.username}.`);
  return scheduleReply((await schedules.get(found.flow.flow_id, id)) ?? found.schedule);
}

function scheduleReply(schedule: FlowScheduleState): ScheduleReply {
  return { ...schedule, configuration: maskSecrets(schedule.configuration) };
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

function invalid(name: string, what: string): AppError {
  return new AppError('VALIDATION_ERROR', `Field '${name}' ${what}.`, { target: { type: 'field', name } });
}
