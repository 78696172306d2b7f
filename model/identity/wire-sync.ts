import { type Static, Type } from '@sinclair/typebox';
import { closedObject } from '../closed-object';

const count = (description: string) => Type.Integer({ minimum: 0, description });

/** The results of the sync of a job's access lists. */
const Counts = Type.Object(
  {
    listed: count('Documents of the job that the source has.'),
    changed: count('Documents whose access list was changed.'),
    left_to_run: count(
      'Of these, documents that have rows elsewhere than in OpenSearch, or rows made of several documents. The next run writes them; until then, rows elsewhere keep their earlier list, and rows of several documents gain no reader.',
    ),
    unknown: count(
      'Documents whose rights could not be read. Their lists stay until they are closed for being too old.',
    ),
  },
  { additionalProperties: false },
);

const time = Type.String({ format: 'date-time' });

/** The age of a job's access lists. */
export const AccessSyncState = closedObject('AccessSync', {
  job_id: Type.String(),
  every_minutes: Type.Integer({ minimum: 1, description: '`access_sync_minutes` of the flow.' }),
  synced_at: Type.String({ format: 'date-time', description: 'Changes of rights before this moment count.' }),
  age_seconds: Type.Integer({ minimum: 0 }),
  is_fresh: Type.Boolean({ description: 'False if the lists are older than `every_minutes` and a minute.' }),
  closes_after_minutes: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], {
    description: 'Nobody may read the documents when the lists are older; null with `when_access_stale: serve`.',
  }),
  is_closed: Type.Boolean({
    description: 'True while nobody may read the documents, because the lists are too old.',
  }),
  counts: Type.Union([Counts, Type.Null()], {
    description: 'Of the last sync; null if a run was the last.',
  }),
  error: Type.Union([Type.Object({ at: time, code: Type.String(), message: Type.String() }), Type.Null()], {
    description: 'Why the last sync failed.',
  }),
});
export type AccessSyncState = Static<typeof AccessSyncState>;

/** The access lists of a flow: one entry per job. */
export const AccessSyncReply = closedObject('AccessSyncReply', { items: Type.Array(AccessSyncState) });
export type AccessSyncReply = Static<typeof AccessSyncReply>;
