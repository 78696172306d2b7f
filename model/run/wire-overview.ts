import { type Static, Type } from '@sinclair/typebox';
import { count, isoTime } from '../wire-parts';

const flow = { flow_id: Type.String(), flow_name: Type.String() };

const usage = {
  requests: count,
  input_tokens: count,
  output_tokens: count,
  cost: Type.Number({ minimum: 0, description: 'At the prices of the flows; 0 without prices.' }),
};

/** What needs attention, and what the runs of the last day did. */
export const Overview = Type.Object(
  {
    since: isoTime,
    waiting: Type.Array(
      Type.Object({
        job_run_id: Type.String(),
        flow_name: Type.String(),
        operator: Type.String(),
        code: Type.String(),
        message: Type.String(),
        since: isoTime,
      }),
      { description: 'Runs that wait for an unavailable server, the newest 20.' },
    ),
    skipping_schedules: Type.Union(
      [
        Type.Array(
          Type.Object({
            ...flow,
            schedule_id: Type.String(),
            name: Type.String({ description: 'Of the schedule; empty when it has no name.' }),
            skipped_runs: Type.Integer({ minimum: 1, description: 'Since it was created.' }),
          }),
        ),
        Type.Null(),
      ],
      { description: 'Schedules that skipped runs because the previous run was not finished; null without Temporal.' },
    ),
    stale_access: Type.Array(
      Type.Object({
        ...flow,
        age_seconds: count,
        is_closed: Type.Boolean({ description: 'Nobody may read the documents, because the lists are too old.' }),
        code: Type.Union([Type.String(), Type.Null()], { description: 'Why the last sync failed.' }),
      }),
      { description: 'Flows that you may change whose access lists are older than their settings allow.' },
    ),
    day: Type.Object({
      runs: count,
      is_complete: Type.Boolean({ description: 'False when there were more than 500 runs; the newest are counted.' }),
      documents_completed: count,
      documents_failed: count,
      pages: count,
      hours: Type.Array(Type.Object({ from: isoTime, documents_completed: count }), {
        description: 'Documents of runs by the hour in which the run ended, or of this hour while it is active.',
      }),
    }),
    models: Type.Object({
      ...usage,
      flows: Type.Array(Type.Object({ ...flow, ...usage }), {
        description: 'By flow, the most expensive first; at most 20.',
      }),
    }),
  },
  { $id: 'Overview', additionalProperties: false },
);
export type Overview = Static<typeof Overview>;
