import { type Static, Type } from '@sinclair/typebox';
import { closedObject } from '../closed-object';
import { pageSchema } from '../wire-parts';

const time = Type.String({ format: 'date-time' });

/** The path parameter `session_id`. */
export const SessionId = Type.String({ minLength: 1, maxLength: 64, description: 'Id of the session.' });

/** A token that is valid now and was used. */
export const SessionReply = closedObject('Session', {
  session_id: Type.String(),
  username: Type.String(),
  issued_at: time,
  expires_at: time,
  last_used_at: Type.String({ format: 'date-time', description: 'To the minute.' }),
  client_address: Type.String({ description: 'Where the latest recorded request came from.' }),
  user_agent: Type.String({ description: 'The header User-Agent of that request, cut to 200 characters.' }),
  is_current: Type.Boolean({ description: 'True for the session of this request.' }),
});
export type SessionReply = Static<typeof SessionReply>;

/** One page of sessions. */
export const SessionPage = pageSchema(SessionReply, 'SessionPage');
export type SessionPage = Static<typeof SessionPage>;
