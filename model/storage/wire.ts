import { type Static, Type } from '@sinclair/typebox';
import { closedObject } from '../closed-object';

const bytes = Type.Integer({ minimum: 0 });
const nullableBytes = Type.Union([bytes, Type.Null()], { description: 'Null if the server does not report it.' });
const name = Type.Union([Type.String(), Type.Null()]);

/** How much space each kind of data uses. */
export const StorageReport = closedObject('StorageReport', {
  measured_at: Type.String({ format: 'date-time' }),
  is_complete: Type.Boolean({
    description:
      'False when there are more files than could be counted in time; the figures of files are then too low.',
  }),
  database_bytes: nullableBytes,
  files: Type.Array(
    Type.Object({
      kind: Type.String({
        description:
          '`tables` (rows of runs), `documents` (converted documents and originals), `sets`, `libraries`, `graphs` or `other`.',
      }),
      files: Type.Integer({ minimum: 0 }),
      bytes,
    }),
    { description: 'Files of the object store, by what they belong to.' },
  ),
  indexes: Type.Union([Type.Array(Type.Object({ name: Type.String(), records: bytes, bytes })), Type.Null()], {
    description: 'Indexes of the configured search server, the largest first; null when it cannot be reached.',
  }),
  flows: Type.Array(
    Type.Object({
      flow_id: Type.String(),
      flow_name: name,
      project_id: name,
      tables_bytes: bytes,
      documents_bytes: bytes,
      graphs_bytes: bytes,
      bytes,
    }),
    {
      description: 'Files of runs and documents by flow, the largest first, at most 100. Removed flows have no name.',
    },
  ),
  projects: Type.Array(Type.Object({ project_id: Type.String(), name, bytes }), {
    description: 'The same by project, the largest first, at most 100; flows without a project are left out.',
  }),
});
export type StorageReport = Static<typeof StorageReport>;
