import { type Static, Type } from '@sinclair/typebox';
import { closedObject } from '../closed-object';
import { literals } from '../literals';
import { count } from '../wire-parts';

/** Levels of log entries, the least important first. */
export const logLevels = ['info', 'warning', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];

/** The subject of an entry in a run's log. */
export const logEvents = [
  'run_created',
  'run_started',
  'operator_started',
  'operator_finished',
  'warning',
  'document_failed',
  'document_processed',
  'document_finished',
  'run_ended',
] as const;

/** One entry of the log of a run: a line of JSON. Contains no text of documents. */
export const RunLogEntry = closedObject('RunLogEntry', {
  time: Type.String({ format: 'date-time' }),
  level: literals(logLevels),
  event: literals(logEvents, {
    description:
      'Operators report once per batch; `document_failed` names the operator, `document_finished` is the outcome of a document. `document_processed`, one per operator, only with `document_id`.',
  }),
  message: Type.String(),
  operator: Type.Optional(Type.String({ description: 'Name of the operator in the flow.' })),
  batch: Type.Optional(Type.String({ description: 'The batch of documents that the operator worked on.' })),
  document_id: Type.Optional(Type.String()),
  document_name: Type.Optional(Type.String({ description: 'Only for the owner of the run.' })),
  outcome: Type.Optional(literals(['completed', 'failed', 'skipped'])),
  code: Type.Optional(Type.String({ description: 'A code of the error catalogue.' })),
  seconds: Type.Optional(
    Type.Number({
      minimum: 0,
      description: 'Of an operator: its time for the batch. Of a document: its equal share of that time.',
    }),
  ),
  pages: Type.Optional(count),
  rows: Type.Optional(Type.Object({ in: count, out: count, failed: count, skipped: count })),
});
export type RunLogEntry = Static<typeof RunLogEntry>;

/** One page of the log of a run, oldest entries first. */
export const RunLogPage = closedObject('RunLogPage', {
  entries: Type.Array(RunLogEntry),
  next: Type.Union([Type.String(), Type.Null()], {
    description: 'Send it as `after` to continue; null when there are no further entries yet.',
  }),
});
export type RunLogPage = Static<typeof RunLogPage>;
