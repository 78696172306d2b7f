import { type Static, Type } from '@sinclair/typebox';
import { closedObject } from '../closed-object';

const text = Type.String();

/** An action that a user performed or was refused. Contains names and ids, never the text of a document or query. */
export const AuditEntry = closedObject('AuditEntry', {
  entry_id: text,
  at: Type.String({ format: 'date-time' }),
  user: Type.String({ description: 'The login name; for a failed login, the name that was tried.' }),
  api_key: Type.Optional(Type.String({ description: 'Id of the API key of the request.' })),
  action: Type.String({ description: 'Method and path of the route, as in `POST /api/v1/job_runs`.' }),
  target: Type.Record(Type.String(), Type.String(), {
    description: 'Ids in the path, the body and the reply, by their names.',
  }),
  changed: Type.Array(Type.String(), { description: 'Names of the members that a change set; not their values.' }),
  outcome: Type.String({ description: '`OK`, or the code of the error.' }),
  client_address: text,
  trace: Type.String({ description: 'As in the log of the api and in error replies.' }),
});
export type AuditEntry = Static<typeof AuditEntry>;

/** One page of the audit log, newest entries first. */
export const AuditPage = Type.Object(
  {
    items: Type.Array(AuditEntry),
    total: Type.Integer({ minimum: 0 }),
    limit: Type.Integer(),
    offset: Type.Integer(),
    first: text,
    next: Type.Union([text, Type.Null()]),
    prev: Type.Union([text, Type.Null()]),
  },
  { $id: 'AuditPage' },
);

/** Selects entries of the audit log. */
export interface AuditFilter {
  user?: string;
  action?: string;
  outcome?: string;
  /** ISO 8601, inclusive. */
  since?: string;
  /** ISO 8601, exclusive. */
  until?: string;
}
