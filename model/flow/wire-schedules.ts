import { type Static, Type } from '@sinclair/typebox';
import { closedObject } from '../closed-object';
import { literals } from '../literals';
import { maxInBulk } from '../wire-bulk';
import { count, isoTime } from '../wire-parts';

const cron = Type.String({
  maxLength: 200,
  pattern: '^[^\\n\\r]*$',
  description: 'Five fields: minute, hour, day of month, month, day of week. `0 6 * * 1-5` is 06:00 on weekdays.',
});
const timezoneFacts = { maxLength: 64, description: 'A name of the IANA time zone database.' };
const note = Type.String({ maxLength: 500 });
const name = Type.String({ maxLength: 100, description: 'The display name of the schedule; may be empty.' });

/** Only the members that are sent are changed. */
export const SchedulePatch = Type.Object(
  {
    cron: Type.Optional(cron),
    timezone: Type.Optional(Type.String(timezoneFacts)),
    note: Type.Optional(note),
    name: Type.Optional(name),
  },
  { $id: 'SchedulePatch', additionalProperties: false, minProperties: 1 },
);
export type SchedulePatch = Static<typeof SchedulePatch>;

/** Request body for scheduling a flow. */
export const ScheduleCreate = closedObject('ScheduleCreate', {
  cron,
  timezone: Type.Optional(Type.String({ ...timezoneFacts, default: 'UTC' })),
  note: Type.Optional(note),
  name: Type.Optional(name),
  configuration: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      maxProperties: 2_000,
      description: 'Run parameters. They override the global_config.',
    }),
  ),
});
export type ScheduleCreate = Static<typeof ScheduleCreate>;

/** A schedule of a flow with its next runs. */
export const ScheduleReply = closedObject('Schedule', {
  schedule_id: Type.String(),
  flow_id: Type.String(),
  owner: Type.String(),
  cron: Type.String(),
  timezone: Type.String(),
  note: Type.String(),
  name,
  configuration: Type.Record(Type.String(), Type.Unknown()),
  created_at: isoTime,
  state: Type.Union([Type.Literal('active'), Type.Literal('paused'), Type.Literal('missing')], {
    description: '`missing`: the schedule no longer exists in Temporal and can only be deleted.',
  }),
  next_runs: Type.Array(isoTime, { description: 'At most ten; none while paused.' }),
  recent_runs: Type.Array(Type.Object({ scheduled_at: isoTime, started_at: isoTime, workflow_id: Type.String() })),
  skipped_runs: Type.Integer({
    minimum: 0,
    description: 'Scheduled times that were skipped because the previous run was not finished.',
  }),
});
export type ScheduleReply = Static<typeof ScheduleReply>;

/** Request body that does the same to several schedules. */
export const SchedulesBulk = closedObject('SchedulesBulk', {
  action: literals(['pause', 'resume', 'trigger', 'delete']),
  schedules: Type.Array(
    Type.Object(
      { flow_id: Type.String({ format: 'uuid' }), schedule_id: Type.String({ format: 'uuid' }) },
      { additionalProperties: false },
    ),
    { minItems: 1, maxItems: maxInBulk, uniqueItems: true },
  ),
});
export type SchedulesBulk = Static<typeof SchedulesBulk>;

/** Oldest first. */
export const ScheduleList = Type.Object(
  { schedules: Type.Array(ScheduleReply), total: count, limit: count, offset: count },
  { $id: 'ScheduleList' },
);
export type ScheduleList = Static<typeof ScheduleList>;
